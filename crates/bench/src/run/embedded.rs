//! Everything that is measured of servers with the embedded database.

use std::{net::SocketAddr, path::Path};

use sts::jws::TokenAlgorithm;

use super::{Options, Started, Steps};
use crate::{
    Result,
    cases::{advisories, callers, decision, exchange, growth, lists, program, requests, writes},
    host::Host,
    load::{Clients, asker::Asker, http},
    report::Report,
    served::{self, Server},
    world::{self, Filled, Scattered},
};

/// What is done, in this order.
const STEPS: [&str; 10] = [
    "starting servers on nothing",
    "decisions",
    "requests",
    "exchanges",
    "writes",
    "making rows",
    "few and many rows",
    "long lists",
    "advisories",
    "starting a server on all rows",
];

pub(super) async fn run(host: &dyn Host, options: &Options) -> Result<Report> {
    let (steps, pace) = (Steps { host, names: &STEPS }, options.pace());
    let (mut report, data) = (Report::default(), options.folder.join("data"));
    steps.begin(0);
    report.rows.extend(program::empty(host, &options.folder, pace).await?);
    steps.begin(1);
    report.rows.extend(decision::measure(pace));
    let mut started = Started::none(&options.database);
    let measured = Box::pin(served(steps, &mut started, &data, options, &mut report)).await;
    started.end().await;
    measured?;
    steps.begin(9);
    let lists = async |address, url: &str| long_lists(address, &served::owner(url).await?, options.rows()).await;
    report.rows.extend(program::full(host, &data, options.rows(), lists).await?);
    steps.begin(10);
    Ok(report)
}

/// What is measured of servers in this process; the data of the largest is in `data`.
async fn served(steps: Steps<'_>, started: &mut Started, data: &Path, options: &Options, report: &mut Report) -> Result<()> {
    let (pace, clients) = (options.pace(), Clients::new()?);
    let server = started.server(data).await?;
    let folder = world::folders(&server, 1000).await?;
    steps.begin(2);
    report.rows.extend(requests::measure(&server, &clients, &folder, pace).await?);
    steps.begin(3);
    report.rows.push(exchange::row(&server, TokenAlgorithm::Es256, pace).await?);
    let rsa = started.signing_with(TokenAlgorithm::Rs256, &options.folder.join("rs256")).await?;
    report.rows.push(exchange::row(&rsa, TokenAlgorithm::Rs256, pace).await?);
    steps.begin(4);
    report.rows.extend(writes::measure(&server, &clients, &options.folder.join("raw"), pace).await?);
    steps.begin(5);
    let by_size = fill(steps, started, server, options).await?;
    let Some(largest) = by_size.last() else { return Ok(()) };
    let scattered = Scattered::fill(largest).await?;
    steps.begin(6);
    for filled in &by_size {
        lists::prepare(filled).await?;
    }
    let (rows, size) = growth::measure(&by_size, pace).await?;
    report.rows.extend(rows);
    steps.begin(7);
    report.rows.extend(lists::depth(largest, pace).await?);
    report.rows.extend(callers::measure(largest, &scattered, pace, "", lists::ANYWHERE).await?);
    if options.charts {
        report.charts.push(("size", size));
        report.charts.push(("depth", lists::chart(largest, pace).await?));
    }
    steps.begin(8);
    let server = started.server(&options.folder.join("advisories")).await?;
    let told = |rows| steps.within(8, &format!("advisories: {rows} of {}", options.rows()));
    advisories::fill(&server, options.rows(), told).await?;
    report.rows.extend(advisories::measure(&server, options.rows(), pace).await?);
    Ok(())
}

/// A server for each number of rows, `largest` the last of them.
async fn fill(steps: Steps<'_>, started: &mut Started, largest: Server, options: &Options) -> Result<Vec<Filled>> {
    let (mut by_size, mut done, total): (_, _, u64) = (Vec::new(), 0, options.sizes().iter().sum());
    let mut largest = Some(largest);
    for rows in options.sizes().iter().copied() {
        let server = match largest.take_if(|_| rows == options.rows()) {
            Some(largest) => largest,
            None => started.server(&options.folder.join(format!("rows-{rows}"))).await?,
        };
        let told = |rows| steps.within(5, &format!("making rows: {} of {total}", done + rows));
        by_size.push(Filled::fill(server, rows, told).await?);
        done += rows;
    }
    Ok(by_size)
}

/// Pages in every order at the beginning and in the middle of everything that the server at `address` has.
async fn long_lists(address: SocketAddr, token: &str, rows: u64) -> Result<()> {
    let mut asker = Asker::open(address).await?;
    for order in lists::ORDERS {
        for skip in [0, rows / 2] {
            let path = format!("/registry/v2beta1/repos?pageSize=200&orderBy={order}&skip={skip}");
            asker.ask(http::get(&path, token)).await?;
        }
    }
    Ok(())
}
