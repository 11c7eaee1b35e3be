//! Pages in the middle of a long list, in every order, at every kind of place.

use std::time::{Duration, Instant};

use super::Pace;
use crate::{
    Error, Result,
    load::{asker::Asker, http},
    measure::{in_turn, median},
    plot::{Chart, Line, Scale},
    report::{Budget, Row},
    world::{Filled, as_float},
};

/// How long a page in the middle may take where nothing is promised against the first page, in milliseconds.
pub(crate) const ANYWHERE: f64 = 150.0;
/// How many times the first page's cost a page in the middle may cost where that is promised.
const TIMES: f64 = 2.0;
/// How long ranks may take to stand before they are given up.
const PATIENCE: Duration = Duration::from_mins(2);

/// The orders of lists.
pub(crate) const ORDERS: [&str; 3] = ["uid", "name", "created_at"];

/// Where the rows of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Everywhere,
    Organization,
    Folder,
    Children,
}

impl Place {
    pub(crate) const ALL: [Self; 4] = [Self::Everywhere, Self::Organization, Self::Folder, Self::Children];

    /// As a case calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "everywhere",
            Self::Organization => "below an organization",
            Self::Folder => "below a folder",
            Self::Children => "among children",
        }
    }

    /// Whether its pages in this order cost what the first one costs, however far behind it they are.
    fn is_flat(self, order: &str) -> bool {
        order == "uid" || matches!(self, Self::Organization | Self::Children)
    }

    /// The request for the page behind `skip` rows.
    pub(crate) fn page(self, filled: &Filled, order: &str, skip: u64) -> Vec<u8> {
        http::get(&self.path(filled, order, skip), &filled.server.operator)
    }

    /// The path of that request.
    pub(crate) fn path(self, filled: &Filled, order: &str, skip: u64) -> String {
        let filter = match self {
            Self::Everywhere => String::new(),
            Self::Organization => format!("uidp.descendantsOf={}&", filled.server.organization),
            Self::Folder => format!("uidp.descendantsOf={}&", filled.folder),
            Self::Children => format!("uidp.childrenOf={}&", filled.folder),
        };
        format!("/registry/v2beta1/repos?{filter}orderBy={order}&skip={skip}")
    }
}

/// How long what a server finds pages far behind the first with is behind the last write at most.
const BEHIND: Duration = Duration::from_secs(1);

/// Waits for what a server finds pages far behind the first with, in every order and at every kind of place.
///
/// # Errors
/// When that takes minutes.
pub(crate) async fn prepare(filled: &Filled) -> Result<()> {
    let begin = Instant::now();
    while !filled.server.store.ranks_stand() {
        if begin.elapsed() > PATIENCE {
            return Err(Error::new(format!("the ranks of {} rows are not there after two minutes", filled.rows)));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    tokio::time::sleep(BEHIND).await;
    Ok(())
}

/// Measures the page in the middle of the longest list, in every order and at every kind of place, beside the first page.
pub(crate) async fn depth(filled: &Filled, pace: Pace) -> Result<Vec<Row>> {
    let address = filled.server.address;
    let (mut ours, mut reference) = (Asker::open(address).await?, Asker::open(address).await?);
    let (mut rows, middle, time) = (Vec::new(), filled.rows / 2, pace.slice / 10);
    for order in ORDERS {
        for place in Place::ALL {
            let pages = in_turn(
                pace.rounds,
                async || ours.millis(time, || place.page(filled, order, middle)).await,
                async || reference.millis(time, || place.page(filled, order, 0)).await,
            );
            let pages = pages.await?;
            let case = format!("page at {middle} of {} rows by {order} {} (ms)", filled.rows, place.name());
            let budget = if place.is_flat(order) { Budget::Times(TIMES) } else { Budget::Below(ANYWHERE) };
            rows.push(Row::beside(case, pages.ours, pages.reference, budget));
        }
    }
    Ok(rows)
}

/// What a page of the longest list costs, by its depth, in every order below the organization.
pub(crate) async fn chart(filled: &Filled, pace: Pace) -> Result<Chart> {
    let (mut asker, mut lines) = (Asker::open(filled.server.address).await?, Vec::new());
    for order in ORDERS {
        let mut points = Vec::new();
        for tenth in 0..10 {
            let skip = filled.rows * tenth / 10;
            let mut figures = Vec::with_capacity(pace.rounds);
            for _ in 0..pace.rounds {
                figures.push(asker.millis(pace.slice / 10, || Place::Organization.page(filled, order, skip)).await?);
            }
            points.push((as_float(skip), median(figures)));
        }
        lines.push(Line { name: format!("by {order}"), points });
    }
    let (across, up) = (("rows passed over", Scale::Linear), ("milliseconds per page", Scale::Linear));
    Ok(Chart { title: "Cost of a page of 50 with its total, by its depth".to_owned(), across, up, lines })
}
