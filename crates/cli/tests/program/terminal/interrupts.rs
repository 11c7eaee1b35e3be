//! Ctrl-C and SIGTERM, anywhere.

use std::{
    io::{Read, Write},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use super::Terminal;
use crate::support::{PROVOST, Server, User};

#[test]
fn in_a_choice() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    for line in ["provost iam folders create x", "provost iam organizations delete dev"] {
        let mut terminal = Terminal::run(&user, 200, line);
        terminal.sees("?");
        terminal.ctrl_c();
        // The cursor comes back.
        terminal.sees("\x1b[?25h");
        assert_eq!(terminal.ends().0, 130, "{line}");
    }
    assert_eq!(user.id(&["iam", "organizations", "list"]), server.organization);
}

#[test]
fn while_the_program_reads_its_input() {
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.args(["auth", "login", "--identity-token", "-"]).stdin(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // More than a pipe holds: once that is written, the program is reading.
    let mut input = child.stdin.take().expect("its input");
    input.write_all(&vec![b'x'; 300_000]).expect("it reads");
    signal(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(!user.home.path().join(".cache").exists());
}

#[test]
fn while_a_server_is_silent() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let user = User::nowhere();
    let mut terminal = Terminal::with(&user, 80, &format!("provost iam folders list --api {url}"), &[("PROVOST_TOKEN", "a.b.c")]);
    let (mut connection, _) = silent.accept().expect("the program connects");
    connection.read_exact(&mut [0; 24]).expect("it speaks first");
    // It has waited long enough for the progress line.
    terminal.sees("groups (");
    terminal.ctrl_c();
    let (code, told) = terminal.ends();
    assert_eq!(code, 130, "{told}");
    assert!(told.contains("\x1b[2K"), "the progress line goes: {told:?}");
}

#[test]
fn sigterm_has_a_code_of_its_own() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.args(["iam", "folders", "list", "--api", &url]).env("PROVOST_TOKEN", "a.b.c");
    for (name, code) in [("TERM", 143), ("INT", 130)] {
        let mut child = command.spawn().expect("it starts");
        let (_connection, _) = silent.accept().expect("the program connects");
        signal(&child, name);
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{name}");
    }
}

fn signal(child: &Child, name: &str) {
    let done = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill");
    assert!(done.success());
}
