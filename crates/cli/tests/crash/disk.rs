//! A disk that fails under a server: what was acknowledged is there after the next start, what was refused is not, and nothing is
//! there by half.
//!
//! strace makes calls of the server fail. Where it is missing or may not trace, that is said and nothing is tested.

use std::{
    collections::BTreeSet,
    fs,
    process::{Command, Stdio},
    sync::PoisonError,
    time::{Duration, Instant},
};

use client::{Client, Code, Token};
use tempfile::TempDir;

use crate::{
    ALONE,
    creations::{Creation, What},
    found,
    known::{Known, Unanswered},
    rows,
    support::{PROVOST, Server, User, skipped},
    victims::Place,
};

const WRITERS: usize = 4;
/// Requests of each writer that fail before it gives up.
const FAILURES: usize = 6;
/// How long they may take for that.
const PATIENCE: Duration = Duration::from_mins(1);

/// The journal, which every commit is written to.
const JOURNAL: &str = "provost.db-wal";
/// What the journal is folded into now and then.
const DATABASE: &str = "provost.db";

/// What came of many writes.
#[derive(Default)]
struct Written {
    known: Known,
    acknowledged: usize,
    /// How many were acknowledged to a writer after one of its own had failed.
    later: usize,
    errors: Vec<Code>,
    /// What was refused as not applied.
    refused: BTreeSet<String>,
}

/// Every flush fails from some point on: from then on nothing may be acknowledged.
#[test]
fn nothing_is_acknowledged_that_was_not_flushed() {
    let Some((written, _)) = survive(JOURNAL, &["fdatasync,fsync:error=EIO:when=60+"], usize::MAX) else { return };
    assert_eq!(written.later, 0, "{:?}", written.errors);
    assert!(written.errors.iter().all(|code| *code == Code::Unavailable), "{:?}", written.errors);
}

/// A write to the disk fails now and then: what is acknowledged in between is there.
#[test]
fn what_was_acknowledged_between_failures_is_there() {
    let Some((written, _)) = survive(JOURNAL, &["pwrite64:error=EIO:when=1200+151"], usize::MAX) else { return };
    assert!(written.later > 0, "{:?}", written.errors);
    assert!(written.errors.iter().all(|code| *code == Code::Unavailable), "{:?}", written.errors);
}

#[test]
fn a_full_disk_loses_nothing() {
    let Some((written, _)) = survive(JOURNAL, &["pwrite64:error=ENOSPC:when=1200+"], usize::MAX) else { return };
    assert_eq!(written.later, 0, "{:?}", written.errors);
    let tells = |code: &Code| [Code::ResourceExhausted, Code::Unavailable].contains(code);
    assert!(written.errors.iter().all(tells) && written.errors.contains(&Code::ResourceExhausted), "{:?}", written.errors);
}

/// The journal cannot be folded into the database, at a write or at the flush, and is kept instead: nobody notices.
#[test]
fn a_checkpoint_that_fails_loses_nothing() {
    let faults = ["pwrite64:error=EIO:when=100+401", "fdatasync,fsync:error=EIO:when=2+2"];
    let Some((written, failed)) = survive(DATABASE, &faults, 150) else { return };
    assert_eq!(written.errors, []);
    assert!(["pwrite64", "sync"].iter().all(|call| failed.contains(call)), "too little fails:\n{failed}");
}

/// Writes to a server whose calls on a file fail as `faults` say, in the words of strace, kills it, and looks at what is left.
/// Each writer makes so many requests `at_most`. Answers also the calls that have failed.
fn survive(file: &str, faults: &[&str], at_most: usize) -> Option<(Written, String)> {
    let traced = Command::new("strace").args(["-D", "-f", "-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    if !traced.is_ok_and(|status| status.success()) {
        skipped("strace, with the right to trace,");
        return None;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (place, aside) = (Place::new(None), TempDir::new().expect("a folder"));
    let trace = aside.path().join("trace");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    // The server is the child, and strace watches from aside: the calls that fail and no others, or it would hold up all of them.
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "-qq", "-o"]).arg(&trace);
    // Those on one file alone: a checkpoint that fails is made again with every commit, and would take most of the faults.
    command.arg("-P").arg(place.data.path().join(file));
    let calls: Vec<_> = faults.iter().filter_map(|fault| fault.split_once(':')).map(|(calls, _)| calls).collect();
    command.args(["-e", &format!("trace={}", calls.join(","))]);
    command.args(faults.iter().flat_map(|fault| ["-e".to_owned(), format!("inject={fault}")]));
    command.args([PROVOST, "serve", "--dev", "--listen", "127.0.0.1:0", "--data"]).arg(place.data.path());
    command.env_remove("PROVOST_DATABASE").stderr(Stdio::null());
    let mut server = Server::of(command);
    let token = Token::new(User::admin(&server).done(&["auth", "token"]));
    let (listen, organization) = (server.listen().to_owned(), server.organization.clone());
    let mut written = runtime.block_on(async {
        let client = Client::connect(&server.url, Some(token.clone())).await.expect("a server");
        let known = Known::of(&found::listed(&client, &organization).await);
        let mut all = Written { known, ..Written::default() };
        let writers = (0..WRITERS).map(|number| {
            let (url, token, organization) = (server.url.clone(), token.clone(), organization.clone());
            tokio::spawn(async move { write(&url, token, &organization, number, at_most).await })
        });
        for writer in writers.collect::<Vec<_>>() {
            let one = writer.await.expect("a writer");
            all.known.extend(one.known);
            all.acknowledged += one.acknowledged;
            all.later += one.later;
            all.errors.extend(one.errors);
            all.refused.extend(one.refused);
        }
        all
    });
    server.kill();
    assert!(written.acknowledged > 20, "only {} were acknowledged", written.acknowledged);
    let behind = runtime.block_on(found::behind_the_api(&place.store()));
    let server = place.start(&listen);
    runtime.block_on(async {
        let client = Client::connect(&server.url, Some(token)).await.expect("a server");
        let found = found::everything(&client, &organization, &behind).await;
        let applied: Vec<_> = found.values().filter(|row| written.refused.contains(*row)).collect();
        assert_eq!(applied, Vec::<&String>::new(), "refused as not applied, and there");
        written.known.settle(&found);
    });
    let trace = fs::read_to_string(trace).expect("a trace");
    let failed: Vec<_> = trace.lines().filter(|line| line.ends_with("(INJECTED)")).collect();
    Some((written, failed.join("\n")))
}

/// Writes until enough requests have failed, or were made.
async fn write(url: &str, token: Token, organization: &str, writer: usize, at_most: usize) -> Written {
    let client = Client::connect(url, Some(token)).await.expect("a server");
    let (mut written, begin) = (Written::default(), Instant::now());
    for number in 0..at_most {
        let name = format!("w{writer}-{number}");
        let refused = rows::group(&name, "");
        let creation = Creation { parent: organization.to_owned(), what: What::Group(name), key: None };
        match creation.send(&client).await {
            Ok(made) => {
                written.acknowledged += 1;
                written.later += usize::from(!written.errors.is_empty());
                written.known.made(made);
            }
            Err(error) => {
                written.errors.push(error.code());
                match error.code() {
                    Code::ResourceExhausted => _ = written.refused.insert(refused),
                    _ => written.known.unanswered(Unanswered::Creation(creation)),
                }
            }
        }
        if written.errors.len() >= FAILURES {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "too little fails");
    }
    written
}
