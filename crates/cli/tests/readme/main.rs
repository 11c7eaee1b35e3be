//! The README's tour: what it tells people to type works, and answers what it says.
//!
//! Blocks marked `sh tour` run in order, in one shell, against a server of their own; the `text` block after one is what it
//! prints. UIDs, times, tokens and ports count by their kind alone, and `…` stands for anything within a line.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]
#![expect(clippy::disallowed_methods, reason = "PATH and PROVOST_TEST_REQUIRE come from the environment")]

mod readme;
mod shape;

use std::{
    env,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    path::Path,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{readme::Readme, shape::assert_same};

/// The address that the README speaks of.
const ADDRESS: &str = "127.0.0.1:8080";

#[test]
fn the_tour_works_as_written() {
    if !there_is("curl") || !there_is("bash") {
        assert!(env::var_os("PROVOST_TEST_REQUIRE").is_none(), "the tour needs curl and bash");
        eprintln!("SKIPPED: the tour of the README was not tested: curl or bash is missing");
        return;
    }
    let readme = Readme::read();
    assert!(readme.tour.len() >= 5, "the tour has {} blocks", readme.tour.len());
    let place = TempDir::new().expect("a folder");
    symlink(env!("CARGO_BIN_EXE_provost"), place.path().join("provost")).expect("a link");

    let server = Server::start(place.path(), &readme.start);
    let script = readme.script().replace(ADDRESS, &server.address);
    let output = command("bash", place.path()).args(["-euo", "pipefail", "-c", &script]).output().expect("bash runs");
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "the tour stopped with {}:\n{told}", output.status);
    for (step, told) in readme.tour.iter().zip(Readme::split(&told)) {
        assert_same(&step.commands, &step.answer, told);
    }
}

/// A server in dev mode that has said what the README says.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(place: &Path, banner: &str) -> Self {
        let mut command = command("provost", place);
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let told: Vec<_> = lines.take(banner.lines().count()).map(|line| line.expect("text")).collect();
        let address = told.first().and_then(|line| line.strip_prefix("ready on http://")).expect("ready on URL").to_owned();
        let server = Self { child, address };
        // On another port than the default, the commands name the server.
        let told = told.join("\n").replace(&format!(" --api http://{}", server.address), "");
        // The README's server is not on the PATH yet.
        assert_same("the start", &banner.replace("target/release/provost", "provost"), &told);
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program in the empty world of a new user, who works in `place` and has `provost` on the path.
fn command(program: &str, place: &Path) -> Command {
    let path = format!("{}:{}", place.display(), env::var("PATH").unwrap_or_default());
    let mut command = Command::new(if program == "provost" { place.join(program) } else { program.into() });
    command.env_clear().env("PATH", path).env("HOME", place).env("NO_PROXY", "*").current_dir(place).stdin(Stdio::null());
    command
}

fn there_is(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}
