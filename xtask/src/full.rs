//! The long forms of the suites: what continuous integration runs short, run long, and optimized.

use crate::{
    counts, fuzz, soak,
    workspace::{self, Outcome},
};

/// A long form: what cargo is told to test, and the switches that make it long.
struct Form {
    arguments: &'static [&'static str],
    switches: &'static [(&'static str, &'static str)],
}

const FORMS: &[Form] = &[
    // Sixteen times the random cases.
    Form { arguments: &["--workspace", "--exclude", "e2e", "--lib", "--tests"], switches: &[("PROPTEST_CASES", "4096")] },
    // Seven times the kills. Each takes about a second, so more of them are left to who has the hours.
    Form { arguments: &["--workspace", "--test", "crash"], switches: &[("PROVOST_TEST_KILLS", "60")] },
    // Twenty times the histories.
    Form { arguments: &["--workspace", "--test", "door", "--", "model::"], switches: &[("PROVOST_TEST_STEPS", "200000")] },
    // Ten times the events, for five times the sinks.
    Form {
        arguments: &["--workspace", "--test", "door", "--", "deliveries::crowd", "--nocapture"],
        switches: &[("PROVOST_TEST_EVENTS", "long")],
    },
    // How long answers take that must not be told apart.
    Form {
        arguments: &["--workspace", "--test", "door", "--", "oracles::", "--test-threads=1"],
        switches: &[("PROVOST_TEST_ROUNDS", "2000")],
    },
    // What filters read beside a million rows of each noun.
    Form {
        arguments: &["--workspace", "--test", "engines", "--", "postgres::filters::"],
        switches: &[("PROVOST_TEST_ROWS", "1000000")],
    },
    // What the program prints, which does not depend on the engine.
    Form { arguments: &["--workspace", "--test", "program"], switches: &[("PROVOST_TEST_DATABASE", "postgres")] },
    // The feature that the shipped program is built without.
    Form { arguments: &["--workspace", "--features", "cli/otel", "--test", "otel"], switches: &[] },
    // Every input for every method from everybody every way, and the neighbour's times beside those it has alone.
    Form { arguments: NEIGHBOURS, switches: &[LONG] },
    Form { arguments: NEIGHBOURS, switches: &[LONG, ("PROVOST_TEST_DATABASE", "postgres")] },
];

const NEIGHBOURS: &[&str] = &["--workspace", "--test", "neighbours", "--", "--nocapture"];
const LONG: (&str, &str) = ("PROVOST_TEST_NEIGHBOURS", "long");

/// How long each fuzz target runs.
const FUZZ_SECONDS: u32 = 120;

/// Lints the program with its optional feature, runs the forms one after the other, then counts instructions, then fuzzing, the official Terraform provider, the pages of nouns, the attacks on the documented API, the figures on PostgreSQL and the soak, and stops at the first that fails.
pub(crate) fn run() -> Outcome {
    let lints = [
        "clippy",
        "--workspace",
        "--features",
        "cli/otel",
        "--lib",
        "--bins",
        "--test",
        "otel",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    workspace::run("cargo", &lints, &[])?;
    for form in FORMS {
        workspace::run("cargo", &[&["test", "--profile", "full"], form.arguments].concat(), form.switches)?;
    }
    workspace::say(&counts::run(&counts::Run::default())?);
    workspace::say(&fuzz::run(&fuzz::Run { target: None, seconds: FUZZ_SECONDS, seed: None, build: false })?);
    workspace::run("cargo", &["build", "--profile", "dist", "--locked"], &[])?;
    let program = workspace::root().join("target/dist/provost");
    for (database, algorithm) in [("sqlite", "ES256"), ("postgres", "RS256")] {
        let environment = [
            ("PROVOST", &*program.to_string_lossy()),
            ("PROVOST_TEST_DATABASE", database),
            ("PROVOST_TOKEN_ALGORITHM", algorithm),
            ("PROVOST_TEST_REQUIRE", "1"),
        ];
        for suite in [&["terraform"][..], &["terraform", "-v"], &["docs-terraform"], &["docs"], &["openapi"]] {
            workspace::run("e2e/clients/run", suite, &environment)?;
        }
    }
    for what in ["postgres", "soak"] {
        workspace::run("e2e/bench/check", &["target/dist/provost", what], &[])?;
    }
    workspace::say(&soak::run(&soak::Run { minutes: 10 })?);
    Ok(format!("{} long forms, fuzzing, Terraform, the figures on PostgreSQL and the soak passed", FORMS.len()))
}
