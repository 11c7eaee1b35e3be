//! Others, who take the connections.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{
    Cluster,
    cluster::{CROWD, ROLE},
};

/// Connections that do nothing but be there. They leave when this is dropped.
#[derive(Debug)]
pub struct Crowd {
    leave: Arc<AtomicBool>,
    gatherer: Option<JoinHandle<()>>,
}

impl Crowd {
    /// Gathers until the server refuses, and goes on whenever a connection comes free.
    pub(crate) fn gather(cluster: &Cluster) -> Self {
        let mut members = Vec::new();
        members.extend(std::iter::from_fn(|| join(cluster)));
        let leave = Arc::new(AtomicBool::new(false));
        let (cluster, told) = (cluster.clone(), Arc::clone(&leave));
        let gatherer = thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                match join(&cluster) {
                    Some(member) => members.push(member),
                    None => thread::sleep(Duration::from_millis(20)),
                }
            }
            for mut member in members {
                // One that the server has cut has ended by itself.
                let _ = member.kill();
                let _ = member.wait();
            }
        });
        Self { leave, gatherer: Some(gatherer) }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.leave.store(true, Ordering::Relaxed);
        if let Some(gatherer) = self.gatherer.take() {
            // It does not panic, and if it did there is nothing to do about it here.
            let _ = gatherer.join();
        }
    }
}

/// One more connection, unless the server refuses it.
fn join(cluster: &Cluster) -> Option<Child> {
    let mut psql = cluster.psql(ROLE, "postgres");
    psql.env("PGAPPNAME", CROWD);
    psql.args(["--quiet", "--no-align", "--tuples-only"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut member = psql.spawn().expect("psql starts");
    let mut answer = String::new();
    // A member that was refused has ended: writing fails or reading gives nothing.
    let _ = member.stdin.as_mut().map(|input| writeln!(input, "SELECT 1;"));
    let _ = member.stdout.take().map(|output| BufReader::new(output).read_line(&mut answer));
    if answer.trim() == "1" {
        return Some(member);
    }
    let _ = member.wait();
    None
}
