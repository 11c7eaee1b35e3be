//! What the writer thread does when storage fails.

use domain::Revision;
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::*;
use crate::{
    param::Param,
    queue,
    sqlite::{folder::DATABASE, migrate::migrate},
    steps::Step,
    sums::Batch,
};

const STEPS: &[Step] = &[Step {
    name: "things",
    sqlite: "CREATE TABLE revision (n INTEGER NOT NULL, head BLOB); INSERT INTO revision VALUES (0, NULL); \
             CREATE TABLE things (name TEXT PRIMARY KEY, content BLOB); \
             CREATE TABLE parts (thing TEXT REFERENCES things (name)); \
             CREATE TABLE sums (name TEXT PRIMARY KEY, n INTEGER NOT NULL)",
    postgres: "",
}];

/// One number that requests add to.
#[derive(Debug, Default)]
struct Number {
    kept: Mutex<i64>,
    own: Mutex<i64>,
}

impl Number {
    fn of(number: &Mutex<i64>) -> i64 {
        std::mem::take(&mut number.lock().expect("nobody has panicked"))
    }
}

impl Sums for Number {
    fn begin(&self, _: Option<&[u8]>) {
        Self::of(&self.kept);
        Self::of(&self.own);
    }

    fn keep(&self) {
        *self.kept.lock().expect("nobody has panicked") += Self::of(&self.own);
    }

    fn undo(&self) {
        Self::of(&self.own);
    }

    fn take(&self) -> Vec<Batch> {
        let sql = "INSERT INTO sums VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n";
        let rows = match Self::of(&self.kept) {
            0 => Vec::new(),
            n => vec![vec!["a".into(), Param::Int(n)]],
        };
        vec![Batch { row: sql, lists: None, rows }]
    }

    fn head(&self) -> Option<Vec<u8>> {
        None
    }
}

type Answer = oneshot::Receiver<Result<()>>;
type Request = (Box<dyn Write<Connection>>, Answer);

fn job() -> Job {
    Job { method: "test", request_id: "1".into(), only_tries: false }
}

/// A request that runs one statement and takes a revision.
fn request(sql: &'static str) -> Request {
    queue::request(job(), Metrics::default().writer_busy(), move |mut connection: Connection| async move {
        connection.next_revision()?;
        connection.execute(sql, &[])?;
        Ok(())
    })
}

/// A request that adds one.
fn count(number: &Arc<Number>, fails: bool) -> Request {
    let number = Arc::clone(number);
    queue::request(job(), Metrics::default().writer_busy(), move |_: Connection| async move {
        *number.own.lock().expect("nobody has panicked") += 1;
        if fails { Err(Error::internal("refused")) } else { Ok(()) }
    })
}

fn session() -> (Session, Arc<Number>, TempDir) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let mut raw = rusqlite::Connection::open(folder.path().join(DATABASE)).expect("opens");
    raw.execute_batch("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON").expect("is set");
    migrate(&mut raw, STEPS).expect("migrates");
    let (number, files) = (Arc::<Number>::default(), Arc::new(Files::of(folder.path()).expect("files")));
    let sums = Arc::<Number>::clone(&number);
    let session = Session::new(raw, Revision::default(), sums, Arc::default(), files, Metrics::default());
    (session, number, folder)
}

/// Runs the requests together; gives what each was told.
fn together(session: &Session, requests: impl IntoIterator<Item = Request>) -> Vec<Result<()>> {
    let (batch, answers): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
    session.commit_together(batch);
    answers.into_iter().map(|mut answer| answer.try_recv().expect("is answered")).collect()
}

fn number(session: &Session, sql: &str) -> i64 {
    lock(&session.raw).query_row(sql, [], |row| row.get(0)).expect("reads")
}

const GOOD: &str = "INSERT INTO things VALUES (hex(randomblob(8)), NULL)";
const THINGS: &str = "SELECT count(*) FROM things";
const REVISION: &str = "SELECT n FROM revision";
const SUM: &str = "SELECT coalesce(sum(n), 0) FROM sums";

/// A foreign key that is only looked at by COMMIT.
const DEFER: &str = "PRAGMA defer_foreign_keys = ON";
const DANGLING: &str = "INSERT INTO parts VALUES ('none')";

#[test]
fn a_failed_commit_is_told_to_everybody() {
    let (session, _, _folder) = session();
    let told = together(&session, [GOOD, DEFER, DANGLING, GOOD].map(request));
    assert!(told.iter().all(Result::is_err), "{told:?}");
    assert_eq!((number(&session, THINGS), number(&session, REVISION)), (0, 0));
    let told = together(&session, [GOOD, GOOD].map(request));
    assert!(told.iter().all(Result::is_ok), "the writer goes on: {told:?}");
    assert_eq!(number(&session, THINGS), 2);
}

#[test]
fn a_full_disk_is_told_and_passes() {
    let (session, _, _folder) = session();
    let pages = number(&session, "PRAGMA page_count");
    let limit = |pages: i64| lock(&session.raw).pragma_update(None, "max_page_count", pages).expect("is set");
    limit(pages + 8);
    let large = "INSERT INTO things VALUES ('large', zeroblob(1000000))";
    let told = together(&session, [request(large)]);
    let refused = told[0].as_ref().expect_err("there is no room");
    assert_eq!(refused.kind(), Kind::ResourceExhausted);
    let told = together(&session, [GOOD, large, GOOD].map(request));
    assert!(told[1].is_err());
    let kept = told.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(number(&session, THINGS), i64::try_from(kept).expect("few"), "what was acknowledged is kept, and nothing else");
    limit(pages + 10_000);
    assert!(together(&session, [large, GOOD].map(request)).iter().all(Result::is_ok));
}

#[test]
fn a_failed_commit_adds_nothing_up() {
    let (session, sums, _folder) = session();
    let failing = [count(&sums, false), request(DEFER), request(DANGLING)];
    assert!(together(&session, failing).iter().all(Result::is_err));
    assert_eq!(number(&session, SUM), 0);
    together(&session, [count(&sums, false), count(&sums, false)]);
    assert_eq!(number(&session, SUM), 2);
}

#[test]
fn a_request_that_fails_adds_nothing_up() {
    let (session, sums, _folder) = session();
    let told = together(&session, [count(&sums, false), count(&sums, true), count(&sums, false)]);
    assert_eq!(told.iter().filter(|outcome| outcome.is_ok()).count(), 2);
    assert_eq!(number(&session, SUM), 2);
}

#[test]
fn who_has_gone_is_not_served() {
    let (session, _, _folder) = session();
    let (gone, answer) = request(GOOD);
    drop(answer);
    let (served, mut answer) = request(GOOD);
    session.commit_together(vec![gone, served]);
    assert!(answer.try_recv().expect("is answered").is_ok());
    assert_eq!(number(&session, THINGS), 1);
}

#[test]
fn nothing_is_written_to_files_that_are_gone() {
    let (session, _, folder) = session();
    let aside = folder.path().join("aside");
    std::fs::rename(folder.path().join(DATABASE), &aside).expect("moved");
    let told = together(&session, [GOOD, GOOD].map(request));
    assert!(told.iter().all(|told| told.as_ref().is_err_and(|error| error.kind() == domain::Kind::Unavailable)), "{told:?}");
    std::fs::rename(&aside, folder.path().join(DATABASE)).expect("moved back");
    let told = together(&session, [GOOD].map(request));
    assert!(told.iter().all(Result::is_ok), "{told:?}");
    assert_eq!(number(&session, THINGS), 1);
}
