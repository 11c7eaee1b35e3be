//! Random histories on a server beside a model of it: as many steps as one likes.

use std::hash::{BuildHasher, Hasher, RandomState};

use crate::workspace::{self, Outcome};

/// From so many steps on, a build with optimisation takes less time than it saves.
const LONG: u64 = 200_000;

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// How many steps; each begins on a new server after at most 2000.
    #[arg(long, default_value_t = 100_000)]
    steps: u64,
    /// Where the random numbers begin, as a failed run has told it; by default somewhere else each time.
    #[arg(long)]
    seed: Option<u64>,
    /// What the server keeps its data in.
    #[arg(long, value_enum, default_value_t = Database::Sqlite)]
    database: Database,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Database {
    Sqlite,
    Postgres,
}

/// Runs the histories; a disagreement is shortened and told.
pub(crate) fn run(run: &Run) -> Outcome {
    let seed = run.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 32);
    let (steps, seed) = (run.steps.to_string(), seed.to_string());
    let mut environment = vec![("PROVOST_TEST_STEPS", steps.as_str()), ("PROVOST_TEST_SEED", seed.as_str())];
    if run.database == Database::Postgres {
        environment.push(("PROVOST_TEST_DATABASE", "postgres"));
    }
    let mut arguments = vec!["test", "--package", "e2e", "--test", "door"];
    if run.steps >= LONG {
        arguments.push("--release");
    }
    arguments.extend(["--", "the_server_answers_as_the_model", "--nocapture"]);
    workspace::run("cargo", &arguments, &environment)?;
    Ok(format!("{steps} steps from seed {seed} on: server and model agree"))
}
