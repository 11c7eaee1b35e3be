//! Golden files: generated documents that are committed, reviewed as code, and compared on every run.

use std::{env, fs, path::Path};

/// Compares `content` with the committed file at `path` (from the repository's root), or writes it there when
/// `PROVOST_GOLDEN=write` is set, as `cargo xtask gen` does.
///
/// Panics with the first differing line.
#[expect(clippy::disallowed_methods, reason = "the switch belongs to the test run, not to the program's configuration")]
pub fn golden(path: &str, content: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if env::var("PROVOST_GOLDEN").is_ok_and(|mode| mode == "write") {
        fs::write(&file, content).unwrap_or_else(|error| panic!("{path}: {error}"));
        return;
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    if committed != content {
        let differing = committed.lines().zip(content.lines()).position(|(a, b)| a != b);
        let line = differing.unwrap_or_else(|| committed.lines().count().min(content.lines().count()));
        panic!(
            "{path} is out of date from line {}: committed {:?}, now {:?}; run `cargo xtask gen` and review the change",
            line + 1,
            committed.lines().nth(line).unwrap_or_default(),
            content.lines().nth(line).unwrap_or_default(),
        );
    }
}
