//! The writer: one task with one connection that takes the requests waiting in its queue, runs each in a savepoint, commits
//! them together and only then answers.
//!
//! The first statement of a transaction locks the row of `revision`, so over all nodes one such transaction is under way at
//! a time, and READ COMMITTED shows each statement everything that was committed before.
//!
//! What fails for a reason that passes is run again. When a connection is lost while it commits, the row of this node in
//! `writers` tells whether it has: the transaction wrote its number there.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex as StdMutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{Error, Kind, Result, Revision, Rule};
use tokio::{
    sync::{Mutex, OwnedMutexGuard, mpsc},
    task::JoinHandle,
};

use super::{
    batches, claim,
    connection::Connection,
    connector::Connector,
    fault::{Failure, Outlook, unavailable},
    pooler,
    session::Session,
};
use crate::{
    metrics::Metrics,
    param::Param,
    progress::Progress,
    queue::{BATCH, Job, Outcome, Queue, Write, answer_all, copy},
    sums::Sums,
};

/// Stores the number of the last commit, and what is kept beside it.
pub(super) const COUNT: &str = "UPDATE revision SET n = $1, head = coalesce($2, head)";
/// How long a request may wait for the database to come back before it is refused.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a transaction takes up further requests: others wait for its lock.
const TURN: Duration = Duration::from_millis(100);
/// How often it is looked whether writes go on, while nobody waits for that.
const LOOK: Duration = Duration::from_secs(1);
/// How long one request may run: longer than one statement may.
const LONGEST: Duration = Duration::from_secs(15);
/// How long the writer waits before it tries again: doubled each time, up to the second.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// The handle of the writer task. The task ends when what is queued is worked off after the handle has gone.
#[derive(Debug)]
pub(super) struct GroupCommit {
    queue: Queue<Connection>,
    task: StdMutex<Option<JoinHandle<()>>>,
}

impl GroupCommit {
    /// Starts the task on its first connection.
    pub(super) async fn start(
        connector: Arc<Connector>,
        mut session: Session,
        sums: Arc<dyn Sums>,
        metrics: Metrics,
    ) -> Result<Self> {
        let mut node = String::new();
        session
            .query("SELECT gen_random_uuid()::text", &[], |row| {
                node = row.try_get(0).map_err(Failure::from)?;
                Ok::<_, Failure>(ControlFlow::Break(()))
            })
            .await?;
        let progress = Progress::default();
        let (queue, jobs) = Queue::new(progress.clone(), &metrics);
        let session = Some(Arc::new(Mutex::new(session)));
        let task = Task { connector, session, node, batch: 0, sums, metrics, progress };
        let task = tokio::spawn(task.serve(jobs));
        Ok(Self { queue, task: StdMutex::new(Some(task)) })
    }

    pub(super) fn write<T, F, R>(&self, job: Job, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(Connection) -> R + Clone + Send + 'static,
        R: Future<Output = Result<T>> + Send + 'static,
    {
        self.queue.write(job, work)
    }

    pub(super) fn stalled(&self) -> Result<Option<Duration>> {
        self.queue.stalled()
    }

    /// Works off the queue and ends the task.
    pub(super) async fn close(&self) {
        self.queue.hang_up();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the store's writer has ended early");
        }
    }
}

type Guard = OwnedMutexGuard<Session>;

/// The writer's side.
struct Task {
    connector: Arc<Connector>,
    /// The connection, when there is one that may be used. Only this task and the request that it runs have it.
    session: Option<Arc<Mutex<Session>>>,
    /// What this node is called in `writers`.
    node: String,
    /// How many commits were tried.
    batch: i64,
    sums: Arc<dyn Sums>,
    metrics: Metrics,
    progress: Progress,
}

/// Why a transaction has kept nothing.
enum Undone {
    /// It may go well another time.
    Again(Error),
    /// It would fail again.
    Never(Error),
    /// The connection was lost while it committed: perhaps it has kept everything.
    InDoubt(Error),
}

