//! How long work gets on.

use tempfile::TempDir;

use super::Terminal;
use crate::{
    engine,
    support::{Server, User},
};

/// Clears a line.
const CLEARED: &str = "\x1b[2K";

#[test]
fn backups_and_restores_show_their_rows_while_they_work() {
    let (data, to) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let server = Server::start(data.path());
    let user = User::nowhere();
    // A server that stands still answers nothing, and the backup waits.
    server.signal("STOP");
    let start = |data: &TempDir, command: &str| {
        let (line, variables) = (format!("{command} --data {}", data.path().display()), engine::variables(data.path()));
        let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Terminal::with(&user, 80, &line, &variables)
    };
    let mut terminal = start(&data, "provost admin backup file");
    terminal.sees("backing up rows");
    server.signal("CONT");
    let (code, told) = terminal.ends();
    assert_eq!(code, 0, "{told}");
    let (_, after) = told.rsplit_once(CLEARED).expect("the bar goes");
    assert!(after.contains("file: file") && !after.contains("backing up"), "{told:?}");

    std::fs::copy(data.path().join("key"), to.path().join("key")).expect("copied");
    let mut terminal = start(&to, "provost admin restore file");
    terminal.sees("checking rows");
    terminal.sees("restoring rows");
    let (code, told) = terminal.ends();
    assert_eq!(code, 0, "{told}");
    let (_, after) = told.rsplit_once(CLEARED).expect("the bar goes");
    assert!(after.contains("file: file") && !after.contains("restoring"), "{told:?}");

    let piped = user.run_on(data.path(), &["admin", "backup", "other"]);
    assert!(piped.code == 0 && !piped.stderr.contains("rows"), "nothing moves where there is no terminal: {}", piped.stderr);
}
