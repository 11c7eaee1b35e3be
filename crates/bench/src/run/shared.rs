//! Everything that is measured of a server whose database is on PostgreSQL.

use store::Postgres;

use super::{Options, Started, Steps};
use crate::{
    Result,
    cases::{
        Pace, callers, lists,
        postgres::{Bench, PAGE},
    },
    host::Host,
    load::Clients,
    reference::pgbench::{Length, Pgbench},
    report::Report,
    world::{self, Filled, Scattered},
};

/// How many rows a quick run makes: each takes two round trips to the database, and a hundred thousand would take a minute alone.
const QUICK_ROWS: u64 = 20_000;
/// What is done, in this order.
const STEPS: [&str; 4] = ["starting a server", "requests, exchanges and writes", "making rows", "long lists"];

pub(super) async fn run(host: &dyn Host, options: &Options, database: &Postgres) -> Result<Report> {
    let pgbench = Pgbench::find(host, database, &options.folder)?;
    // Fewer rounds, because each run of `pgbench` takes a second at least.
    let pace = if options.quick { Pace { rounds: 3, ..options.pace() } } else { options.pace() };
    let mut started = Started::none(&options.database);
    let measured = served(Steps { host, names: &STEPS }, &mut started, &pgbench, options, pace).await;
    started.end().await;
    measured
}

async fn served(steps: Steps<'_>, started: &mut Started, pgbench: &Pgbench<'_>, options: &Options, pace: Pace) -> Result<Report> {
    steps.begin(0);
    let (clients, server) = (Clients::new()?, started.server(&options.folder.join("data")).await?);
    let bench = Bench { clients: &clients, pgbench, pace };
    let folder = world::folders(&server, 1000).await?;
    steps.begin(1);
    let mut report = Report { rows: bench.requests(&server, &folder).await?, ..Report::default() };
    steps.begin(2);
    let total = if options.quick { QUICK_ROWS } else { options.rows() };
    let told = |rows| steps.within(2, &format!("making rows: {rows} of {total}"));
    let filled = Filled::fill(server, total, told).await?;
    let scattered = Scattered::fill(&filled).await?;
    steps.begin(3);
    lists::prepare(&filled).await?;
    // What autovacuum does within a minute or two, so that plans follow what is there, of ours and of the reference.
    pgbench.run("analyze.sql", "ANALYZE repos, groups, counts, role_bindings, changes;\n", 1, Length::Scripts(1)).await?;
    report.rows.extend(bench.lists(&filled).await?);
    report.rows.extend(callers::measure(&filled, &scattered, pace, "PostgreSQL: ", PAGE).await?);
    steps.begin(4);
    Ok(report)
}
