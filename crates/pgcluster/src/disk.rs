//! A disk that fails.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Cluster, cluster::skip};

/// How long it may take until every process of a server is watched.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls of a server's that fail, until this is dropped.
#[derive(Debug)]
pub struct FailingDisk {
    strace: Child,
}

impl FailingDisk {
    /// See [`Cluster::fail_disk`].
    pub(crate) fn of(cluster: &Cluster, fault: &str, files: &[PathBuf]) -> Option<Self> {
        let (calls, _) = fault.split_once(':').expect("calls and what happens to them");
        let processes = cluster.processes();
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}"), "-e", &format!("inject={fault}")]);
        for file in files {
            command.arg("-P").arg(file);
        }
        command.args(processes.iter().flat_map(|process| ["-p".to_owned(), process.to_string()]));
        let mut strace = match command.stdin(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(strace) => strace,
            Err(error) => {
                skip(&format!("strace does not run: {error}"));
                return None;
            }
        };
        let begin = Instant::now();
        while !processes.iter().all(|process| is_watched(*process)) {
            if strace.try_wait().expect("a child").is_some() {
                skip("strace may not trace here");
                return None;
            }
            assert!(begin.elapsed() < PATIENCE, "strace does not get hold of PostgreSQL");
            thread::sleep(Duration::from_millis(5));
        }
        Some(Self { strace })
    }
}

impl Drop for FailingDisk {
    fn drop(&mut self) {
        // It lets go of the server only when it is asked to.
        let _ = Command::new("kill").args(["-s", "TERM", &self.strace.id().to_string()]).status();
        let _ = self.strace.wait();
    }
}

/// Whether somebody traces the process, or it is gone.
fn is_watched(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("TracerPid:")).is_none_or(|tracer| tracer.trim() != "0")
}
