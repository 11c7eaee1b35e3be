//! What the public reads: published advisories, what databases say, and what builds have resolved.

use contract::{
    chainguard::platform::{
        advisory::v2beta1::{
            ImageRef, ListDocumentsRequest, ListDocumentsResponse, ListResolvedVulnsReportsRequest,
            ListResolvedVulnsReportsResponse, ListVulnerabilityMetadataRequest, ListVulnerabilityMetadataResponse,
            rpc::{ListDocuments, ListResolvedVulnsReports, ListVulnerabilityMetadata},
        },
        iam::v2beta1::rpc::CreateGroup,
        registry::v2beta1::{CreateTagRequest, Tag, rpc::CreateTag},
        vulnerabilities::v1::{
            AdvisoryEvent, DeleteAdvisoryRequest, ReviewStatus,
            rpc::{Create, CreateAdvisoryEvent, Delete},
        },
    },
    prost_types::Timestamp,
    provost::registry::v1::{SetGroupVisibilityRequest, rpc::SetGroupVisibility},
};
use domain::Clock as _;
use serde_json::json;
use testkit::{Actor, Outcome, Scenario, Setup, Transport, scenario, scenario_on};

use super::{
    advisories::read::know,
    groups::new_group,
    tags::{digest, make_repo},
};
use crate::v1::advisories::{by_hand, fixed, new_advisory, recorded};

/// Servers where one actor can do all.
pub(crate) fn alone() -> Setup {
    Setup { self_approval: true, ..Setup::default() }
}

pub(crate) fn approved(event: AdvisoryEvent) -> AdvisoryEvent {
    AdvisoryEvent { status: ReviewStatus::Approved.into(), ..event }
}

/// An advisory with an approved event and one that is not.
pub(crate) async fn publish(admin: &Actor, group: &str, package: &str, aliases: &[&str]) -> String {
    let mut request = new_advisory(group, package, aliases);
    if let Some(advisory) = &mut request.advisory {
        advisory.events = vec![approved(fixed("1.2.3-r0")), by_hand()];
    }
    admin.must::<Create>(request).await.id
}

pub(crate) async fn make_public(admin: &Actor, group: &str) {
    admin.must::<SetGroupVisibility>(SetGroupVisibilityRequest { uid: group.to_owned(), public: true }).await;
}

