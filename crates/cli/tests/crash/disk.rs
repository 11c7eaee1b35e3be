//! A disk that fails under a server: what was acknowledged is there after the next start, and nothing is there by half.
//!
//! strace makes calls of the server fail. Where it is missing or may not trace, that is said and nothing is tested.

use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use cli::{clock::SystemClock, entropy::SystemEntropy};
use client::{Client, Code, Token};
use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
use domain::Revision;
use store::{Store, StoreConfig, changes, check::check};
use tempfile::TempDir;

use crate::{
    ALONE,
    support::{PROVOST, Server, User, skipped},
};

const WRITERS: usize = 4;
/// Requests of each writer that fail before it gives up.
const FAILURES: usize = 6;
/// How long they may take for that.
const PATIENCE: Duration = Duration::from_mins(1);

/// What came of many writes.
#[derive(Default)]
struct Written {
    acknowledged: BTreeSet<String>,
    /// How many were acknowledged to a writer after one of its own had failed.
    later: usize,
    errors: Vec<Code>,
}

/// Every flush fails from some point on: from then on nothing may be acknowledged.
#[test]
fn nothing_is_acknowledged_that_was_not_flushed() {
    let Some(written) = survive("fdatasync,fsync:error=EIO:when=60+") else { return };
    assert_eq!(written.later, 0, "{:?}", written.errors);
    assert!(written.errors.iter().all(|code| *code == Code::Unavailable), "{:?}", written.errors);
}

/// A write to the disk fails now and then: what is acknowledged in between is there.
#[test]
fn what_was_acknowledged_between_failures_is_there() {
    let Some(written) = survive("pwrite64:error=EIO:when=1200+151") else { return };
    assert!(written.later > 0, "{:?}", written.errors);
    assert!(written.errors.iter().all(|code| *code == Code::Unavailable), "{:?}", written.errors);
}

#[test]
fn a_full_disk_loses_nothing() {
    let Some(written) = survive("pwrite64:error=ENOSPC:when=1200+") else { return };
    assert_eq!(written.later, 0, "{:?}", written.errors);
    let tells = |code: &Code| [Code::ResourceExhausted, Code::Unavailable].contains(code);
    assert!(written.errors.iter().all(tells) && written.errors.contains(&Code::ResourceExhausted), "{:?}", written.errors);
}

/// Writes to a server whose calls fail as `fault` says, in the words of strace, kills it, and looks at what is left.
fn survive(fault: &str) -> Option<Written> {
    let traced = Command::new("strace").args(["-D", "-f", "-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    if !traced.is_ok_and(|status| status.success()) {
        skipped("strace, with the right to trace,");
        return None;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let data = TempDir::new().expect("a folder");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    // The server is the child, and strace watches from aside: the calls that fail and no others, or it would hold up all of them.
    let (calls, _) = fault.split_once(':').expect("calls and what happens to them");
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "-qq", "-o", "/dev/null"]);
    // Those on the journal alone: a checkpoint that fails is made again with every commit, and would take most of the faults.
    command.arg("-P").arg(data.path().join("provost.db-wal"));
    command.args(["-e", &format!("trace={calls}"), "-e", &format!("inject={fault}"), PROVOST]);
    command.args(["serve", "--dev", "--listen", "127.0.0.1:0", "--data"]).arg(data.path()).env_remove("PROVOST_DATABASE");
    let mut server = Server::of({
        command.stderr(Stdio::null());
        command
    });
    let token = Token::new(User::admin(&server).done(&["auth", "token"]));
    let written = runtime.block_on(async {
        let writers = (0..WRITERS).map(|number| {
            let (url, token, organization) = (server.url.clone(), token.clone(), server.organization.clone());
            tokio::spawn(async move { write(&url, token, &organization, number).await })
        });
        let mut all = Written::default();
        for writer in writers.collect::<Vec<_>>() {
            let one = writer.await.expect("a writer");
            all.acknowledged.extend(one.acknowledged);
            all.later += one.later;
            all.errors.extend(one.errors);
        }
        all
    });
    server.kill();
    let there = runtime.block_on(created(&StoreConfig::sqlite(data.path())));
    assert!(written.acknowledged.len() > 20, "only {} were acknowledged", written.acknowledged.len());
    let lost: Vec<_> = written.acknowledged.difference(&there).collect();
    assert_eq!(lost, Vec::<&String>::new(), "acknowledged and lost");
    Some(written)
}

/// Writes until enough requests have failed.
async fn write(url: &str, token: Token, organization: &str, writer: usize) -> Written {
    let client = Client::connect(url, Some(token)).await.expect("a server");
    let (mut written, begin) = (Written::default(), Instant::now());
    for number in 0.. {
        let group = Some(Group { name: format!("w{writer}-{number}"), ..Group::default() });
        match client.call::<CreateGroup>(CreateGroupRequest { parent: organization.to_owned(), group }).await {
            Ok(group) => {
                written.later += usize::from(!written.errors.is_empty());
                written.acknowledged.insert(group.uid);
            }
            Err(error) => written.errors.push(error.code()),
        }
        if written.errors.len() >= FAILURES {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "too little fails");
    }
    written
}

/// What was made, in a store that agrees with itself.
async fn created(config: &StoreConfig) -> BTreeSet<String> {
    let store = Store::open(config, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await.expect("opens");
    assert_eq!(check(&store, |_, _| ()).await.expect("looks").findings, []);
    let changes = changes::since(&mut store.reader().await.expect("a snapshot"), Revision(0), u32::MAX).await.expect("the feed");
    store.close().await;
    changes.into_iter().map(|change| change.uid).collect()
}
