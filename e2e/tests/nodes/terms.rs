//! What was accepted at one node counts for the next request to the other.

use contract::chainguard::platform::iam::v2beta1::{
    AcceptTermsRequest, Group, UpdateGroupRequest,
    rpc::{AcceptTerms, UpdateGroup},
};
use domain::iam::TermsDocument;
use testkit::{Setup, TestServer, Transport};

use crate::{Nodes, make_folder};

const ROUNDS: u64 = 24;

#[tokio::test(flavor = "multi_thread")]
async fn an_acceptance_counts_at_every_node_at_once() {
    let Some(cluster) = pgcluster::shared() else { return };
    let document = TermsDocument {
        id: "tos.v1".to_owned(),
        label: "Terms of service".to_owned(),
        url: "https://example.com/tos".to_owned(),
        methods: vec!["chainguard.platform.iam.v2beta1.GroupsService/UpdateGroup".to_owned()],
    };
    let setup = Setup { database: Some(cluster.database()), terms: vec![document], ..Setup::default() };
    let one = TestServer::start_with(setup).await;
    let nodes = Nodes { other: one.second_node().await, one };
    let org = nodes.one.organization().to_string();
    for round in 0..ROUNDS {
        let (writes, asked) = nodes.in_turn(round);
        let folder = make_folder(&writes.admin(), &org, &format!("f{round}")).await;
        let change = |description: &str| {
            let group = Group { uid: folder.clone(), description: description.into(), ..Group::default() };
            UpdateGroupRequest { group: Some(group), update_mask: None }
        };
        let before = asked.admin().call::<UpdateGroup>(Transport::Grpc, change("before")).await;
        assert_eq!(before.code, "FAILED_PRECONDITION", "round {round}: before the acceptance: {:#}", before.body);
        let accept = AcceptTermsRequest { group: folder.clone(), document_ids: vec!["tos.v1".to_owned()] };
        writes.admin().must::<AcceptTerms>(accept).await;
        let after = asked.admin().call::<UpdateGroup>(Transport::Grpc, change("after")).await;
        assert_eq!(after.code, "OK", "round {round}: after the acceptance: {:#}", after.body);
    }
    nodes.stop().await;
}
