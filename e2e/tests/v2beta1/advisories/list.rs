use contract::chainguard::platform::{
    iam::v2beta1::rpc::CreateGroup,
    vulnerabilities::{
        v1::{
            Advisory, AdvisoryEvent, ReviewStatus,
            rpc::{Create, CreateAdvisoryEvent},
        },
        v2beta1::{EventTypeFilter, ListAdvisoriesRequest, ListAdvisoriesResponse, ReviewState, rpc::ListAdvisories},
    },
};
use testkit::{Actor, Scenario, Setup, scenario, scenario_on};

use crate::{
    v1::advisories::{by_hand, fixed, new_advisory, recorded},
    v2beta1::groups::new_group,
};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The packages of what a list finds, in the order of their names.
async fn packages(s: &Scenario, actor: &Actor, request: ListAdvisoriesRequest) -> Vec<String> {
    let listed: ListAdvisoriesResponse = s.quietly::<ListAdvisories>(actor, request).await.ok();
    assert_eq!(listed.total_count, Some(i64::try_from(listed.advisories.len()).expect("few")));
    let mut packages: Vec<_> = listed.advisories.into_iter().map(|advisory| advisory.artifact_name).collect();
    packages.sort();
    packages
}

#[tokio::test]
async fn every_filter_narrows() {
    Box::pin(scenario_on(Setup { self_approval: true, ..Setup::default() }, async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut ids = Vec::new();
        for package in ["curl", "openssl", "zlib"] {
            let mut request = new_advisory(&org, package, &["CVE-shared", &format!("CVE-{package}")]);
            if let Some(advisory) = &mut request.advisory {
                advisory.artifact_type = format!("type-{package}");
                advisory.artifact_architecture = format!("arch-{package}");
                advisory.component_name = Some(format!("Part of {package}"));
                advisory.component_type = Some(format!("kind-{package}"));
                advisory.component_location = Some(format!("lib/{package}"));
                advisory.legacy_advisory_id = Some(format!("OLD-{package}"));
                let status = if package == "zlib" { ReviewStatus::Pending } else { ReviewStatus::Approved };
                let found = AdvisoryEvent {
                    author: format!("author of {package}"),
                    reviewer: format!("reviewer of {package}"),
                    status: status.into(),
                    ..by_hand()
                };
                advisory.events = vec![found];
            }
            ids.push(admin.must::<Create>(request).await);
        }
        s.server.clock().advance_seconds(1);
        let approved = AdvisoryEvent { status: ReviewStatus::Approved.into(), ..fixed("1") };
        admin.must::<CreateAdvisoryEvent>(recorded(&ids[1].id, approved)).await;

        let none = ListAdvisoriesRequest::default;
        let bits = |kind: EventTypeFilter| vec![i32::from(kind)];
        for (request, expected) in [
            (none(), &["curl", "openssl", "zlib"][..]),
            (
                ListAdvisoriesRequest { advisory_ids: vec![ids[0].advisory_id.clone(), ids[2].advisory_id.clone()], ..none() },
                &["curl", "zlib"],
            ),
            (ListAdvisoriesRequest { legacy_advisory_ids: texts(&["OLD-zlib", "OLD-none"]), ..none() }, &["zlib"]),
            (ListAdvisoriesRequest { artifact_names: texts(&["zlib", "curl"]), ..none() }, &["curl", "zlib"]),
            (ListAdvisoriesRequest { artifact_types: texts(&["type-zlib"]), ..none() }, &["zlib"]),
            (ListAdvisoriesRequest { artifact_architectures: texts(&["arch-curl"]), ..none() }, &["curl"]),
            (ListAdvisoriesRequest { component_names: texts(&["Part of curl"]), ..none() }, &["curl"]),
            (ListAdvisoriesRequest { component_types: texts(&["kind-curl", "kind-zlib"]), ..none() }, &["curl", "zlib"]),
            (ListAdvisoriesRequest { component_locations: texts(&["lib/openssl"]), ..none() }, &["openssl"]),
            (ListAdvisoriesRequest { aliases: texts(&["CVE-shared"]), ..none() }, &["curl", "openssl", "zlib"]),
            (ListAdvisoriesRequest { aliases: texts(&["CVE-curl", "CVE-zlib"]), ..none() }, &["curl", "zlib"]),
            (ListAdvisoriesRequest { origin: Some("zlib".into()), artifact_names: texts(&["curl"]), ..none() }, &["zlib"]),
            (ListAdvisoriesRequest { event_review_states: vec![ReviewState::Pending.into()], ..none() }, &["zlib"]),
            (ListAdvisoriesRequest { event_authors: texts(&["author of curl"]), ..none() }, &["curl"]),
            (ListAdvisoriesRequest { exclude_event_authors: texts(&["author of curl"]), ..none() }, &["openssl", "zlib"]),
            (ListAdvisoriesRequest { event_reviewers: texts(&["reviewer of curl"]), ..none() }, &["curl"]),
            (ListAdvisoriesRequest { event_types: bits(EventTypeFilter::Fixed), ..none() }, &["openssl"]),
            (ListAdvisoriesRequest { event_types: bits(EventTypeFilter::Detection), ..none() }, &["curl", "openssl", "zlib"]),
            (ListAdvisoriesRequest { latest_event_type: Some(EventTypeFilter::Detection.into()), ..none() }, &["curl"]),
            (ListAdvisoriesRequest { latest_event_type: Some(EventTypeFilter::Fixed.into()), ..none() }, &["openssl"]),
            (ListAdvisoriesRequest { query: "PART OF C".into(), ..none() }, &["curl"]),
            (ListAdvisoriesRequest { query: "ssl".into(), ..none() }, &["openssl"]),
            (ListAdvisoriesRequest { query: "cve-z".into(), ..none() }, &["zlib"]),
            (
                ListAdvisoriesRequest {
                    aliases: texts(&["CVE-shared"]),
                    artifact_names: texts(&["curl", "openssl"]),
                    event_types: bits(EventTypeFilter::Fixed),
                    ..none()
                },
                &["openssl"],
            ),
        ] {
            assert_eq!(packages(s, &admin, request.clone()).await, expected, "{request:?}");
        }
        let anybody = s.quietly::<ListAdvisories>(&s.server.stranger().await, none()).await.ok::<ListAdvisoriesResponse>();
        assert_eq!(anybody.total_count, Some(0), "who holds it nowhere sees nothing");
    }))
    .await;
}

