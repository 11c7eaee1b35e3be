//! A server as a process of its own, seen from outside.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Error, Result, host::Host};

/// How long a server may take to be ready, or to end, before it is given up.
const PATIENCE: Duration = Duration::from_mins(2);

/// Over how long a server is looked at to see whether it rests, and how many ticks of a hundredth of a second it may take
/// meanwhile: it looks at the time now and then.
const REST: Duration = Duration::from_secs(1);
const AT_REST: u64 = 3;

/// A server in a process of its own. Dropping it ends it at once.
pub(crate) struct Process<'a> {
    host: &'a dyn Host,
    child: Child,
    /// Where it answers.
    pub(crate) url: String,
    folder: PathBuf,
    /// Milliseconds until it was ready.
    pub(crate) ready: f64,
}

impl<'a> Process<'a> {
    /// Starts one in dev mode with its data in `folder`, and waits until it is ready.
    pub(crate) async fn start(host: &'a dyn Host, folder: &Path) -> Result<Self> {
        let begin = Instant::now();
        let mut command = Command::new(host.program());
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--data"]).arg(folder);
        let child = host.spawn(command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let mut process = Self { host, child, url: String::new(), folder: folder.to_owned(), ready: 0.0 };
        let output = process.child.stdout.take().ok_or_else(|| Error::new("a process without output"))?;
        let first = tokio::task::spawn_blocking(move || BufReader::new(output).lines().next().transpose());
        let told = tokio::time::timeout(PATIENCE, first).await???.unwrap_or_default();
        process.ready = begin.elapsed().as_secs_f64() * 1e3;
        let url = told.strip_prefix("ready on ").ok_or_else(|| Error::new(format!("{command:?} does not start: {told:?}")))?;
        url.clone_into(&mut process.url);
        Ok(process)
    }

    /// A line of the kernel's account of its memory, in megabytes.
    pub(crate) fn memory(&self, line: &str) -> Result<f64> {
        Ok(megabytes(1024 * self.status(line)?))
    }

    /// How many threads it has.
    pub(crate) fn threads(&self) -> Result<u64> {
        self.status("Threads")
    }

    /// How many files, sockets and the like it has open.
    pub(crate) fn descriptors(&self) -> Result<u64> {
        Ok(u64::try_from(fs::read_dir(self.account().join("fd"))?.count()).unwrap_or(u64::MAX))
    }

    /// The size of its database without the journal, in megabytes.
    pub(crate) fn database(&self) -> Result<f64> {
        self.size("provost.db")
    }

    /// The size of its database's journal, in megabytes.
    pub(crate) fn journal(&self) -> Result<f64> {
        self.size("provost.db-wal")
    }

    fn size(&self, file: &str) -> Result<f64> {
        Ok(megabytes(fs::metadata(self.folder.join(file))?.len()))
    }

    /// Waits until it has nothing to do: what it makes in the background when it starts is there.
    pub(crate) async fn rest(&self) -> Result<()> {
        let begin = Instant::now();
        let mut before = self.processor()?;
        loop {
            tokio::time::sleep(REST).await;
            let now = self.processor()?;
            if now - before <= AT_REST {
                return Ok(());
            }
            if begin.elapsed() > PATIENCE {
                return Err(Error::new("a server that nobody asks does not come to rest"));
            }
            before = now;
        }
    }

    /// The processor time that it has taken, in the kernel's ticks.
    fn processor(&self) -> Result<u64> {
        let account = fs::read_to_string(self.account().join("stat"))?;
        // The name, in parentheses, may hold anything; behind it come eleven others, then that of the program and of the kernel.
        let figures = account.rsplit_once(") ").map(|(_, figures)| figures.split(' ').skip(11).take(2).map(str::parse::<u64>));
        let ticks = figures.and_then(|figures| figures.sum::<std::result::Result<u64, _>>().ok());
        ticks.ok_or_else(|| Error::new("the kernel does not tell the processor time"))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        let address = self.url.strip_prefix("http://").and_then(|address| address.parse().ok());
        address.ok_or_else(|| Error::new(format!("{} is no address on this machine", self.url)))
    }

    /// A number of the kernel's account of it.
    fn status(&self, line: &str) -> Result<u64> {
        let status = fs::read_to_string(self.account().join("status"))?;
        let value = status.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == line);
        let number = value.and_then(|(_, value)| value.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| Error::new(format!("the kernel does not tell {line}")))
    }

    fn account(&self) -> PathBuf {
        PathBuf::from("/proc").join(self.child.id().to_string())
    }

    /// Ends it as a service manager does.
    pub(crate) async fn stop(mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).map_err(std::io::Error::from)?;
        let begin = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begin.elapsed() > PATIENCE {
                return Err(Error::new("a server does not stop"));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        // One that has ended needs neither.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.host.ended(self.child.id());
    }
}

/// Bytes as megabytes.
#[expect(clippy::cast_precision_loss, reason = "sizes here fit in 52 bits")]
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
