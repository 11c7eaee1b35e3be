//! What a request costs on servers with few and with many rows: it should be the same.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use super::Pace;
use crate::{
    Result,
    load::{asker::Asker, http},
    measure::all_in_turn,
    plot::{Chart, Line, Scale},
    report::{Budget, Row},
    world::{Filled, as_float, spread},
};

/// How many times the cost on the smallest server any other may cost.
const TIMES: f64 = 2.0;
/// How many times as many rounds there are as elsewhere, each of which is as much shorter: what one connection's answers cost
/// depends on the cores that its tasks come to run on, and stays so, which over few connections is no median.
const ROUNDS: u16 = 8;

/// A question, asked in the same way on every server.
struct Question {
    name: &'static str,
    /// The request, with a number that no other one gets.
    request: fn(&Filled, u64) -> Vec<u8>,
}

const QUESTIONS: [Question; 5] = [
    Question { name: "GET", request: one },
    Question { name: "first page", request: |filled, _| page(filled, "") },
    Question { name: "page in the middle", request: |filled, _| page(filled, &format!("&skip={}", filled.rows / 2)) },
    Question { name: "exact total", request: |filled, _| page(filled, "&pageSize=1") },
    Question { name: "create", request: create },
];

/// Measures each question on every server beside the first one, which has the fewest rows; the chart shows what they cost.
pub(crate) async fn measure(by_size: &[Filled], pace: Pace) -> Result<(Vec<Row>, Chart)> {
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for question in &QUESTIONS {
        let (numbers, time) = (AtomicU64::new(1 << 40), pace.slice / 10 / u32::from(ROUNDS));
        let costs = all_in_turn(pace.rounds * usize::from(ROUNDS), by_size, async |filled| {
            let mut asker = Asker::open(filled.server.address).await?;
            asker.ask((question.request)(filled, numbers.fetch_add(1, Ordering::Relaxed))).await?;
            asker.millis(time, || (question.request)(filled, numbers.fetch_add(1, Ordering::Relaxed))).await
        });
        let costs: Vec<_> = by_size.iter().map(|filled| filled.rows).zip(costs.await?).collect();
        let Some((&(least, reference), others)) = costs.split_first() else { continue };
        for (count, ours) in others {
            let case = format!("{} of {count} rows beside {least} (ms)", question.name);
            rows.push(Row::beside(case, *ours, reference, Budget::Times(TIMES)));
        }
        let points = costs.into_iter().map(|(count, cost)| (as_float(count), cost));
        lines.push(Line { name: question.name.to_owned(), points: points.collect() });
    }
    // Nobody asks for a total alone; its line would hide that of the first page.
    lines.retain(|line| line.name != "exact total");
    let (across, up) = (("rows", Scale::Logarithmic), ("milliseconds per request", Scale::Logarithmic));
    Ok((rows, Chart { title: "Cost of a request, by the number of rows".to_owned(), across, up, lines }))
}

/// One repository, each time another.
fn one(filled: &Filled, number: u64) -> Vec<u8> {
    http::get(&format!("/registry/v2beta1/repos/{}", filled.repository(spread(number) % filled.rows)), &filled.server.owner)
}

/// A page of all repositories by name.
fn page(filled: &Filled, options: &str) -> Vec<u8> {
    let path = format!("/registry/v2beta1/repos?uidp.childrenOf={}&orderBy=name{options}", filled.folder);
    http::get(&path, &filled.server.owner)
}

/// A new repository beside the others.
fn create(filled: &Filled, number: u64) -> Vec<u8> {
    let body = json!({"name": format!("new-{number}")}).to_string();
    http::post(&format!("/registry/v2beta1/repos/{}", filled.folder), &filled.server.owner, &body)
}