#[tokio::test]
async fn filters_have_limits_and_orders() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let none = ListAdvisoriesRequest::default;
        let many = ListAdvisoriesRequest { aliases: vec!["CVE-1".into(); 101], ..none() };
        s.call::<ListAdvisories>("too many aliases", &admin, many).await;
        let wrong = ListAdvisoriesRequest {
            event_types: vec![1, 9],
            event_review_states: vec![7],
            latest_event_type: Some(77),
            ..none()
        };
        s.call::<ListAdvisories>("types and states that there are not", &admin, wrong).await;
        s.call::<ListAdvisories>("too long a text", &admin, ListAdvisoriesRequest { query: "x".repeat(256), ..none() }).await;
        s.call::<ListAdvisories>("they have no names", &admin, ListAdvisoriesRequest { order_by: "name".into(), ..none() }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn shows_what_lies_where_the_caller_may_look() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder = admin.must::<CreateGroup>(new_group(&org, "team")).await.uid;
        for (place, package) in [(&org, "above"), (&folder, "below")] {
            let _: Advisory = admin.must::<Create>(new_advisory(place, package, &["CVE-1"])).await;
        }
        let viewer = s.server.workload(&folder.parse().expect("a UIDP"), "viewer", Some("advisories.viewer")).await;
        let by_alias = ListAdvisoriesRequest { aliases: texts(&["CVE-1"]), ..ListAdvisoriesRequest::default() };
        assert_eq!(packages(s, &viewer, by_alias.clone()).await, ["below"]);
        assert_eq!(packages(s, &admin, by_alias).await, ["above", "below"]);
        let by_text = ListAdvisoriesRequest { query: "o".into(), ..ListAdvisoriesRequest::default() };
        assert_eq!(packages(s, &viewer, by_text).await, ["below"]);
    })
    .await;
}
