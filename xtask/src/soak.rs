//! A server under full load for minutes: nothing of it may grow.

use serde_json::Value;

use crate::workspace::{self, Outcome};

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// For how many minutes.
    #[arg(long, default_value_t = 10)]
    pub(crate) minutes: u64,
}

/// Soaks the program as it is shipped and fails when a figure misses its budget.
pub(crate) fn run(run: &Run) -> Outcome {
    let minutes = run.minutes.to_string();
    workspace::run("cargo", &["build", "--profile", "dist", "--locked", "--package", "cli", "--package", "bench"], &[])?;
    let told = workspace::output("target/dist/bench", &["soak", "--minutes", &minutes], &[])?;
    let rows: Vec<Value> = serde_json::from_slice(&told).map_err(|error| error.to_string())?;
    let (mut short, mut told) = (0, Vec::new());
    for row in &rows {
        short += usize::from(row.get("verdict").and_then(Value::as_str) != Some("ok"));
        let texts = ["case", "ours", "reference", "ratio", "budget", "verdict"].map(|key| match row.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        });
        told.push(texts.join(" | "));
    }
    let told = told.join("\n");
    if short == 0 && !rows.is_empty() { Ok(format!("{told}\nnothing grows in {minutes} minutes")) } else { Err(told) }
}
