//! Advisories: reading one of many, and lists that several filters narrow.

use domain::{
    Revision, Timestamp, Uidp,
    vulnerabilities::{
        Advisory, AdvisoryEvent, AdvisorySpec, Detection, EventKind, Fixed, ReviewState, advisory_event::Findings,
    },
};
use store::rows;

use super::Pace;
use crate::{
    Result,
    load::{asker::Asker, http},
    report::{Budget, Row},
    served::Server,
    world::spread,
};

/// How long reading one may take, in milliseconds.
const ONE: f64 = 5.0;
/// How long a list may take, in milliseconds.
const LIST: f64 = 10.0;
/// Packages that advisories are about, in their distribution.
const PACKAGES: u64 = 5_000;
/// Advisories about one vulnerability.
const SHARED: u64 = 20;
/// Rows that one write adds.
const BATCH: u64 = 2_000;
/// Answers that are measured.
const ANSWERS: u64 = 500;

/// Adds so many advisories to the server's organization; `told` hears how many there are so far.
pub(crate) async fn fill(server: &Server, rows: u64, told: impl Fn(u64)) -> Result<()> {
    let mut next = 0;
    while next < rows {
        let (begin, end) = (next, rows.min(next + BATCH));
        let (ctx, organization) = (server.ctx("fill"), server.organization.clone());
        let work = server.store.write(&ctx, move |tx| {
            Box::pin(async move {
                for number in begin..end {
                    rows::insert(tx, &advisory(&organization, number)).await?;
                }
                Ok(())
            })
        });
        work.await?;
        next = end;
        told(next);
    }
    Ok(())
}

/// Measures 99 of 100 answers: of one advisory, each time another, and of lists.
pub(crate) async fn measure(server: &Server, rows: u64, pace: Pace) -> Result<Vec<Row>> {
    let mut asker = Asker::open(server.address).await?;
    let one = |number: u64| uid(&server.organization, spread(number) % rows).to_string();
    let by_package = |number: u64| {
        let package = spread(number) % PACKAGES;
        format!("?artifactNames=package-{package}&artifactTypes=apk&latestEventType=EVENT_TYPE_FILTER_FIXED")
    };
    let by_alias = |number: u64| {
        let alias = spread(number) % rows.div_ceil(SHARED);
        format!("?aliases=CVE-{alias}&artifactArchitectures=x86_64&eventTypes=EVENT_TYPE_FILTER_DETECTION")
    };
    let by_kinds = |_| "?artifactTypes=apk&artifactArchitectures=x86_64&latestEventType=EVENT_TYPE_FILTER_FIXED".to_owned();
    let mut ask = async |path: &dyn Fn(u64) -> String, answers| {
        let request = |number| http::get(&path(number), &server.operator);
        asker.slowest_of_99(answers, request).await
    };
    let answers = ANSWERS * u64::try_from(pace.rounds).unwrap_or(1);
    let path = |rest: String| format!("/vulnerabilities/v2beta1/advisories{rest}");
    let get = ask(&|number| path(format!("/{}", one(number))), answers).await?;
    let package = ask(&|number| path(by_package(number)), answers).await?;
    let alias = ask(&|number| path(by_alias(number)), answers).await?;
    let kinds = ask(&|number| path(by_kinds(number)), 10).await?;
    let case = |what: &str| format!("{what} of {rows} advisories, p99 (ms)");
    Ok(vec![
        Row::alone(case("one"), get, Budget::Below(ONE)),
        Row::alone(case("list by package, type and latest event"), package, Budget::Below(LIST)),
        Row::alone(case("list by alias, architecture and event"), alias, Budget::Below(LIST)),
        Row::alone(case("list by what most of them have"), kinds, Budget::Reported),
    ])
}

fn uid(organization: &Uidp, number: u64) -> Uidp {
    organization.child(spread(number).to_be_bytes())
}

/// An advisory with two events that were approved, or three.
fn advisory(organization: &Uidp, number: u64) -> Advisory {
    let uid = uid(organization, number);
    let at = Timestamp(1_767_225_600_000 + i64::try_from(number ^ 0x2a5).unwrap_or(i64::MAX));
    let scattered = spread(!number);
    let fixed = Fixed { version: format!("1.{}.{}-r0", scattered % 20, scattered % 7), ..Fixed::default() };
    let kinds = [
        EventKind::Detection(Detection::Manual),
        EventKind::TruePositiveDetermination { note: "It is reached by what strangers send.".to_owned() },
        EventKind::Fixed(fixed),
    ];
    let events = kinds.into_iter().zip(1_u64..).take(2 + usize::from(!scattered.is_multiple_of(3)));
    let event = |(kind, number): (EventKind, u64)| AdvisoryEvent {
        uid: uid.child(number.to_be_bytes()),
        at,
        kind,
        findings: Findings::default(),
        author: format!("author-{}", scattered % 10),
        reviewer: "reviewer".to_owned(),
        review: ReviewState::Approved,
        issue: None,
        written_by: organization.clone(),
    };
    let spec = AdvisorySpec {
        artifact_name: format!("package-{}", scattered % PACKAGES),
        artifact_type: "apk".to_owned(),
        artifact_architecture: if scattered.is_multiple_of(2) { "x86_64" } else { "aarch64" }.to_owned(),
        component_name: Some(format!("component-{}", scattered % 50_000)),
        component_location: Some("usr/lib".to_owned()),
        component_type: Some("go-module".to_owned()),
        aliases: vec![format!("CVE-{}", number / SHARED), format!("GHSA-{number:x}")],
        author: "author".to_owned(),
        legacy_id: None,
    };
    Advisory {
        events: events.map(event).collect(),
        uid,
        spec,
        withdrawn_at: None,
        created_at: at,
        updated_at: at,
        revision: Revision::default(),
    }
}
