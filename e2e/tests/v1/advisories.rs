//! Advisories are written and reviewed here; v2beta1 reads the same rows.

use client::Options;
use contract::{
    chainguard::platform::vulnerabilities::{
        v1::{
            AdvisoriesList, Advisory, AdvisoryEvent, AdvisoryEventFilter, AdvisoryFilter, CreateAdvisoryEventRequest,
            CreateAdvisoryRequest, DeleteAdvisoryRequest, EventTypeFilter, OrderBy, ReviewStatus,
            advisory_event::{
                AnalysisNotPlanned, ComponentLocationChanged, Detection, FalsePositiveDetermination, FixNotPlanned, Fixed,
                Patched, PendingUpstreamFix, TruePositiveDetermination, Type,
                detection::{self, Manual, Nvdapi, ScanV1},
                false_positive_determination,
            },
            rpc::{Create, CreateAdvisoryEvent, Delete, List, ListAdvisoryEvents, Update, UpdateAdvisoryEvent},
        },
        v2beta1::{self, GetAdvisoryRequest, rpc::GetAdvisory},
    },
    prost_types::Timestamp,
};
use testkit::{Actor, Scenario, Setup, scenario, scenario_on};

use super::below;
use crate::v2beta1::absent;

/// What somebody says of a package.
pub(crate) fn new_advisory(parent: &str, package: &str, aliases: &[&str]) -> CreateAdvisoryRequest {
    let advisory = Advisory {
        artifact_name: package.into(),
        artifact_type: "apk".into(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        ..Advisory::default()
    };
    CreateAdvisoryRequest { parent_id: parent.into(), advisory: Some(advisory) }
}

/// An event of this type.
pub(crate) fn event(kind: Type) -> AdvisoryEvent {
    AdvisoryEvent { r#type: Some(kind), ..AdvisoryEvent::default() }
}

/// A version without the vulnerability is out.
pub(crate) fn fixed(version: &str) -> AdvisoryEvent {
    event(Type::Fixed(Fixed { fixed_version: version.into(), ..Fixed::default() }))
}

fn found_by(by: detection::Type) -> AdvisoryEvent {
    event(Type::Detection(Detection { r#type: Some(by) }))
}

pub(crate) fn by_hand() -> AdvisoryEvent {
    found_by(detection::Type::Manual(Manual {}))
}

/// Records an event of the advisory.
pub(crate) fn recorded(advisory: &str, event: AdvisoryEvent) -> CreateAdvisoryEventRequest {
    CreateAdvisoryEventRequest { parent_id: advisory.into(), advisory_event: Some(event) }
}

/// A review of the event has come to this.
pub(crate) fn reviewed(event: &str, status: ReviewStatus) -> AdvisoryEvent {
    AdvisoryEvent { id: event.into(), status: status.into(), ..AdvisoryEvent::default() }
}

async fn who(s: &Scenario, name: &str, role: &str) -> Actor {
    s.server.workload(s.server.organization(), name, Some(role)).await
}

fn events_of(advisory: &str) -> AdvisoryEventFilter {
    AdvisoryEventFilter { parent_id: advisory.into() }
}

#[tokio::test]
async fn are_kept_until_they_are_withdrawn() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut request = new_advisory(&org, "openssl", &["CVE-2024-4741", "GHSA-6vgq-8qjq-h578"]);
        if let Some(advisory) = &mut request.advisory {
            advisory.component_name = Some("libcrypto3".into());
            advisory.legacy_advisory_id = Some("CGA-old".into());
            let scan = ScanV1 { scanner: "grype".into(), subpackage_name: "libcrypto3".into(), ..ScanV1::default() };
            let mut found = found_by(detection::Type::Scanv1(scan));
            found.findings = vec![0, 1, 255].into();
            found.timestamp = Some(Timestamp { seconds: 1_700_000_000, nanos: 5_000_000 });
            advisory.events = vec![by_hand(), found];
        }
        let made: Advisory = s.call::<Create>("an advisory with two events", &admin, request).await.ok();
        s.name(&made.id, "advisory");
        let get = GetAdvisoryRequest { uid: made.id.clone() };
        s.call::<GetAdvisory>("as v2beta1 shows it", &admin, get.clone()).await;

        s.server.clock().advance_seconds(60);
        let whole = Advisory { events: Vec::new(), component_location: Some("usr/lib".into()), ..made.clone() };
        s.call::<Update>("where the component is", &admin, whole.clone()).await;
        let before = s.quietly::<GetAdvisory>(&admin, get.clone()).await;
        s.quietly::<Update>(&admin, Advisory { author: String::new(), ..whole.clone() }).await;
        assert_eq!(s.quietly::<GetAdvisory>(&admin, get.clone()).await, before, "the same values change nothing");

        s.server.clock().advance_seconds(60);
        let gone = DeleteAdvisoryRequest { id: made.id.clone() };
        s.call::<Delete>("is withdrawn", &admin, gone.clone()).await;
        let read: v2beta1::Advisory = s.quietly::<GetAdvisory>(&admin, get).await.ok();
        assert!(read.delete_time.is_some() && read.events.len() == 2, "it is read still");
        s.call::<Delete>("once", &admin, gone).await;
        s.call::<Update>("and changes no more", &admin, Advisory { artifact_name: "zlib".into(), ..whole }).await;
        s.call::<CreateAdvisoryEvent>("nor do its events", &admin, recorded(&made.id, by_hand())).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn events_are_reviewed_by_somebody_else() {
    let transcript = scenario(async |s| {
        let org = s.server.organization().to_string();
        let (creator, approver) =
            (who(s, "creator", "advisories.creator").await, who(s, "approver", "advisories.approver").await);
        s.name(creator.uid().as_str(), "creator");
        s.name(approver.uid().as_str(), "approver");
        let made: Advisory = s.quietly::<Create>(&creator, new_advisory(&org, "openssl", &["CVE-2024-4741"])).await.ok();
        s.name(&made.id, "advisory");
        let told: AdvisoryEvent =
            s.call::<CreateAdvisoryEvent>("a fix", &creator, recorded(&made.id, fixed("3.3.1-r0"))).await.ok();
        s.name(&told.id, "event");
        let review = |status| reviewed(&told.id, status);
        s.call::<UpdateAdvisoryEvent>("who writes does not approve", &creator, review(ReviewStatus::Approved)).await;
        let change = AdvisoryEvent { reviewer: "ben".into(), ..review(ReviewStatus::RequestChanges) };
        s.call::<UpdateAdvisoryEvent>("something has to change", &approver, change).await;
        let again = AdvisoryEvent { id: told.id.clone(), status: ReviewStatus::Pending.into(), ..fixed("3.3.1-r1") };
        s.call::<UpdateAdvisoryEvent>("it changes", &creator, again).await;

        s.server.clock().advance_seconds(60);
        let own: AdvisoryEvent = s.quietly::<CreateAdvisoryEvent>(&approver, recorded(&made.id, by_hand())).await.ok();
        s.call::<UpdateAdvisoryEvent>("nobody approves their own", &approver, reviewed(&own.id, ReviewStatus::Approved)).await;
        let at_once = AdvisoryEvent { status: ReviewStatus::Approved.into(), ..by_hand() };
        let refused = s.quietly::<CreateAdvisoryEvent>(&approver, recorded(&made.id, at_once.clone())).await;
        assert_eq!(refused.code, "PERMISSION_DENIED", "nor at once");
        let mut with_event = new_advisory(&org, "openssl", &[]);
        if let Some(advisory) = &mut with_event.advisory {
            advisory.events = vec![at_once];
        }
        assert_eq!(s.quietly::<Create>(&approver, with_event).await.code, "PERMISSION_DENIED", "nor with the advisory");

        let edited = AdvisoryEvent { status: ReviewStatus::Approved.into(), id: told.id.clone(), ..fixed("3.3.2-r0") };
        s.call::<UpdateAdvisoryEvent>("nor what they change at once", &approver, edited.clone()).await;
        s.call::<UpdateAdvisoryEvent>("an approval", &approver, review(ReviewStatus::Approved)).await;
        s.call::<UpdateAdvisoryEvent>("is final", &creator, edited).await;
        s.call::<UpdateAdvisoryEvent>("the same again changes nothing", &approver, review(ReviewStatus::Approved)).await;
        s.call::<UpdateAdvisoryEvent>("a rejection", &approver, reviewed(&own.id, ReviewStatus::Rejected)).await;
        s.call::<UpdateAdvisoryEvent>("is final as well", &approver, reviewed(&own.id, ReviewStatus::Pending)).await;
        s.call::<ListAdvisoryEvents>("the oldest first", &creator, events_of(&made.id)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn servers_may_let_everybody_approve_their_own() {
    scenario_on(Setup { self_approval: true, ..Setup::default() }, async |s| {
        let org = s.server.organization().to_string();
        let approver = who(s, "approver", "advisories.approver").await;
        let mut request = new_advisory(&org, "openssl", &[]);
        if let Some(advisory) = &mut request.advisory {
            advisory.events = vec![AdvisoryEvent { status: ReviewStatus::Approved.into(), ..by_hand() }];
        }
        let made: Advisory = s.quietly::<Create>(&approver, request).await.ok();
        assert_eq!(made.events[0].reviewer, approver.uid().as_str());
        let creator = who(s, "creator", "advisories.creator").await;
        let at_once = AdvisoryEvent { status: ReviewStatus::Approved.into(), ..by_hand() };
        let refused = s.quietly::<CreateAdvisoryEvent>(&creator, recorded(&made.id, at_once)).await;
        assert_eq!(refused.code, "PERMISSION_DENIED", "whoever may approve at all");
    })
    .await;
}

#[tokio::test]
async fn events_are_of_every_type() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: Advisory = s.quietly::<Create>(&admin, new_advisory(&org, "openssl", &[])).await.ok();
        s.name(&made.id, "advisory");
        let note = || "for readers".to_owned();
        let nvd = Nvdapi { cpe_searched: "cpe:2.3:a".into(), cpe_found: "cpe:2.3:b".into() };
        let reason = false_positive_determination::Type::ComponentVulnerabilityMismatch.into();
        let moved = ComponentLocationChanged { previous_location: "a".into(), new_location: "b".into(), note: note() };
        for kind in [
            Type::Detection(Detection { r#type: Some(detection::Type::Nvdapi(nvd)) }),
            Type::TruePositiveDetermination(TruePositiveDetermination::default()),
            Type::FalsePositiveDetermination(FalsePositiveDetermination { r#type: reason, note: note() }),
            Type::AnalysisNotPlanned(AnalysisNotPlanned::default()),
            Type::FixNotPlanned(FixNotPlanned { note: note() }),
            Type::PendingUpstreamFix(PendingUpstreamFix::default()),
            Type::Patched(Patched { patched_versions: vec!["1".into(), "2".into()], note: note() }),
            Type::ComponentLocationChanged(moved),
        ] {
            s.server.clock().advance_seconds(1);
            let outcome = s.quietly::<CreateAdvisoryEvent>(&admin, recorded(&made.id, event(kind))).await;
            assert_eq!(outcome.code, "OK", "{:#}", outcome.body);
        }
        s.call::<ListAdvisoryEvents>("in v1", &admin, events_of(&made.id)).await;
        let get = GetAdvisoryRequest { uid: made.id.clone() };
        s.call::<GetAdvisory>("v2beta1 has no word for the last one", &admin, get).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let nothing = CreateAdvisoryRequest { parent_id: org.clone(), advisory: None };
        s.call::<Create>("nothing", &admin, nothing).await;
        let mut wrong = new_advisory(&org, "open\nssl", &["", "CVE-1"]);
        if let Some(advisory) = &mut wrong.advisory {
            advisory.legacy_advisory_id = Some("x".repeat(256));
            let late = AdvisoryEvent { timestamp: Some(Timestamp { seconds: 4_000_000_000, nanos: 0 }), ..by_hand() };
            let unknown = FalsePositiveDetermination::default();
            let moved = ComponentLocationChanged::default();
            advisory.events = vec![
                AdvisoryEvent::default(),
                fixed(""),
                late,
                event(Type::FalsePositiveDetermination(unknown)),
                event(Type::Detection(Detection::default())),
                event(Type::Patched(Patched::default())),
                event(Type::ComponentLocationChanged(moved)),
            ];
        }
        s.call::<Create>("all that can be", &admin, wrong).await;
        let mut many = new_advisory(&org, "openssl", &[]);
        if let Some(advisory) = &mut many.advisory {
            advisory.events = vec![by_hand(); 101];
        }
        s.call::<Create>("too many events", &admin, many).await;
        let made: Advisory = s.quietly::<Create>(&admin, new_advisory(&org, "openssl", &[])).await.ok();
        s.name(&made.id, "advisory");
        let large = AdvisoryEvent { findings: vec![7; 60_000].into(), ..by_hand() };
        s.call::<CreateAdvisoryEvent>("too much", &admin, recorded(&made.id, large)).await;
        s.call::<CreateAdvisoryEvent>("of nothing", &admin, recorded(&absent(&org), by_hand())).await;
        let nobody = reviewed(&absent(&made.id), ReviewStatus::Pending);
        s.call::<UpdateAdvisoryEvent>("no such event", &admin, nobody).await;
        s.call::<UpdateAdvisoryEvent>("not an event", &admin, reviewed(&org, ReviewStatus::Pending)).await;
        s.call::<ListAdvisoryEvents>("no such advisory", &admin, events_of(&absent(&org))).await;
        let bad = AdvisoryFilter { event_types: vec![1, 77], order_by: 0, ..AdvisoryFilter::default() };
        s.call::<List>("types that there are not", &admin, bad).await;
        s.call::<List>("no such order", &admin, AdvisoryFilter { order_by: 99, ..AdvisoryFilter::default() }).await;
        s.call::<List>("a negative page", &admin, AdvisoryFilter { page_size: -1, ..AdvisoryFilter::default() }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn an_advisory_has_so_many_events() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut request = new_advisory(&org, "openssl", &[]);
        if let Some(advisory) = &mut request.advisory {
            advisory.events = vec![by_hand(); 100];
        }
        let made: Advisory = s.quietly::<Create>(&admin, request).await.ok();
        let refused = s.quietly::<CreateAdvisoryEvent>(&admin, recorded(&made.id, by_hand())).await;
        assert_eq!(
            (refused.code.as_str(), &refused.body["details"][0]["metadata"]["rule"]),
            ("FAILED_PRECONDITION", &"GROUP_FULL".into())
        );
    })
    .await;
}

#[tokio::test]
async fn events_have_the_version_of_their_advisory() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = s.quietly::<Create>(&admin, new_advisory(&org, "openssl", &[])).await;
        let advisory: Advisory = made.ok();
        let tagged = |tag: &Option<String>| Options { if_match: tag.clone(), ..Options::default() };
        let event = recorded(&advisory.id, by_hand());
        let stale = s.quietly_with::<CreateAdvisoryEvent>(&admin, event.clone(), &tagged(&Some("\"0\"".to_owned()))).await;
        assert_eq!(stale.code, "ABORTED");
        let told = s.quietly_with::<CreateAdvisoryEvent>(&admin, event.clone(), &tagged(&made.etag)).await;
        assert_eq!(told.code, "OK", "{:#}", told.body);
        let read = s.quietly::<GetAdvisory>(&admin, GetAdvisoryRequest { uid: advisory.id.clone() }).await;
        let listed = s.quietly::<ListAdvisoryEvents>(&admin, events_of(&advisory.id)).await;
        assert_eq!([&told.etag, &listed.etag], [&read.etag; 2]);
        let rehearsal = Options { validate_only: true, ..Options::default() };
        assert_eq!(s.quietly_with::<CreateAdvisoryEvent>(&admin, event, &rehearsal).await.code, "OK");
        assert_eq!(s.quietly::<ListAdvisoryEvents>(&admin, events_of(&advisory.id)).await, listed, "a rehearsal keeps nothing");
    })
    .await;
}

#[tokio::test]
async fn lists_have_orders_and_pages() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut made = Vec::new();
        for (package, alias) in [("a", "CVE-3"), ("b", "CVE-1"), ("c", "CVE-2")] {
            s.server.clock().advance_seconds(1);
            made.push(admin.must::<Create>(new_advisory(&org, package, &[alias])).await.id);
        }
        s.server.clock().advance_seconds(1);
        let whole = Advisory { id: made[0].clone(), ..new_advisory(&org, "a2", &["CVE-3"]).advisory.expect("one") };
        admin.must::<Update>(whole).await;
        s.server.clock().advance_seconds(1);
        admin.must::<Delete>(DeleteAdvisoryRequest { id: made[2].clone() }).await;
        let ids = |order: [usize; 3]| order.map(|at| made[at].clone()).to_vec();
        let mut by_id = made.clone();
        by_id.sort();
        let reversed = |mut ids: Vec<String>| {
            ids.reverse();
            ids
        };
        for (order, expected) in [
            (OrderBy::Unspecified, by_id.clone()),
            (OrderBy::IdAsc, by_id.clone()),
            (OrderBy::IdDesc, reversed(by_id)),
            (OrderBy::CreatedAtAsc, ids([0, 1, 2])),
            (OrderBy::CreatedAtDesc, ids([2, 1, 0])),
            (OrderBy::AliasesAsc, ids([1, 2, 0])),
            (OrderBy::AliasesDesc, ids([0, 2, 1])),
            (OrderBy::UpdatedAtAsc, ids([1, 0, 2])),
            (OrderBy::UpdatedAtDesc, ids([2, 0, 1])),
            (
                OrderBy::DeletedAtDesc,
                reversed(vec![made[0].clone().min(made[1].clone()), made[0].clone().max(made[1].clone()), made[2].clone()]),
            ),
        ] {
            let mut filter =
                AdvisoryFilter { uidp: Some(below(&org)), page_size: 2, order_by: order.into(), ..AdvisoryFilter::default() };
            let mut shown = Vec::new();
            loop {
                let page: AdvisoriesList = s.quietly::<List>(&admin, filter.clone()).await.ok();
                assert_eq!(page.total_count, Some(3));
                shown.extend(page.items.into_iter().map(|item| item.id));
                filter.page_token = page.next_page_token;
                if filter.page_token.is_empty() {
                    break;
                }
            }
            assert_eq!(shown, expected, "{order:?}");
        }
        let of = AdvisoryFilter {
            id: made[1].clone(),
            latest_event_type: Some(EventTypeFilter::Detection.into()),
            ..AdvisoryFilter::default()
        };
        let none: AdvisoriesList = s.quietly::<List>(&admin, of).await.ok();
        assert_eq!((none.items.len(), none.total_count), (0, Some(0)), "nothing of it is approved");
    })
    .await;
}
