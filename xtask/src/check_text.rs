//! Rules that no other tool checks: file sizes, and marks of unfinished work.

use std::fs;

use crate::workspace::{self, Outcome};

/// A source file longer than this is split; tests and tables apart.
const LONGEST_FILE: usize = 800;

/// Marks that must not reach the main branch. Split, so that this file does not hold them.
const UNFINISHED: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO"), concat!("#[ig", "nore")];

/// Reads every tracked Rust and SQL file.
pub(crate) fn run() -> Outcome {
    let listed = workspace::output("git", &["ls-files", "*.rs", "*.sql"], &[])?;
    let mut problems = Vec::new();
    let mut files = 0;
    for path in String::from_utf8_lossy(&listed).lines() {
        files += 1;
        let text = fs::read_to_string(workspace::root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        let lines = text.lines().count();
        if lines > LONGEST_FILE && !path.contains("/tests/") {
            problems.push(format!("{path}: {lines} lines; split it (at most {LONGEST_FILE})"));
        }
        for (number, line) in text.lines().enumerate() {
            if let Some(mark) = UNFINISHED.iter().find(|mark| line.contains(**mark)) {
                problems.push(format!("{path}:{}: {mark}: finish it or file an issue", number + 1));
            }
        }
    }
    if problems.is_empty() { Ok(format!("{files} files read, all in order")) } else { Err(problems.join("\n")) }
}
