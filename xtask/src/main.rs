//! Chores of the repository, run as `cargo xtask NAME`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod check_deps;
mod check_text;
mod counts;
mod full;
mod fuzz;
mod generate;
mod model;
mod soak;
mod workspace;

/// Chores of the repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Write the generated files: the capability table, docs/api and snapshots of the contract.
    Gen {
        /// Only compare: fail when a generated file is not what it should be.
        #[arg(long)]
        check: bool,
    },
    /// Check that crates use each other only as ARCHITECTURE.md allows, and modules in no circle.
    CheckDeps,
    /// Check the rules for text and file sizes that no other tool knows.
    CheckText,
    /// Count the instructions of what every request goes through, beside the committed counts.
    Counts(counts::Run),
    /// Compare a server with the reference model over random histories, on one database or the other.
    Model(model::Run),
    /// Run the fuzz targets, each for some seconds, two at a time.
    Fuzz(fuzz::Run),
    /// Put a server under full load for minutes, and fail when anything of it grows.
    Soak(soak::Run),
    /// Run the long forms of the suites: more seeds, more kills, every combination.
    Full,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().chore {
        Chore::Gen { check } => generate::run(check),
        Chore::CheckDeps => check_deps::run(),
        Chore::CheckText => check_text::run(),
        Chore::Counts(run) => counts::run(&run),
        Chore::Model(run) => model::run(&run),
        Chore::Fuzz(run) => fuzz::run(&run),
        Chore::Soak(run) => soak::run(&run),
        Chore::Full => full::run(),
    };
    match outcome {
        Ok(report) => {
            workspace::say(&report);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            workspace::say(&problem);
            ExitCode::FAILURE
        }
    }
}
