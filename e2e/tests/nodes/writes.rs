//! Writes through one node are seen by the other, and none is lost between them.

use std::collections::BTreeSet;

use client::Options;
use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        DeleteGroupRequest, GetGroupRequest, Group, ListGroupsRequest, UpdateGroupRequest,
        rpc::{CreateGroup, DeleteGroup, GetGroup, ListGroups, UpdateGroup},
    },
};
use testkit::{Actor, Transport, change_at_once};
use tokio::task::JoinSet;

use crate::{Nodes, at, folder, make_folder};

const ROUNDS: u64 = 48;

fn children(of: &str) -> ListGroupsRequest {
    let uidp = Some(UidpFilter { children_of: of.to_owned(), ..UidpFilter::default() });
    ListGroupsRequest { uidp, page_size: 200, ..ListGroupsRequest::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn created_changed_and_deleted() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    for round in 0..ROUNDS {
        let (writes, asked) = nodes.in_turn(round);
        let uid = make_folder(&writes.admin(), &org, "folder").await;
        let get = GetGroupRequest { uid: uid.clone() };
        assert_eq!(asked.admin().must::<GetGroup>(get.clone()).await.name, "folder", "round {round}");
        assert_eq!(asked.admin().must::<ListGroups>(children(&org)).await.total_count(), 1, "round {round}");

        let (writes, asked) = nodes.in_turn(round + ROUNDS);
        let group = Some(Group { uid: uid.clone(), name: format!("changed-{round}"), ..Group::default() });
        writes.admin().must::<UpdateGroup>(UpdateGroupRequest { group, update_mask: None }).await;
        assert_eq!(asked.admin().must::<GetGroup>(get.clone()).await.name, format!("changed-{round}"));

        let (writes, asked) = nodes.in_turn(round + 2 * ROUNDS);
        writes.admin().must::<DeleteGroup>(DeleteGroupRequest { uid }).await;
        assert_eq!(asked.admin().call::<GetGroup>(Transport::Grpc, get).await.code, "NOT_FOUND", "round {round}");
        assert_eq!(asked.admin().must::<ListGroups>(children(&org)).await.total_count(), 0, "round {round}");
    }
    nodes.stop().await;
}

/// Many change one group through both nodes at once: each change is made, to what the one before has left.
#[tokio::test(flavor = "multi_thread")]
async fn both_change_one_group_at_once() {
    let Some(nodes) = Nodes::start().await else { return };
    let uid = make_folder(&nodes.one.admin(), nodes.one.organization().as_str(), "contended").await;
    let clients = (0..32).map(|client| at([&nodes.one, &nodes.other][client % 4 / 2], &nodes.one.admin())).collect();
    change_at_once(nodes.one.store(), clients, &uid, 2).await;
    nodes.stop().await;
}

/// Both nodes write at once; nothing is lost, counted twice or refused.
#[tokio::test(flavor = "multi_thread")]
async fn both_write_at_once() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    let mut clients = JoinSet::new();
    for client in 0..16 {
        let (admin, org) = (nodes.in_turn(client).0.admin(), org.clone());
        clients.spawn(async move {
            let mut made = Vec::new();
            for number in 0..8 {
                made.push(make_folder(&admin, &org, &format!("c{client}-{number}")).await);
            }
            made
        });
    }
    let made: BTreeSet<_> = clients.join_all().await.into_iter().flatten().collect();
    assert_eq!(made.len(), 128);
    for node in [&nodes.one, &nodes.other] {
        let page = node.admin().must::<ListGroups>(children(&org)).await;
        assert_eq!(page.total_count(), 128);
        assert_eq!(page.groups.into_iter().map(|group| group.uid).collect::<BTreeSet<_>>(), made);
    }
    nodes.stop().await;
}

/// An entity tag read at one node counts at the other, and of two writers who read the same one wins.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_read_the_same_one_writes() {
    let Some(nodes) = Nodes::start().await else { return };
    let uid = make_folder(&nodes.one.admin(), nodes.one.organization().as_str(), "folder").await;
    for round in 0..ROUNDS / 4 {
        let get = GetGroupRequest { uid: uid.clone() };
        let read = nodes.in_turn(round).0.admin().call::<GetGroup>(Transport::Grpc, get).await;
        let update = |admin: Actor, name: String| {
            let options = Options { if_match: read.etag.clone(), ..Options::default() };
            let group = Some(Group { uid: uid.clone(), name, ..Group::default() });
            let request = UpdateGroupRequest { group, update_mask: None };
            async move { admin.call_with::<UpdateGroup>(Transport::Grpc, request, &options).await.code }
        };
        let one = update(nodes.one.admin(), format!("one-{round}"));
        let other = update(nodes.other.admin(), format!("other-{round}"));
        let mut codes = <[String; 2]>::from(tokio::join!(one, other));
        codes.sort();
        assert_eq!(codes, ["ABORTED", "OK"], "round {round}");
    }
    nodes.stop().await;
}

/// A retry may reach the other node: it is answered, and not applied again.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_may_come_to_the_other_node() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    let robot = nodes.one.workload(nodes.one.organization(), "robot", Some("owner")).await;
    for round in 0..ROUNDS / 2 {
        let (first, second) = nodes.in_turn(round);
        let options = Options { idempotency_key: Some(format!("key-{round}")), ..Options::default() };
        let create = async |actor: Actor| {
            actor.call_with::<CreateGroup>(Transport::Grpc, folder(&org, &format!("once-{round}")), &options).await
        };
        let answer = create(at(first, &robot)).await;
        assert_eq!(answer.code, "OK", "{:#}", answer.body);
        assert_eq!(create(at(second, &robot)).await, answer, "round {round}: the whole answer, entity tag included");

        let racing = Options { idempotency_key: Some(format!("race-{round}")), ..Options::default() };
        let race = async |actor: Actor| {
            actor.call_with::<CreateGroup>(Transport::Grpc, folder(&org, &format!("race-{round}")), &racing).await
        };
        let (one, other) = tokio::join!(race(at(&nodes.one, &robot)), race(at(&nodes.other, &robot)));
        let uids: BTreeSet<_> = [one, other]
            .into_iter()
            .filter_map(|outcome| {
                if outcome.code == "OK" {
                    return Some(outcome.ok::<Group>().uid);
                }
                let rule = &outcome.body["details"][0]["metadata"]["rule"];
                assert_eq!(rule, "IDEMPOTENT_REQUEST_RUNNING", "{:#}", outcome.body);
                None
            })
            .collect();
        assert_eq!(uids.len(), 1, "round {round}: of two at once one is applied");
    }
    let total = nodes.one.admin().must::<ListGroups>(children(&org)).await.total_count();
    assert_eq!(u64::try_from(total), Ok(ROUNDS), "each folder once");
    nodes.stop().await;
}