impl Task {
    async fn serve(mut self, mut jobs: mpsc::Receiver<Box<dyn Write<Connection>>>) {
        let mut waiting = Vec::new();
        let mut backoff = BACKOFF.0;
        let progress = self.progress.clone();
        loop {
            tokio::select! {
                biased;
                more = gather(&mut jobs, &mut waiting) => if !more { break },
                () = self.hold(&mut backoff) => continue,
                // Everybody who waited was refused, and whether the next one would be is not known: an empty transaction tells.
                () = tokio::time::sleep(LOOK), if progress.is_begun() => {}
            }
            progress.begin();
            waiting.retain(|write| !write.is_abandoned());
            // With a database this slow the queue only grows: who has waited so long would wait for ever.
            refuse_late(&mut waiting, &self.late());
            let mut ran = 0;
            let Err(undone) = progress.watch(self.together(&mut waiting, &mut ran)).await else {
                progress.done();
                backoff = BACKOFF.0;
                continue;
            };
            match undone {
                Undone::Never(error) => {
                    progress.done();
                    answer_all(waiting.drain(..ran), Some(&error));
                }
                Undone::Again(error) => {
                    if !waiting.is_empty() {
                        tracing::warn!(?error, requests = waiting.len(), "a transaction has to be run again");
                    }
                    refuse_late(&mut waiting, &error);
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(BACKOFF.1);
                }
                Undone::InDoubt(error) => self.clear_up(&mut waiting, ran, error).await,
            }
        }
        self.session = None;
    }

    /// Why a request has waited too long.
    fn late(&self) -> Error {
        if self.connector.is_shared() {
            pooler::shared()
        } else {
            unavailable("the database did not take the write in time; retry in a moment")
        }
    }

    /// Runs the first `ran` requests in one transaction and answers them; the others stay, and after a failure all do.
    async fn together(
        &mut self,
        waiting: &mut Vec<Box<dyn Write<Connection>>>,
        ran: &mut usize,
    ) -> std::result::Result<(), Undone> {
        let mut session = self.begin().await.map_err(Undone::Again)?;
        let (begun, first) = (Instant::now(), session.revision);
        let mut kept = 0;
        let shared = OwnedMutexGuard::mutex(&session).clone();
        for write in waiting.iter_mut() {
            if *ran > 0 && begun.elapsed() > TURN {
                break;
            }
            let before = session.revision;
            session.send_mark("SAVEPOINT request");
            let run = write.run(Connection::writing(session));
            let outcome = tokio::time::timeout(LONGEST, run).await.unwrap_or_else(|_| {
                write.fail(Error::internal("a write waited for something other than its own statements"));
                Outcome::Failed
            });
            // Who waits for the network keeps nobody.
            write.count(Duration::ZERO);
            session = Arc::clone(&shared).lock_owned().await;
            // One that was cut off while it waited for an answer leaves a connection that is not fit: the database is slow.
            if outcome == Outcome::Failed && session.is_fit() {
                // What it has not waited for must not be taken for a failure of the next one.
                _ = session.settle().await;
            }
            if let Some((outlook, error)) = session.trouble() {
                self.roll_back(session, outlook);
                return Err(Undone::Again(error));
            }
            if !session.is_fit() {
                self.roll_back(session, Outlook::Lost);
                return Err(Undone::Again(unavailable("the database does not answer; retry in a moment")));
            }
            *ran += 1;
            match outcome {
                Outcome::Keep => {
                    kept += 1;
                    self.sums.keep();
                    session.send_mark("RELEASE request");
                }
                Outcome::Tried => {
                    self.sums.undo();
                    session.send_mark("ROLLBACK TO request; RELEASE request");
                }
                Outcome::Failed => {
                    session.revision = before;
                    self.sums.undo();
                    session.send_mark("ROLLBACK TO request; RELEASE request");
                }
            }
        }
        // The revision of a trial was shown to its caller and must not be that of something else.
        if kept > 0 || session.revision > first {
            self.commit(session, first, kept).await?;
        } else {
            session.send_mark("ROLLBACK");
        }
        answer_all(waiting.drain(..*ran), None);
        Ok(())
    }

