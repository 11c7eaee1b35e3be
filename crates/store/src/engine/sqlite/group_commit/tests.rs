//! What the writer thread does when storage fails.

use domain::{Clock, Entropy, Noun, Timestamp};
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::*;
use crate::{
    counts::Sum,
    engine::{queue, sqlite::migrate::migrate},
};

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }
}

impl Entropy for Still {
    fn fill(&self, _: &mut [u8]) -> Result<()> {
        Ok(())
    }
}

type Answer = oneshot::Receiver<Result<()>>;

/// A request that runs one statement.
fn request(sql: &'static str) -> (Box<dyn Write>, Answer) {
    let ctx = Ctx::system("test", Still.now(), Arc::new(Still));
    queue::request(ctx, Mode::Audited, Metrics::new().writer_busy(), move |tx| {
        Box::pin(async move {
            tx.execute(sql, &[]).await?;
            Ok(())
        })
    })
}

fn session() -> (Session, TempDir) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let mut raw = rusqlite::Connection::open(folder.path().join("test.db")).expect("opens");
    raw.execute_batch("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON").expect("is set");
    migrate(&mut raw).expect("migrates");
    let last = Revision::default();
    let ledger = Arc::new(Ledger::new(last));
    let idle = Arc::default();
    (Session { raw: Arc::new(Mutex::new(raw)), ledger, idle, metrics: Metrics::new(), progress: Progress::default() }, folder)
}

/// Runs the requests together; gives what each was told.
fn together(session: &Session, statements: &[&'static str]) -> Vec<Result<()>> {
    let (batch, answers): (Vec<_>, Vec<_>) = statements.iter().copied().map(request).unzip();
    session.commit_together(batch);
    answers.into_iter().map(|mut answer| answer.try_recv().expect("is answered")).collect()
}

fn number(session: &Session, sql: &str) -> i64 {
    lock(&session.raw).query_row(sql, [], |row| row.get(0)).expect("reads")
}

const GOOD: &str = "INSERT INTO signing_keys VALUES (hex(randomblob(8)), '', x'', '', 0, 0, NULL, 0)";
const KEYS: &str = "SELECT count(*) FROM signing_keys";

/// A foreign key that is only looked at by COMMIT.
const DEFER: &str = "PRAGMA defer_foreign_keys = ON";
const DANGLING: &str = "INSERT INTO repos VALUES (printf('%040d/%016d', 1, 1), printf('%040d', 1), printf('%040d', 1), \
                        'a', '', '', '', '', '', NULL, NULL, 0, 0, 0)";

#[test]
fn a_failed_commit_is_told_to_everybody() {
    let (session, _folder) = session();
    let told = together(&session, &[GOOD, DEFER, DANGLING, GOOD]);
    assert!(told.iter().all(Result::is_err), "{told:?}");
    assert_eq!((number(&session, KEYS), number(&session, "SELECT count(*) FROM audit")), (0, 0));
    let told = together(&session, &[GOOD, GOOD]);
    assert!(told.iter().all(Result::is_ok), "the writer goes on: {told:?}");
    assert_eq!(number(&session, KEYS), 2);
}

#[test]
fn a_full_disk_is_told_and_passes() {
    let (session, _folder) = session();
    let pages = number(&session, "PRAGMA page_count");
    let limit = |pages: i64| lock(&session.raw).pragma_update(None, "max_page_count", pages).expect("is set");
    limit(pages + 8);
    let large = "INSERT INTO signing_keys VALUES ('large', '', zeroblob(1000000), '', 0, 0, NULL, 0)";
    let told = together(&session, &[large]);
    let refused = told[0].as_ref().expect_err("there is no room");
    assert_eq!(refused.kind(), Kind::ResourceExhausted);
    let told = together(&session, &[GOOD, large, GOOD]);
    assert!(told[1].is_err());
    let kept = told.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(number(&session, KEYS), i64::try_from(kept).expect("few"), "what was acknowledged is kept, and nothing else");
    limit(pages + 10_000);
    assert!(together(&session, &[large, GOOD]).iter().all(Result::is_ok));
}

#[test]
fn a_failed_commit_counts_nothing() {
    let (session, _folder) = session();
    let count = || {
        let ctx = Ctx::system("test", Still.now(), Arc::new(Still));
        queue::request(ctx, Mode::Audited, Metrics::new().writer_busy(), |tx| {
            Box::pin(async move { tx.counting(|pending| pending.add("a", Noun::Group, Sum { below: 1, children: 1 })) })
        })
    };
    let (failing, _answers): (Vec<_>, Vec<_>) = [count(), request(DEFER), request(DANGLING)].into_iter().unzip();
    session.commit_together(failing);
    assert_eq!(number(&session, "SELECT count(*) FROM counts"), 0);
    let (kept, _answers): (Vec<_>, Vec<_>) = [count(), count()].into_iter().unzip();
    session.commit_together(kept);
    assert_eq!(number(&session, "SELECT n + children FROM counts WHERE prefix = 'a'"), 4);
}

#[test]
fn who_has_gone_is_not_served() {
    let (session, _folder) = session();
    let (gone, answer) = request(GOOD);
    drop(answer);
    let (served, mut answer) = request(GOOD);
    session.commit_together(vec![gone, served]);
    assert!(answer.try_recv().expect("is answered").is_ok());
    assert_eq!(number(&session, KEYS), 1);
}