#[tokio::test]
async fn documents_are_of_public_groups() {
    let transcript = scenario_on(alone(), async |s| {
        let (admin, nobody) = (s.server.admin(), s.server.nobody());
        let org = s.server.organization().to_string();
        let folder = admin.must::<CreateGroup>(new_group(&org, "open")).await.uid;
        let everything = ListDocumentsRequest::default();
        s.call::<ListDocuments>("nothing is public", &nobody, everything.clone()).await;
        make_public(&admin, &folder).await;
        publish(&admin, &folder, "openssl", &["CVE-1"]).await;
        publish(&admin, &folder, "curl", &["CVE-1", "CVE-2"]).await;
        publish(&admin, &folder, "openssl", &["CVE-2"]).await;
        publish(&admin, &org, "openssl", &["CVE-3"]).await;
        admin.must::<Create>(new_advisory(&folder, "openssl", &["CVE-4"])).await;
        let gone = publish(&admin, &folder, "openssl", &["CVE-5"]).await;
        admin.must::<Delete>(DeleteAdvisoryRequest { id: gone }).await;
        s.call::<ListDocuments>("published advisories of the folder", &nobody, everything).await;
        let of = |id: &str, cves: &[&str]| ListDocumentsRequest {
            id: id.to_owned(),
            cves: cves.iter().map(|cve| (*cve).to_owned()).collect(),
        };
        let found = async |request| {
            let listed: ListDocumentsResponse = s.quietly::<ListDocuments>(&nobody, request).await.ok();
            let documents = listed.documents.into_iter().map(|document| (document.id, document.advisories.len()));
            documents.collect::<Vec<_>>()
        };
        let (curl, openssl) = (|n| ("curl".to_owned(), n), |n| ("openssl".to_owned(), n));
        assert_eq!(found(of("openssl", &[])).await, [openssl(2)]);
        assert_eq!(found(of("", &["CVE-1"])).await, [curl(1), openssl(1)]);
        assert_eq!(found(of("openssl", &["CVE-1", "CVE-2"])).await, [openssl(2)]);
        assert_eq!(found(of("", &["CVE-3", "CVE-4", "CVE-5"])).await, []);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn vulnerabilities_have_pages() {
    let transcript = scenario(async |s| {
        let (admin, nobody) = (s.server.admin(), s.server.nobody());
        let org = s.server.organization().clone();
        let private = admin.must::<CreateGroup>(new_group("", "private")).await.uid;
        for (n, id) in ["CVE-3", "CVE-1", "CVE-2"].into_iter().enumerate() {
            know(&s.server, &org, id, u8::try_from(n).expect("few")).await;
        }
        know(&s.server, &private.parse().expect("a UIDP"), "CVE-0", 1).await;
        make_public(&admin, org.as_str()).await;
        let of = ListVulnerabilityMetadataRequest { id: "CVE-2".into(), ..Default::default() };
        s.call::<ListVulnerabilityMetadata>("one", &nobody, of).await;
        for (order, expected) in [("", ["CVE-1", "CVE-2", "CVE-3"]), ("id desc", ["CVE-3", "CVE-2", "CVE-1"])] {
            let mut request = ListVulnerabilityMetadataRequest { page_size: 2, order_by: order.into(), ..Default::default() };
            let mut shown = Vec::new();
            loop {
                let page: ListVulnerabilityMetadataResponse =
                    s.quietly::<ListVulnerabilityMetadata>(&nobody, request.clone()).await.ok();
                assert_eq!(page.total_count, Some(3));
                shown.extend(page.vulnerability_metadata.into_iter().map(|known| known.id));
                request.page_token = page.next_page_token;
                if request.page_token.is_empty() {
                    break;
                }
            }
            assert_eq!(shown, expected);
        }
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let both = ListVulnerabilityMetadataRequest { ids: ids(&["CVE-3", "CVE-0", "CVE-3"]), skip: 1, ..Default::default() };
        s.call::<ListVulnerabilityMetadata>("all are passed over", &nobody, both).await;
        let never = ListVulnerabilityMetadataRequest { id: "CVE-1".into(), ids: ids(&["CVE-2"]), ..Default::default() };
        s.call::<ListVulnerabilityMetadata>("what both cannot name", &nobody, never).await;
        let order = ListVulnerabilityMetadataRequest { order_by: "uid".into(), ..Default::default() };
        s.call::<ListVulnerabilityMetadata>("another order", &nobody, order).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

const DAY: i64 = 24 * 60 * 60;

async fn build(s: &Scenario, admin: &Actor, repo: &str, n: u8) {
    let tag = Some(Tag { name: "latest".into(), digest: digest(n), ..Tag::default() });
    let made = s.quietly::<CreateTag>(admin, CreateTagRequest { parent: repo.into(), tag }).await;
    assert_eq!(made.code, "OK", "{:#}", made.body);
}

/// The report of these days from the time of the server's clock on.
async fn report(s: &Scenario, actor: &Actor, repo: &str, from: i64, to: i64) -> Outcome {
    let now = s.server.clock().now().seconds();
    let at = |days: i64| Some(Timestamp { seconds: now + days * DAY, nanos: 0 });
    let image_refs = vec![ImageRef { repo: repo.into(), tags: Vec::new() }];
    let request = ListResolvedVulnsReportsRequest { image_refs, start_time: at(from), end_time: at(to) };
    // Lists of messages have no place in a query.
    actor.call::<ListResolvedVulnsReports>(Transport::Grpc, request).await
}

#[tokio::test]
async fn builds_resolve_what_was_fixed_before_them() {
    let transcript = scenario_on(alone(), async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        know(&s.server, &org, "CVE-2024-4741", 1).await;
        let stranger = s.server.stranger().await;
        let repo = make_repo(s, &admin, "app").await.uid;
        s.name(&repo, "repo");
        let outcome = report(s, &admin, &repo, 0, 0).await;
        s.transcript.step("nothing was built", &outcome);
        build(s, &admin, &repo, 1).await;
        s.server.clock().advance_seconds(DAY);
        let admin = s.server.admin_again().await;
        build(s, &admin, &repo, 2).await;
        let outcome = report(s, &admin, &repo, 0, 0).await;
        s.transcript.step("nothing was fixed", &outcome);
        // What is fixed in the same moment may be in it.
        s.server.clock().advance_seconds(60);
        let advisory = admin.must::<Create>(new_advisory(org.as_str(), "app", &["GHSA-1", "CVE-2024-4741"])).await.id;
        admin.must::<CreateAdvisoryEvent>(recorded(&advisory, approved(fixed("1.1")))).await;
        s.server.clock().advance_seconds(2 * DAY);
        let admin = s.server.admin_again().await;
        build(s, &admin, &repo, 3).await;
        s.server.clock().advance_seconds(DAY);
        let admin = s.server.admin_again().await;
        build(s, &admin, &repo, 4).await;
        let outcome = report(s, &admin, &repo, -3, 0).await;
        s.transcript.step("the next build has it no more", &outcome);
        let before: ListResolvedVulnsReportsResponse = report(s, &admin, &repo, -3, -2).await.ok();
        assert!(before.resolved_vulns_reports.iter().all(|day| day.resolved_vulns.is_empty()));
        let outcome = report(s, &admin, &repo, -9, -8).await;
        assert_eq!(outcome.code, "FAILED_PRECONDITION", "before there was anything: {:#}", outcome.body);
        let upstream = s.server.mint("stranger", s.server.base_url(), json!({})).await;
        let token = s.server.exchange(&upstream, stranger.identity.as_ref()).await.expect("a token");
        let outcome = report(s, &s.server.bearer(token.expose()), &repo, -3, 0).await;
        assert_eq!(outcome.code, "FAILED_PRECONDITION", "of what one may not see there is nothing: {:#}", outcome.body);
        let outcome = report(s, &admin, &repo, 0, -1).await;
        s.transcript.step("backwards", &outcome);
        let outcome = report(s, &admin, &repo, -400, 0).await;
        s.transcript.step("too long", &outcome);
        let nowhere = ListResolvedVulnsReportsRequest {
            image_refs: vec![ImageRef { repo: "app".into(), tags: vec!["a b".into()] }],
            ..Default::default()
        };
        let outcome = admin.call::<ListResolvedVulnsReports>(Transport::Grpc, nowhere).await;
        s.transcript.step("names of repositories, and no time", &outcome);
        let nobody = s.server.nobody();
        assert_eq!(report(s, &nobody, &repo, 0, 0).await.code, "UNAUTHENTICATED");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