    /// Comes back when something about the connection has changed while nobody writes. The claim to the database is the
    /// connection's, so one that is lost is replaced at once, and not when it is needed next.
    async fn hold(&mut self, backoff: &mut Duration) {
        if let Some(session) = &self.session {
            let mut session = Arc::clone(session).lock_owned().await;
            tokio::select! {
                () = session.ended() => {}
                () = self.connector.until_shared() => {}
            }
            self.session = None;
            self.connector.distrust();
            return;
        }
        tokio::time::sleep(*backoff).await;
        match self.open().await {
            Ok(session) => {
                self.session = Some(Arc::new(Mutex::new(session)));
                *backoff = BACKOFF.0;
            }
            Err(error) => {
                self.progress.begin();
                if *backoff == BACKOFF.0 {
                    tracing::warn!(?error, "the connection to the database was lost, and cannot be made again yet");
                }
                *backoff = (*backoff * 2).min(BACKOFF.1);
            }
        }
    }

    /// A connection that claims the database, for as long as it lasts, against whoever would restore it.
    async fn open(&self) -> Result<Session> {
        let mut session = self.connector.connect().await?;
        if self.connector.is_shared() {
            if pooler::is_shared(&self.connector, &mut session).await? {
                return Err(pooler::shared());
            }
            self.connector.found_whole();
        }
        claim::share(&mut session).await?;
        Ok(session)
    }

    /// A connection in a transaction that holds the write lock.
    async fn begin(&mut self) -> Result<Guard> {
        // What a reader has found to be shared is looked at before it is used again.
        let mut guard = match self.session.take().filter(|_| !self.connector.is_shared()) {
            Some(session) => session.lock_owned().await,
            None => Arc::new(Mutex::new(self.open().await?)).lock_owned().await,
        };
        guard.forget_trouble();
        guard.send_mark("BEGIN ISOLATION LEVEL READ COMMITTED");
        let (mut last, mut head, mut process) = (None, None::<Vec<u8>>, guard.process);
        let locked = guard
            .query("SELECT n, head, pg_backend_pid() FROM revision FOR UPDATE", &[], |row| {
                last = Some(Revision(row.try_get(0).map_err(Failure::from)?));
                head = row.try_get(1).map_err(Failure::from)?;
                process = row.try_get(2).map_err(Failure::from)?;
                Ok::<_, Failure>(ControlFlow::Continue(()))
            })
            .await;
        self.session = Some(Arc::clone(OwnedMutexGuard::mutex(&guard)));
        match (locked, last) {
            (Ok(()), Some(_)) if process != guard.process => {
                self.connector.found_shared();
                self.roll_back(guard, Outlook::Lost);
                Err(pooler::shared())
            }
            (Ok(()), Some(last)) => {
                guard.revision = last;
                self.sums.begin(head.as_deref());
                Ok(guard)
            }
            (Ok(()), None) => {
                self.roll_back(guard, Outlook::Lost);
                Err(Error::internal("the store has lost its revision"))
            }
            (Err(failure), _) => {
                self.roll_back(guard, failure.outlook());
                Err(failure.translate())
            }
        }
    }

    /// Makes the `kept` requests durable.
    async fn commit(&mut self, mut session: Guard, first: Revision, kept: usize) -> std::result::Result<(), Undone> {
        self.batch += 1;
        let head = self.sums.head();
        let prepared = async {
            batches::send(&mut session, self.sums.take()).await?;
            if session.revision > first || head.is_some() {
                let last = session.revision;
                session.send(COUNT, &[last.into(), head.as_deref().into()]).await?;
            }
            let sql = "INSERT INTO writers (node, batch) VALUES ($1, $2) \
                       ON CONFLICT (node) DO UPDATE SET batch = excluded.batch, seen = now()";
            session.send(sql, &[(&self.node).into(), Param::Int(self.batch)]).await
        };
        if let Err(failure) = prepared.await {
            let outlook = failure.outlook();
            self.roll_back(session, outlook);
            return Err(undone(failure));
        }
        let since = Instant::now();
        match session.batch("COMMIT").await {
            Ok(()) => {
                if kept > 0 {
                    self.metrics.committed(kept, since.elapsed());
                }
                Ok(())
            }
            Err(failure) if failure.is_rolled_back() => {
                self.roll_back(session, failure.outlook());
                Err(undone(failure))
            }
            Err(failure) => {
                self.roll_back(session, Outlook::Lost);
                Err(Undone::InDoubt(failure.translate()))
            }
        }
    }

