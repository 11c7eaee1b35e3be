//! The program as a process of its own: how soon it answers, what memory it takes, how large it is.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use super::Pace;
use crate::{
    Error, Result,
    host::Host,
    measure::median,
    report::{Budget, Row},
};

/// How long a server may take to be ready, or to end, before it is given up.
const PATIENCE: Duration = Duration::from_mins(2);
/// How long a server is left alone before it is called idle.
const REST: Duration = Duration::from_millis(300);

/// Measures starts on nothing, what an idle server takes, and the program's file. Data goes below `folder`.
pub(crate) async fn empty(host: &dyn Host, folder: &Path, pace: Pace) -> Result<Vec<Row>> {
    let (mut starts, mut idle) = (Vec::new(), Vec::new());
    for round in 0..pace.rounds {
        let process = Process::start(host, &folder.join(format!("empty-{round}"))).await?;
        starts.push(process.ready);
        tokio::time::sleep(REST).await;
        idle.push(process.memory("VmRSS")?);
        process.stop().await?;
    }
    let size = fs::metadata(host.program())?.len();
    Ok(vec![
        Row::alone("start on an empty folder (ms)", median(starts), Budget::Below(100.0)),
        Row::alone("memory, idle (MB)", median(idle), Budget::Below(40.0)),
        Row::alone("program file (MB)", megabytes(size), Budget::Below(30.0)),
    ])
}

/// Measures a start on the data in `folder`, and what memory a server has taken at most after `work` with it, which gets its
/// URL.
pub(crate) async fn full(
    host: &dyn Host,
    folder: &Path,
    rows: u64,
    work: impl AsyncFnOnce(&str) -> Result<()>,
) -> Result<Vec<Row>> {
    let process = Process::start(host, folder).await?;
    work(&process.url).await?;
    let most = process.memory("VmHWM")?;
    let ready = process.ready;
    process.stop().await?;
    Ok(vec![
        Row::alone(format!("start with {rows} rows (ms)"), ready, Budget::Below(2000.0)),
        Row::alone(format!("memory, after lists of {rows} rows (MB)"), most, Budget::Below(400.0)),
    ])
}

/// A server in a process of its own. Dropping it ends it at once.
struct Process<'a> {
    host: &'a dyn Host,
    child: Child,
    url: String,
    /// Milliseconds until it was ready.
    ready: f64,
}

impl<'a> Process<'a> {
    async fn start(host: &'a dyn Host, folder: &Path) -> Result<Self> {
        let begin = Instant::now();
        let mut command = Command::new(host.program());
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--data"]).arg(folder);
        let child = command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        host.began(child.id());
        let mut process = Self { host, child, url: String::new(), ready: 0.0 };
        let output = process.child.stdout.take().ok_or_else(|| Error::new("a process without output"))?;
        let first = tokio::task::spawn_blocking(move || BufReader::new(output).lines().next().transpose());
        let told = tokio::time::timeout(PATIENCE, first).await???.unwrap_or_default();
        process.ready = begin.elapsed().as_secs_f64() * 1e3;
        let url = told.strip_prefix("ready on ").ok_or_else(|| Error::new(format!("{command:?} does not start: {told:?}")))?;
        url.clone_into(&mut process.url);
        Ok(process)
    }

    /// A line of the kernel's account of its memory, in megabytes.
    fn memory(&self, line: &str) -> Result<f64> {
        let status = fs::read_to_string(PathBuf::from("/proc").join(self.child.id().to_string()).join("status"))?;
        let value = status.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == line);
        let kilobytes = value.and_then(|(_, value)| value.split_whitespace().next()?.parse::<u64>().ok());
        Ok(megabytes(1024 * kilobytes.ok_or_else(|| Error::new(format!("the kernel does not tell {line}")))?))
    }

    /// Ends it as a service manager does.
    async fn stop(mut self) -> Result<()> {
        self.host.terminate(self.child.id());
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

#[expect(clippy::cast_precision_loss, reason = "sizes here fit in 52 bits")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
