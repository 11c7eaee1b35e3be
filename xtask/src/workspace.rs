//! Where the workspace is, what it holds, and how chores run programs and speak.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

/// What a chore answers: a line for people, or what is wrong and what to do.
pub(crate) type Outcome = Result<String, String>;

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Prints a line.
pub(crate) fn say(line: &str) {
    // Nobody is left to tell when standard output is gone.
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Runs a program in the workspace's root and fails with its name when it does.
pub(crate) fn run(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let line = format!("{program} {}", arguments.join(" "));
    say(&format!("$ {line}"));
    let status = Command::new(program).args(arguments).envs(environment.iter().copied()).current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{line}` failed: {status}")),
        Err(error) => Err(format!("`{line}` did not start: {error}")),
    }
}

/// The output of a program run in the workspace's root.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    match output {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => Err(format!("`{program}` failed: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("`{program}` did not start: {error}")),
    }
}
