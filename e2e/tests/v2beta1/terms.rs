//! Terms, from the refusal to the acceptance.

use contract::chainguard::platform::{
    iam::{
        self as v1,
        rpc::{AcceptTerms as OldAcceptTerms, GroupsUpdate as OldUpdateGroup, ListAccepted},
        v2beta1::{
            AcceptTermsRequest, AcceptTermsResponse, GetGroupRequest, Group, ListTermsAcceptancesRequest,
            ListTermsAcceptancesResponse, UpdateGroupRequest,
            rpc::{AcceptTerms, CreateGroup, DeleteGroup, GetGroup, ListTermsAcceptances, UpdateGroup},
        },
    },
    registry::v2beta1::{CreateRepoRequest, Repo, UpdateRepoRequest, rpc::CreateRepo, rpc::UpdateRepo},
};
use domain::iam::TermsDocument;
use testkit::{Actor, Scenario, Setup, Transport, scenario_on};

use super::{absent, groups::new_group};

const IAM: &str = "chainguard.platform.iam.v2beta1.GroupsService";
const REPOS: &str = "chainguard.platform.registry.v2beta1.ReposService";

fn document(id: &str, label: &str, methods: &[&str]) -> TermsDocument {
    TermsDocument {
        id: id.to_owned(),
        label: label.to_owned(),
        url: format!("https://example.com/terms/{id}"),
        methods: methods.iter().map(|method| (*method).to_owned()).collect(),
    }
}

/// A server that knows two documents; changing a group needs both.
pub(crate) fn setup() -> Setup {
    let update = format!("{IAM}/UpdateGroup");
    let old_update = "chainguard.platform.iam.Groups/Update";
    let (create_repo, update_repo) = (format!("{REPOS}/CreateRepo"), format!("{REPOS}/UpdateRepo"));
    let terms = vec![
        document("tos.v1", "Terms of service", &[&update, old_update, &create_repo, &update_repo]),
        document("privacy.v2", "Privacy notice", &[&update, old_update]),
    ];
    Setup { terms, ..Setup::default() }
}

fn accept(group: &str, documents: &[&str]) -> AcceptTermsRequest {
    AcceptTermsRequest { group: group.to_owned(), document_ids: documents.iter().map(|id| (*id).to_owned()).collect() }
}

fn change(group: &str) -> UpdateGroupRequest {
    let group = Group { uid: group.to_owned(), description: "new".into(), ..Group::default() };
    UpdateGroupRequest { group: Some(group), update_mask: None }
}

fn list(group: &str) -> ListTermsAcceptancesRequest {
    ListTermsAcceptancesRequest { group: group.to_owned(), ..ListTermsAcceptancesRequest::default() }
}

async fn documents(s: &Scenario, who: &Actor, group: &str) -> Vec<(String, String)> {
    let listed: ListTermsAcceptancesResponse = s.quietly::<ListTermsAcceptances>(who, list(group)).await.ok();
    assert_eq!(listed.total_count, Some(i64::try_from(listed.terms_acceptances.len()).expect("few")));
    let mut found: Vec<_> = listed.terms_acceptances.into_iter().map(|item| (item.org_uid, item.doc_id)).collect();
    found.sort();
    found
}

