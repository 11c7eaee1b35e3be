//! `provost bench`, as far as nobody has to wait for it: CI runs the whole of it on the program as it is shipped.

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
fn an_interrupt_leaves_nothing_in_the_database_either() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (database, place) = (cluster.database(), TempDir::new().expect("a folder"));
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'provost%'";
    let mut bench = Command::new(PROVOST);
    bench.args(["bench", "--quick", "--database", &database.url(), "--data"]).arg(place.path());
    // Where pgbench is.
    bench.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut bench = bench.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until(|| database.sql(tables).trim() != "0");
    let kill = Command::new("kill").args(["-TERM", &bench.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    assert_eq!(bench.wait().expect("it ends").code(), Some(143));
    assert_eq!((database.sql(schemas).trim(), database.sql(tables).trim(), entries(place.path())), ("0", "0", 0));
}

#[test]
fn without_pgbench_it_says_what_to_install() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (database, place) = (cluster.database(), TempDir::new().expect("a folder"));
    let mut bench = Command::new(PROVOST);
    bench.args(["bench", "--quick", "--database", &database.url(), "--data"]).arg(place.path());
    let output = bench.env_clear().env("PATH", place.path()).output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), told.contains("apt-get install postgresql")), (Some(1), true), "{told}");
    assert_eq!(
        (database.sql("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'provost%'").trim(), entries(place.path())),
        ("0", 0)
    );
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
