//! What the documents tell people to type works, and answers what they say.
//!
//! The README's blocks marked `sh tour` run in order, in one shell, against a server of their own; those of docs/operate that
//! are marked `sh run` make everything that they need, one shell per document in an empty folder. The `text` block after one
//! is what it prints. With `PROVOST_TEST_DATABASE=postgres` the same commands run on PostgreSQL. UIDs, times, tokens and ports count by their kind alone, and `…` stands for anything within a line.

mod limits;
mod page;
mod place;
mod recipes;
mod shape;

use std::{
    env, fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use self::{page::Page, place::Place, shape::assert_same};

/// The address that the documents speak of.
const ADDRESS: &str = "127.0.0.1:8080";

#[test]
fn the_tour_works_as_written() {
    if !can_run() {
        eprintln!("SKIPPED: the tour of the README was not tested: curl or bash is missing");
        return;
    }
    let readme = Page::parse(include_str!("../../../../README.md"), "sh tour");
    assert!(readme.steps.len() >= 5, "the tour has {} blocks", readme.steps.len());
    let place = Place::new();
    let server = Server::start(&place, &readme.start);
    run(&readme, &place, &server.address);
}

#[test]
fn what_operators_are_told_works_as_written() {
    if !can_run() {
        eprintln!("SKIPPED: docs/operate was not tested: curl or bash is missing");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operate");
    let mut steps = 0;
    for entry in fs::read_dir(folder).expect("the documents") {
        let path = entry.expect("an entry").path();
        let page = Page::parse(&fs::read_to_string(&path).expect("text"), "sh run");
        if page.steps.is_empty() {
            continue;
        }
        eprintln!("{}", path.display());
        let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        run(&page, &Place::new(), &free.to_string());
        steps += page.steps.len();
    }
    assert!(steps >= 8, "there are {steps} blocks to run");
}

/// Runs the steps in `place` and compares what they print.
fn run(page: &Page, place: &Place, address: &str) {
    let script = page.script().replace(ADDRESS, address);
    // A step that waits for what never comes ends as well.
    let mut bash = command("timeout", place.path());
    // On another port than the default, commands have to be told the server.
    bash.env("PROVOST_API", format!("http://{address}"));
    let output = bash.args(["120", "bash", "-euo", "pipefail", "-c", &script]).output().expect("bash runs");
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "the steps stopped with {}:\n{told}", output.status);
    for (step, told) in page.steps.iter().zip(Page::split(&told)) {
        assert_same(&step.commands, &step.answer, &place.as_on_sqlite(told));
    }
}

fn can_run() -> bool {
    let can = there_is("curl") && there_is("bash");
    assert!(can || env::var_os("PROVOST_TEST_REQUIRE").is_none(), "the documents need curl and bash");
    can
}

/// A server in dev mode that has said what the README says.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(place: &Place, banner: &str) -> Self {
        let mut command = command("provost", place.path());
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let told: Vec<_> = lines.take(banner.lines().count()).map(|line| line.expect("text")).collect();
        let address = told.first().and_then(|line| line.strip_prefix("ready on http://")).expect("ready on URL").to_owned();
        let server = Self { child, address };
        // On another port than the default, the commands name the server.
        let told = told.join("\n").replace(&format!(" --api http://{}", server.address), "");
        // The README's server is not on the PATH yet.
        assert_same("the start", &banner.replace("target/release/provost", "provost"), &place.as_on_sqlite(&told));
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
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", place)
        .env("NO_PROXY", "*")
        .env("PROVOST_METRICS_LISTEN", "off")
        .env("PROVOST_LIMITS_READY_DRAIN", "0s")
        .current_dir(place)
        .stdin(Stdio::null());
    command
}

fn there_is(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}
