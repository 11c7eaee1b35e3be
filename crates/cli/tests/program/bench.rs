//! `provost bench`, as far as nobody has to wait for it: CI runs the whole of it on the release.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::support::PROVOST;

#[test]
fn an_interrupt_leaves_neither_data_nor_servers() {
    let place = TempDir::new().expect("a folder");
    let mut bench = Command::new(PROVOST);
    bench.args(["bench", "--quick", "--data"]).arg(place.path()).env_clear();
    let mut bench = bench.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until(|| !processes(place.path(), "serve").is_empty());
    assert_eq!(entries(place.path()), 1);
    let kill = Command::new("kill").args(["-INT", &bench.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    assert_eq!(bench.wait().expect("it ends").code(), Some(130));
    wait_until(|| processes(place.path(), "serve").is_empty());
    assert_eq!(entries(place.path()), 0);
}

#[test]
fn a_place_that_is_none_is_named() {
    let output = Command::new(PROVOST).args(["bench", "--data", "/dev/null/x"]).env_clear().output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), told.starts_with("error: cannot write to /dev/null/x: ")), (Some(1), true), "{told}");
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

/// The processes with this word and something in the folder on their command lines.
fn processes(folder: &Path, word: &str) -> Vec<String> {
    let lines = fs::read_dir("/proc").expect("a system with /proc").filter_map(|entry| {
        // One that has ended meanwhile has no line any more.
        let line = fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    let place = folder.to_string_lossy().into_owned();
    lines.filter(|line| line.contains(&place) && line.contains(&format!(" {word} "))).collect()
}

fn wait_until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_mins(1), "it never came to that");
        std::thread::sleep(Duration::from_millis(5));
    }
}
