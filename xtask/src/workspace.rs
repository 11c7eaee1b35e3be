//! Where the workspace is, what it holds, and how chores run programs and speak.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
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

/// What a program run in the workspace's root writes to standard output.
pub(crate) fn output(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Vec<u8>, String> {
    let mut command = Command::new(program);
    let output = command.args(arguments).envs(environment.iter().copied()).current_dir(root()).stderr(Stdio::inherit()).output();
    match output {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => Err(format!("`{program} {}` failed: {}", arguments.join(" "), output.status)),
        Err(error) => Err(format!("`{program}` did not start: {error}")),
    }
}

/// A compiler, as far as it decides which instructions it writes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    /// Such as `1.95.0`.
    pub(crate) release: String,
    /// The target triple of the machine that it runs on.
    pub(crate) host: String,
}

/// The compiler that cargo uses in this environment.
pub(crate) fn compiler(environment: &[(&str, &str)]) -> Result<Compiler, String> {
    let about = output("rustc", &["-vV"], environment)?;
    let about = String::from_utf8_lossy(&about);
    let field = |name: &str| {
        let value = about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.map(str::to_owned).ok_or_else(|| format!("rustc tells no {name}"))
    };
    Ok(Compiler { release: field("release")?, host: field("host")? })
}
