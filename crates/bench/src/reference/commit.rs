//! The engine's own group commit: a thread that writes the same rows with prepared statements, everything that waits in one
//! transaction, and no question asked.

use std::{path::Path, thread};

use rusqlite::{Connection, params};
use tokio::sync::{mpsc, oneshot};

use crate::{Error, Result};

/// As many requests share a commit at most, and as many may wait, as in the store.
const BATCH: usize = 256;
const QUEUE: usize = 1024;

/// The writer's side of a database with the store's schema.
#[derive(Clone, Debug)]
pub(crate) struct GroupCommit {
    jobs: mpsc::Sender<Job>,
    organization: String,
}

struct Job {
    uid: String,
    answer: oneshot::Sender<()>,
}

impl GroupCommit {
    /// Writes folders below `organization` into the database at `path`. The thread ends with the last clone.
    pub(crate) fn start(path: &Path, organization: &str) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(256);
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8192;")?;
        let revision = connection.query_row("SELECT n FROM revision", [], |row| row.get(0))?;
        let (sender, jobs) = mpsc::channel(QUEUE);
        let organization = organization.to_owned();
        let writer = Writer { connection, organization: organization.clone(), revision };
        thread::Builder::new().name("raw-writer".to_owned()).spawn(move || writer.serve(jobs))?;
        Ok(Self { jobs: sender, organization })
    }

    /// Adds the folder with this number; returns when it is durable.
    pub(crate) async fn add(&self, number: u64) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        let uid = format!("{}/{number:016x}", self.organization);
        let failed = || Error::new("the bare engine has failed");
        self.jobs.send(Job { uid, answer }).await.map_err(|_| failed())?;
        answered.await.map_err(|_| failed())
    }
}

struct Writer {
    connection: Connection,
    organization: String,
    revision: i64,
}

impl Writer {
    /// Ends with its queue, or with the first failure, which those who wait notice.
    fn serve(mut self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH
                && let Ok(next) = jobs.try_recv()
            {
                batch.push(next);
            }
            if self.commit(&batch).is_err() {
                return;
            }
            for job in batch {
                // Whoever has gone does not wait.
                let _ = job.answer.send(());
            }
        }
    }

    fn commit(&mut self, batch: &[Job]) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for job in batch {
            self.revision += 1;
            self.insert(&job.uid)?;
        }
        self.connection.prepare_cached("UPDATE revision SET n = ?1")?.execute([self.revision])?;
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }

    /// The rows that the store writes for a folder: itself, what it counts for, the feed, the event, and the audit log.
    fn insert(&self, uid: &str) -> rusqlite::Result<()> {
        let (organization, revision, now) = (&self.organization, self.revision, 1_767_323_045_678_i64);
        let mut folder = self.connection.prepare_cached(
            "INSERT INTO groups (uid, parent, org, name, description, verified, kind, status, created_at, updated_at, revision) \
             VALUES (?1, ?2, ?2, ?3, ?4, 0, 'unspecified', 'ready', ?5, ?5, ?6)",
        )?;
        let (name, description) = (super::super::world::NAME, super::super::world::DESCRIPTION);
        folder.execute(params![uid, organization, name, description, now, revision])?;
        let mut count = self.connection.prepare_cached(
            "INSERT INTO counts (prefix, noun, n, children) VALUES (?1, 'group', 1, ?2) \
             ON CONFLICT (prefix, noun) DO UPDATE SET n = counts.n + 1, children = counts.children + ?2",
        )?;
        for prefix in ["/", organization, uid] {
            count.execute(params![prefix, i64::from(prefix == organization)])?;
        }
        let mut change = self.connection.prepare_cached(
            "INSERT INTO changes (revision, ordinal, noun, uid, op, from_name, from_created_at, to_name, to_created_at) \
             VALUES (?1, 0, 'group', ?2, 'created', NULL, NULL, ?3, ?4)",
        )?;
        change.execute(params![revision, uid, name, now])?;
        let mut event = self.connection.prepare_cached(
            "INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, snapshot, at) \
             VALUES (?1, 0, 'dev.chainguard.api.iam.group.created.v1', 'v2beta1', 1, ?2, ?2, ?3, ?4, ?5)",
        )?;
        let snapshot = format!(
            r#"{{"uid":"{uid}","spec":{{"name":"{name}","description":"{description}","verified":false,"kind":"unspecified"}},"status":"ready","created_at":{now},"updated_at":{now},"revision":{revision}}}"#
        );
        event.execute(params![revision, uid, organization, snapshot, now])?;
        let mut audit = self.connection.prepare_cached(
            "INSERT INTO audit (at, revision, actor, method, request_id, noun, subject, op, outcome) \
             VALUES (?1, ?2, ?3, 'write', 'write', 'group', ?4, 'created', 'OK')",
        )?;
        audit.execute(params![now, revision, organization, uid])?;
        Ok(())
    }
}
