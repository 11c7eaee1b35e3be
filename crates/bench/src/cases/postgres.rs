//! A server on PostgreSQL, beside `pgbench` on the same rows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use domain::Uidp;
use sts::jws::TokenAlgorithm;

use super::{
    Pace, exchange,
    lists::{ORDERS, Place},
    writes,
};
use crate::{
    Result,
    load::{
        Clients,
        asker::Asker,
        http::{self, Connection},
    },
    measure::{Medians, in_turn},
    reference::{
        pgbench::{Length, Pgbench},
        statements,
    },
    report::{Budget, Row},
    served::Server,
    world::Filled,
};

/// Connections that read, each with one request at a time, of ours and of `pgbench`.
const READERS: usize = 16;
/// How long a page in the middle of a long list may take, in milliseconds.
pub(crate) const PAGE: f64 = 50.0;
/// Pages that each run of `pgbench` reads.
const PAGES: u64 = 3;

/// What is measured beside `pgbench`: the parts that all cases need.
pub(crate) struct Bench<'a> {
    pub(crate) clients: &'a Clients,
    pub(crate) pgbench: &'a Pgbench<'a>,
    pub(crate) pace: Pace,
}

impl Bench<'_> {
    /// Requests, exchanges and writes; `folder` is the group to get.
    pub(crate) async fn requests(&self, server: &Server, folder: &Uidp) -> Result<Vec<Row>> {
        let get = http::get(&format!("/iam/v2beta1/groups/{folder}"), &server.owner);
        let get = self.load(server, get, READERS, "get.sql", &statements::group(folder)).await?;
        let list = format!("/iam/v2beta1/groups?uidp.descendantsOf={}", server.organization);
        let by_hand = statements::groups(&server.organization);
        let list = self.load(server, http::get(&list, &server.owner), READERS, "list.sql", &by_hand).await?;
        let exchange = exchange::measure(server, TokenAlgorithm::Es256, self.pace).await?;
        let create = statements::create(&server.organization);
        let numbers = Arc::new(AtomicU64::new(1 << 32));
        let stored = async || writes::together(self.pace.slice, &numbers, |number| writes::stored(server, number)).await;
        let stored = in_turn(self.pace.rounds, stored, async || self.rate("create.sql", &create, writes::WRITERS).await).await?;
        let request = writes::request(server);
        let created = self.load(server, request, writes::CONNECTIONS, "create.sql", &create).await?;
        let row = |case: &str, medians: Medians| {
            Row::beside(format!("PostgreSQL: {case}"), medians.ours, medians.reference, Budget::Reported)
        };
        Ok(vec![
            row("GET, JSON (requests/s)", get),
            row("LIST 50, JSON (requests/s)", list),
            row("exchange (tokens/s)", exchange),
            row("durable writes, 64 writers (writes/s)", stored),
            row("create, JSON, 64 clients (requests/s)", created),
        ])
    }

    /// Totals, and pages in the middle of a long list.
    pub(crate) async fn lists(&self, filled: &Filled) -> Result<Vec<Row>> {
        let (middle, place) = (filled.rows / 2, Place::Organization);
        let total = || http::get(&format!("{}&pageSize=1", place.path(filled, "uid", 0)), &filled.server.operator);
        let total = self.cost(filled, total, "total.sql", &statements::total(filled, place)).await?;
        let case = format!("PostgreSQL: exact total of {} rows (ms)", filled.rows);
        let mut rows = vec![Row::beside(case, total.ours, total.reference, Budget::Reported)];
        for order in ORDERS {
            for place in Place::ALL {
                let by_hand = statements::page(filled, place, order, middle);
                let pages = self.cost(filled, || place.page(filled, order, middle), "page.sql", &by_hand).await?;
                let case = format!("PostgreSQL: page at {middle} of {} rows by {order} {} (ms)", filled.rows, place.name());
                rows.push(Row::beside(case, pages.ours, pages.reference, Budget::Below(PAGE)));
            }
        }
        Ok(rows)
    }

    /// Requests per second over many connections, beside scripts per second over as many.
    async fn load(&self, server: &Server, request: Vec<u8>, count: usize, name: &str, by_hand: &str) -> Result<Medians> {
        let mut connections = Connection::crowd(self.clients, server.address, request, count).await?;
        let ours = async || self.clients.load(&mut connections, self.pace.slice).await;
        let clients = u64::try_from(count).unwrap_or(1);
        in_turn(self.pace.rounds, ours, async || self.rate(name, by_hand, clients).await).await
    }

    async fn rate(&self, name: &str, by_hand: &str, clients: u64) -> Result<f64> {
        let seconds = self.pace.slice.as_secs().max(1);
        Ok(self.pgbench.run(name, by_hand, clients, Length::Seconds(seconds)).await?.rate)
    }

    /// Milliseconds per request of one client, beside milliseconds per script.
    async fn cost(&self, filled: &Filled, request: impl Fn() -> Vec<u8>, name: &str, by_hand: &str) -> Result<Medians> {
        let mut asker = Asker::open(filled.server.address).await?;
        let reference = async || Ok(self.pgbench.run(name, by_hand, 1, Length::Scripts(PAGES)).await?.millis);
        in_turn(self.pace.rounds, async || asker.millis(self.pace.slice / 10, &request).await, reference).await
    }
}