    /// Ends a transaction that failed, or gives its connection up.
    fn roll_back(&mut self, mut session: Guard, outlook: Outlook) {
        if outlook == Outlook::Lost || !session.is_fit() {
            self.session = None;
            self.connector.distrust();
        } else {
            session.send_mark("ROLLBACK");
        }
    }

    /// Finds out whether the last commit was made, and answers its requests if it was; if not they stay, to be run again.
    async fn clear_up(&mut self, waiting: &mut Vec<Box<dyn Write<Connection>>>, ran: usize, cause: Error) {
        tracing::warn!(?cause, requests = ran, "the database was lost during a commit; asking for its outcome");
        let (since, mut backoff) = (Instant::now(), BACKOFF.0);
        loop {
            match self.has_committed().await {
                Ok(true) => {
                    // Before they are answered: who has an answer finds that writes go on.
                    self.progress.done();
                    return answer_all(waiting.drain(..ran), None);
                }
                Ok(false) => return,
                Err(error) if since.elapsed() > PATIENCE => {
                    let message = "the database was lost while it committed, and whether the request was applied is not known: \
                                   read the resource; a retry with the same Idempotency-Key is safe";
                    let unknown = Error::new(Kind::Unavailable, Rule::Unavailable, message).because(error);
                    for mut write in waiting.drain(..ran) {
                        write.fail(copy(&unknown));
                        write.answer(None);
                    }
                    return;
                }
                Err(_) => {
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(BACKOFF.1);
                }
            }
        }
    }

    /// INVARIANT: the transaction of the commit in question held the write lock, so it has ended once we hold it.
    async fn has_committed(&mut self) -> Result<bool> {
        let mut session = self.begin().await?;
        let mut batch = None;
        let found = session
            .query("SELECT batch FROM writers WHERE node = $1", &[(&self.node).into()], |row| {
                batch = Some(row.try_get(0).map_err(Failure::from)?);
                Ok::<_, Failure>(ControlFlow::Break(()))
            })
            .await;
        let outlook = found.as_ref().map_or_else(Failure::outlook, |()| Outlook::Stays);
        self.roll_back(session, outlook);
        found?;
        Ok(batch == Some(self.batch))
    }
}

/// Waits for something to do. `false` when there is nothing left and nothing more will come.
async fn gather(jobs: &mut mpsc::Receiver<Box<dyn Write<Connection>>>, waiting: &mut Vec<Box<dyn Write<Connection>>>) -> bool {
    if waiting.is_empty() {
        match jobs.recv().await {
            Some(write) => waiting.push(write),
            None => return false,
        }
    }
    while waiting.len() < BATCH
        && let Ok(write) = jobs.try_recv()
    {
        waiting.push(write);
    }
    true
}

/// Refuses those who have waited long enough for the database to come back.
fn refuse_late(waiting: &mut Vec<Box<dyn Write<Connection>>>, error: &Error) {
    for mut write in waiting.extract_if(.., |write| write.since().elapsed() > PATIENCE) {
        write.fail(copy(error));
        write.answer(None);
    }
}

fn undone(failure: Failure) -> Undone {
    match failure.outlook() {
        Outlook::Stays => Undone::Never(failure.translate()),
        Outlook::Passes | Outlook::Lost => {
            Undone::Again(unavailable("the database does not answer; retry in a moment").because(failure.translate()))
        }
    }
}
