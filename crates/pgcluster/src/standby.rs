//! A second server that follows the first.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    Cluster,
    cluster::{ROLE, done},
};

/// How long a standby may take to connect or to be promoted.
const PATIENCE: Duration = Duration::from_mins(1);

impl Cluster {
    /// A streaming standby of this server. From now on a commit here is acknowledged only when the standby has it on disk.
    #[must_use]
    pub fn synchronous_standby(&self) -> Self {
        let standby = Self::new(self.programs().clone(), self.password().to_owned());
        let mut copy = standby.program("pg_basebackup");
        copy.args(["--host=127.0.0.1", "--port", &self.address().port().to_string(), "--username=postgres", "--no-password"]);
        copy.env("PGPASSWORD", self.password()).arg("--pgdata").arg(standby.data());
        copy.args(["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"]);
        done(&mut copy);
        standby.start_first();
        self.set("synchronous_standby_names", "*");
        self.wait_for("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1");
        standby
    }

    /// Makes a standby the server that takes writes, waiting for nobody's confirmation. Returns when it does.
    pub fn promote(&self) {
        self.sql("postgres", "SELECT pg_promote()");
        self.wait_for("SELECT pg_is_in_recovery()", "f");
        self.set("synchronous_standby_names", "");
    }

    fn wait_for(&self, question: &str, answer: &str) {
        let begin = Instant::now();
        while self.try_sql("postgres", question).as_deref() != Ok(answer) {
            assert!(begin.elapsed() < PATIENCE, "{question} does not become {answer}:\n{}", self.told());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The URL of a database on several servers, of which one takes writes.
#[must_use]
pub fn url_of_all(clusters: &[&Cluster], database: &str) -> String {
    let password = clusters.first().expect("at least one server").password();
    let hosts: Vec<_> = clusters.iter().map(|cluster| cluster.address().to_string()).collect();
    format!("postgres://{ROLE}:{password}@{}/{database}?sslmode=disable&target_session_attrs=read-write", hosts.join(","))
}
