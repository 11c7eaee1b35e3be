//! A soak: a server under everything at once for minutes, and whether anything of it grows.

mod crowd;
mod samples;
mod stage;
mod work;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use self::{crowd::Crowd, samples::Samples, stage::Stage};
use crate::{
    Result,
    host::Host,
    load::Clients,
    process::Process,
    report::Report,
    served::{now, owner},
};

/// How to soak.
#[derive(Clone, Debug)]
pub struct Soak {
    /// An empty folder on the disk that is to be used. What is in it afterwards is the caller's to remove.
    pub folder: PathBuf,
    /// For how long, without getting ready. The token of the first owner lasts an hour.
    pub time: Duration,
}

/// Between two looks at the server.
const PERIOD: Duration = Duration::from_secs(1);

/// Puts a server in a process of its own under full load and compares what it takes in the last third of the time with
/// what it took in the second; in the first its caches fill.
///
/// # Errors
/// Why that could not be done. A server that was started has ended.
pub async fn soak(host: &dyn Host, soak: &Soak) -> Result<Report> {
    host.progress(0, 1, "getting ready");
    let clients = Clients::on_all_cores()?;
    let process = Process::start(host, &soak.folder.join("data")).await?;
    let (address, owner, now) = (process.address()?, owner(&process.url).await?, now());
    let base_url = process.url.clone();
    let stage = clients.run(async move { Stage::set(address, owner, base_url, now).await }).await?;
    let crowd = Crowd::begin(&clients, Arc::new(stage), soak.time).await?;
    let samples = watch(host, &process, &crowd, soak.time).await;
    crowd.end().await;
    let samples = samples?;
    process.stop().await?;
    Ok(Report { rows: samples.rows(), charts: vec![("soak", samples.chart())], notes: samples.notes })
}

/// Looks at the server again and again, until the time is over.
async fn watch(host: &dyn Host, process: &Process<'_>, crowd: &Crowd, time: Duration) -> Result<Samples> {
    let (mut samples, begin) = (Samples::default(), Instant::now());
    let seconds = |time: Duration| usize::try_from(time.as_secs()).unwrap_or(usize::MAX);
    while begin.elapsed() < time {
        tokio::time::sleep(PERIOD.min(time.saturating_sub(begin.elapsed()))).await;
        samples.add(begin.elapsed(), process, crowd.done())?;
        host.progress(seconds(begin.elapsed()).min(seconds(time)), seconds(time), "seconds under full load");
    }
    (samples.unexpected, samples.notes) = crowd.unexpected();
    Ok(samples)
}
