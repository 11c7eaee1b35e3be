//! The program as a process of its own: how soon it answers, what memory it takes, how large it is.

use std::{fs, net::SocketAddr, path::Path, time::Duration};

use super::Pace;
use crate::{
    Result,
    host::Host,
    measure::median,
    process::{Process, megabytes},
    report::{Budget, Row},
};

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
        Row::alone("program file (MB)", megabytes(size), Budget::Below(36.0)),
    ])
}

/// Measures a start on the data in `folder`, and what memory a server has taken at most after `work` with it, which gets its
/// address and URL: while the ranks of all rows are made, which begins with the start, and again when they stand.
pub(crate) async fn full(
    host: &dyn Host,
    folder: &Path,
    rows: u64,
    work: impl AsyncFn(SocketAddr, &str) -> Result<()>,
) -> Result<Vec<Row>> {
    let process = Process::start(host, folder).await?;
    work(process.address()?, &process.url).await?;
    process.rest().await?;
    work(process.address()?, &process.url).await?;
    let most = process.memory("VmHWM")?;
    let ready = process.ready;
    process.stop().await?;
    Ok(vec![
        Row::alone(format!("start with {rows} rows (ms)"), ready, Budget::Below(2000.0)),
        Row::alone(format!("memory, after lists of {rows} rows (MB)"), most, Budget::Below(400.0)),
    ])
}
