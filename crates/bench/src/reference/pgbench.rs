//! What PostgreSQL can do when it is asked directly: its own `pgbench`, with the same rows and statements by hand.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use store::Postgres;

use crate::{Error, Result, host::Host};

/// The program, and how it reaches the database.
pub(crate) struct Pgbench<'a> {
    host: &'a dyn Host,
    program: PathBuf,
    environment: Vec<(&'static str, String)>,
    folder: PathBuf,
}

/// What one run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Scripts per second.
    pub(crate) rate: f64,
    /// How long a script took, in milliseconds.
    pub(crate) millis: f64,
}

/// How long a run takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// Whole seconds: it knows no others.
    Seconds(u64),
    /// So many scripts of each client.
    Scripts(u64),
}

impl<'a> Pgbench<'a> {
    /// Finds the program in `PATH` or where PostgreSQL's programs are; scripts go below `folder`.
    ///
    /// # Errors
    /// When it is nowhere: what to install.
    pub(crate) fn find(host: &'a dyn Host, database: &Postgres, folder: &Path) -> Result<Self> {
        let program = installed().ok_or_else(|| {
            Error::new(
                "pgbench is missing, which PostgreSQL is measured beside: install it (Debian and Ubuntu: apt-get install postgresql; \
                 Fedora: dnf install postgresql-contrib) or put its folder into PATH",
            )
        })?;
        Ok(Self { host, program, environment: database.environment(), folder: folder.to_owned() })
    }

    /// Lets `clients` at a time, each on a connection of its own, run the statements again and again with plans that were
    /// prepared before. `name` is that of the file for them.
    pub(crate) async fn run(&self, name: &str, statements: &str, clients: u64, length: Length) -> Result<Outcome> {
        let script = self.folder.join(name);
        std::fs::write(&script, statements)?;
        let mut told = self.report(&script, clients, length).await?;
        if let (None, Length::Seconds(seconds)) = (outcome(&told), length) {
            // On a busy machine the time can be over before all connections are made.
            told = self.report(&script, clients, Length::Seconds(10 * seconds)).await?;
        }
        outcome(&told).ok_or_else(|| Error::new(format!("pgbench tells no figures of {name}: {}", told.trim())))
    }

    /// What the program prints about a run.
    async fn report(&self, script: &Path, clients: u64, length: Length) -> Result<String> {
        let mut command = Command::new(&self.program);
        // One thread, as all clients of ours have.
        command.args(["--no-vacuum", "--protocol=prepared", "--jobs=1"]).arg(format!("--client={clients}"));
        command.arg(match length {
            Length::Seconds(seconds) => format!("--time={seconds}"),
            Length::Scripts(scripts) => format!("--transactions={scripts}"),
        });
        command.arg("--file").arg(script).env("LC_ALL", "C").envs(self.environment.iter().map(|(name, value)| (name, value)));
        let child = self.host.spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))?;
        let process = child.id();
        let output = tokio::task::spawn_blocking(move || child.wait_with_output()).await;
        self.host.ended(process);
        let output = output??;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::new(format!("pgbench fails with {}: {}", script.display(), told.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn installed() -> Option<PathBuf> {
    let answers = |program: &Path| match Command::new(program).arg("--version").output() {
        Ok(output) => output.status.success(),
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    let in_path = PathBuf::from("pgbench");
    if answers(&in_path) {
        return Some(in_path);
    }
    let folder = Command::new("pg_config").arg("--bindir").output().ok()?;
    let beside = Path::new(String::from_utf8_lossy(&folder.stdout).trim()).join("pgbench");
    answers(&beside).then_some(beside)
}

/// The figures of what it prints in the end.
fn outcome(told: &str) -> Option<Outcome> {
    let figure = |name: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    Some(Outcome { rate: figure("tps = ")?, millis: figure("latency average = ")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_report() {
        let told = "transaction type: get\nnumber of clients: 16\nlatency average = 0.412 ms\ninitial connection time = 30.2 ms\n\
                    tps = 38835.1 (without initial connection time)\n";
        assert_eq!(outcome(told), Some(Outcome { rate: 38_835.1, millis: 0.412 }));
        assert_eq!(outcome("pgbench (PostgreSQL) 15.4"), None);
    }
}
