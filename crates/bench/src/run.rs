//! One run: everything is made, measured and taken down.

use std::path::PathBuf;

use crate::{
    Result,
    cases::{Pace, decision, exchange, lists, program, requests, writes},
    host::{Host, Server},
    load::{
        Clients,
        http::{self, Connection},
    },
    report::Report,
    world,
};

/// What to measure, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// An empty folder on the disk that is to be measured. What is in it afterwards is the caller's to remove.
    pub folder: PathBuf,
    /// Measure for a minute rather than for several.
    pub quick: bool,
    /// Make plots as well.
    pub plots: bool,
}

impl Options {
    /// How many rows the longest list has.
    fn rows(&self) -> u64 {
        if self.quick { 100_000 } else { 1_000_000 }
    }

    fn pace(&self) -> Pace {
        let (rounds, millis) = if self.quick { (5, 250) } else { (9, 1000) };
        Pace { rounds, slice: std::time::Duration::from_millis(millis) }
    }
}

/// What is done, in this order.
const STEPS: [&str; 8] = [
    "starting servers on nothing",
    "decisions",
    "requests",
    "exchanges",
    "writes",
    "making rows",
    "long lists",
    "starting a server on all rows",
];

/// Measures everything.
///
/// # Errors
/// Why something could not be measured. Servers that were started have ended.
pub async fn run(host: &dyn Host, options: &Options) -> Result<Report> {
    let step = |at: usize| host.progress(at, STEPS.len(), STEPS.get(at).unwrap_or(&"done"));
    let (pace, mut report, data) = (options.pace(), Report::default(), options.folder.join("data"));
    step(0);
    report.rows.extend(program::empty(host, &options.folder, pace).await?);
    step(1);
    report.rows.extend(decision::measure(pace));
    let mut server = host.start(&data).await?;
    let end = std::mem::replace(&mut server.stop, Box::pin(async {}));
    let measured = served(host, &server, options, &mut report).await;
    drop(server);
    end.await;
    measured?;
    step(7);
    let lists = async |url: &str| long_lists(url, &host.owner(url).await?, options.rows()).await;
    report.rows.extend(program::full(host, &data, options.rows(), lists).await?);
    step(8);
    Ok(report)
}

/// What is measured of one server.
async fn served(host: &dyn Host, server: &Server, options: &Options, report: &mut Report) -> Result<()> {
    let step = |at: usize| host.progress(at, STEPS.len(), STEPS.get(at).unwrap_or(&"done"));
    let (pace, clients) = (options.pace(), Clients::new()?);
    let folder = world::folders(server, 1000).await?;
    step(2);
    report.rows.extend(requests::measure(server, &clients, &folder, pace).await?);
    step(3);
    report.rows.push(exchange::measure(server, pace).await?);
    step(4);
    report.rows.extend(writes::measure(host, server, &clients, &options.folder.join("raw"), pace).await?);
    step(5);
    let told = |done, total| host.progress(5, STEPS.len(), &format!("making rows: {done} of {total}"));
    let folders = lists::Folders::fill(server, options.rows(), told).await?;
    step(6);
    let (rows, growth) = lists::growth(server, &folders, pace).await?;
    report.rows.extend(rows);
    report.rows.extend(lists::depth(server, &folders, pace).await?);
    if options.plots {
        report.plots.push(("size.svg".to_owned(), growth));
        report.plots.push(("depth.svg".to_owned(), lists::plot_depth(server, &folders, pace).await?));
    }
    Ok(())
}

/// Pages in every order at the beginning and in the middle of everything that the server at `url` has.
async fn long_lists(url: &str, token: &str, rows: u64) -> Result<()> {
    let address = url.strip_prefix("http://").and_then(|address| address.parse().ok());
    let address = address.ok_or_else(|| crate::Error::new(format!("{url} is no address on this machine")))?;
    let mut connection = Connection::open(address, Vec::new()).await?;
    for order in ["uid", "name", "created_at"] {
        for skip in [0, rows / 2] {
            connection.set(http::get(&format!("/registry/v2beta1/repos?pageSize=200&orderBy={order}&skip={skip}"), token));
            connection.body().await?;
        }
    }
    Ok(())
}