#[tokio::test]
async fn what_a_method_needs_is_accepted_first() {
    let transcript = scenario_on(setup(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let folder = admin.must::<CreateGroup>(new_group(&org, "folder")).await.uid;
        s.name(&folder, "folder");
        s.call::<UpdateGroup>("needs two documents", &admin, change(&folder)).await;
        let old = v1::Group { id: folder.clone(), name: "folder".into(), ..v1::Group::default() };
        s.call::<OldUpdateGroup>("the same in v1, as v1 says it", &admin, old.clone()).await;
        assert_eq!(s.quietly::<GetGroup>(&admin, GetGroupRequest { uid: folder.clone() }).await.code, "OK", "this needs none");
        s.call::<AcceptTerms>("accepts one of them, twice at once", &admin, accept(&folder, &["tos.v1", "tos.v1"])).await;
        s.call::<UpdateGroup>("needs the other one", &admin, change(&folder)).await;
        s.call::<AcceptTerms>("accepts the other one for all of the organization", &admin, accept(&org, &["privacy.v2"])).await;
        assert_eq!(s.quietly::<UpdateGroup>(&admin, change(&folder)).await.code, "OK");
        assert_eq!(s.quietly::<OldUpdateGroup>(&admin, old).await.code, "OK");
        s.call::<UpdateGroup>("what the folder accepted is not the organization's", &admin, change(&org)).await;
        s.call::<ListTermsAcceptances>("what counts for the folder", &admin, list(&folder)).await;
        s.call::<ListAccepted>("the same in v1", &admin, v1::TermsFilter { group: folder.clone() }).await;
        s.call::<ListTermsAcceptances>("what counts for the organization", &admin, list(&org)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn rights_come_first() {
    scenario_on(setup(), async |s| {
        let org = s.server.organization().to_string();
        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        assert_eq!(s.quietly::<UpdateGroup>(&viewer, change(&org)).await.code, "PERMISSION_DENIED");
        assert_eq!(s.quietly::<AcceptTerms>(&viewer, accept(&org, &["tos.v1"])).await.code, "PERMISSION_DENIED");
        let stranger = s.server.stranger().await;
        assert_eq!(s.quietly::<ListTermsAcceptances>(&stranger, list(&org)).await.code, "PERMISSION_DENIED");
        assert_eq!(s.quietly::<UpdateGroup>(&stranger, change(&org)).await.code, "PERMISSION_DENIED");
        let operator = s.server.operator().await;
        assert_eq!(s.quietly::<UpdateGroup>(&operator, change(&org)).await.code, "FAILED_PRECONDITION", "nobody goes without");
        let bad = UpdateGroupRequest { group: Some(Group { name: "x".into(), ..Group::default() }), update_mask: None };
        assert_eq!(s.quietly::<UpdateGroup>(&operator, bad).await.code, "INVALID_ARGUMENT", "what names no group is told so");
    })
    .await;
}

#[tokio::test]
async fn what_is_in_a_group_needs_what_the_group_needs() {
    scenario_on(setup(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let repo =
            |name: &str| CreateRepoRequest { parent: org.clone(), repo: Some(Repo { name: name.into(), ..Repo::default() }) };
        assert_eq!(s.quietly::<CreateRepo>(&admin, repo("shop")).await.code, "FAILED_PRECONDITION");
        s.quietly::<OldAcceptTerms>(&admin, v1::AcceptTermsRequest { group: org.clone(), document_ids: vec!["tos.v1".into()] })
            .await
            .ok::<v1::AcceptTermsResponse>();
        let made: Repo = s.quietly::<CreateRepo>(&admin, repo("shop")).await.ok();
        let wish = Repo { uid: made.uid, description: "new".into(), ..Repo::default() };
        let update = UpdateRepoRequest { repo: Some(wish), update_mask: None };
        assert_eq!(s.quietly::<UpdateRepo>(&admin, update).await.code, "OK", "accepted two levels above");
    })
    .await;
}

#[tokio::test]
async fn accepting_is_idempotent_and_goes_with_the_group() {
    scenario_on(setup(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let folder = admin.must::<CreateGroup>(new_group(&org, "folder")).await.uid;
        let rehearsal = rehearsal_options();
        assert_eq!(s.quietly_with::<AcceptTerms>(&admin, accept(&folder, &["tos.v1"]), &rehearsal).await.code, "OK");
        assert_eq!(documents(s, &admin, &folder).await, [], "a rehearsal accepts nothing");
        let first: AcceptTermsResponse = s.quietly::<AcceptTerms>(&admin, accept(&folder, &["tos.v1"])).await.ok();
        let listed: ListTermsAcceptancesResponse = s.quietly::<ListTermsAcceptances>(&admin, list(&folder)).await.ok();
        s.server.clock().advance_seconds(60);
        let other = s.server.workload(s.server.organization(), "other", Some("owner")).await;
        let again: AcceptTermsResponse = s.quietly::<AcceptTerms>(&other, accept(&folder, &["tos.v1"])).await.ok();
        assert_eq!(again, first);
        let same: ListTermsAcceptancesResponse = s.quietly::<ListTermsAcceptances>(&admin, list(&folder)).await.ok();
        assert_eq!(same, listed, "who accepted first, and when, stays");
        assert_eq!(listed.terms_acceptances[0].accepted_by, s.server.admin_uid().as_str());
        s.quietly::<AcceptTerms>(&admin, accept(&org, &["tos.v1"])).await.ok::<AcceptTermsResponse>();
        let both = [(org.clone(), "tos.v1".to_owned()), (folder.clone(), "tos.v1".to_owned())];
        assert_eq!(documents(s, &admin, &folder).await, both);
        let delete = contract::chainguard::platform::iam::v2beta1::DeleteGroupRequest { uid: folder.clone() };
        assert_eq!(s.quietly::<DeleteGroup>(&admin, delete).await.code, "OK", "acceptances keep no group");
        assert_eq!(s.quietly::<ListTermsAcceptances>(&admin, list(&folder)).await.code, "NOT_FOUND");
        assert_eq!(documents(s, &admin, &org).await, both[..1]);
    })
    .await;
}

fn rehearsal_options() -> client::Options {
    client::Options { validate_only: true, ..client::Options::default() }
}

#[tokio::test]
async fn what_cannot_be_accepted_is_told() {
    let transcript = scenario_on(setup(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        s.call::<AcceptTerms>("no document", &admin, accept(&org, &[])).await;
        s.call::<AcceptTerms>("documents that nobody knows", &admin, accept(&org, &["tos.v1", "tos.v2", ""])).await;
        assert_eq!(documents(s, &admin, &org).await, [], "all of them or none");
        s.call::<AcceptTerms>("too many", &admin, accept(&org, &["tos.v1"; 33])).await;
        s.call::<AcceptTerms>("in no group", &admin, accept(&absent(&org), &["tos.v1"])).await;
        s.call::<AcceptTerms>("of no group", &admin, accept("", &["tos.v1"])).await;
        s.call::<ListTermsAcceptances>("by name", &admin, ListTermsAcceptancesRequest { order_by: "name".into(), ..list(&org) })
            .await;
        s.call::<ListTermsAcceptances>("of a group that is not there", &admin, list(&absent(&org))).await;
        let old = v1::AcceptTermsRequest { group: org.clone(), document_ids: vec![] };
        s.call::<OldAcceptTerms>("no document, in v1", &admin, old).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn lists_have_pages() {
    scenario_on(setup(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let folder = admin.must::<CreateGroup>(new_group(&org, "folder")).await.uid;
        for group in [&org, &folder] {
            let all = accept(group, &["tos.v1", "privacy.v2", "skills-tos.v1"]);
            s.quietly::<AcceptTerms>(&admin, all).await.ok::<AcceptTermsResponse>();
        }
        let mut request = ListTermsAcceptancesRequest { page_size: 4, order_by: "created_at desc".into(), ..list(&folder) };
        let first: ListTermsAcceptancesResponse = s.quietly::<ListTermsAcceptances>(&admin, request.clone()).await.ok();
        assert_eq!((first.terms_acceptances.len(), first.total_count), (4, Some(6)));
        request.page_token = first.next_page_token;
        let second: ListTermsAcceptancesResponse = s.quietly::<ListTermsAcceptances>(&admin, request.clone()).await.ok();
        assert_eq!((second.terms_acceptances.len(), second.next_page_token.as_str()), (2, ""));
        let mut all: Vec<_> = [first.terms_acceptances, second.terms_acceptances].concat();
        all.sort_by_key(|item| (item.org_uid.clone(), item.doc_id.clone()));
        all.dedup();
        assert_eq!(all.len(), 6);
        request.group = org;
        assert_eq!(s.quietly::<ListTermsAcceptances>(&admin, request).await.code, "INVALID_ARGUMENT", "a page of another group");
    })
    .await;
}

#[tokio::test]
async fn an_acceptance_is_an_event_once() {
    let server = testkit::TestServer::start_with(setup()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    for documents in [&["tos.v1"][..], &["tos.v1"], &["tos.v1", "privacy.v2"]] {
        assert_eq!(admin.call::<AcceptTerms>(Transport::Grpc, accept(&org, documents)).await.code, "OK");
    }
    let mut reader = server.store().reader().await.expect("reads");
    let events = store::outbox::pending(&mut reader, domain::Revision(0), 1000).await.expect("events");
    let kind = "dev.chainguard.api.iam.terms.accepted.v1";
    let of_terms: Vec<_> = events.iter().filter(|event| event.kind == kind).collect();
    assert_eq!(of_terms.len(), 2, "what was accepted before is no event");
    assert!(of_terms.iter().all(|event| event.customer && event.subject == org && event.group == org));
    drop(reader);
    server.stop().await;
}
