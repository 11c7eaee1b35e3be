//! Tokens, page tokens and documents of one node are those of the other.

use client::http::Request;
use contract::chainguard::platform::{
    iam::v2beta1::{
        GetGroupRequest, ListGroupsRequest,
        rpc::{GetGroup, ListGroups},
    },
    vulnerabilities::v1::{Advisory, CreateAdvisoryRequest, rpc::Create},
};
use serde_json::json;

use crate::{Nodes, at, make_folder};

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_one_work_at_the_other() {
    let Some(nodes) = Nodes::start().await else { return };
    let get = GetGroupRequest { uid: nodes.one.organization().to_string() };
    let robot = nodes.one.workload(nodes.one.organization(), "robot", Some("viewer")).await;
    for round in 0..12 {
        let (mints, asked) = nodes.in_turn(round);
        at(asked, &mints.admin_again().await).must::<GetGroup>(get.clone()).await;
        let upstream = mints.mint("robot", mints.base_url(), json!({})).await;
        let token = mints.exchange(&upstream, robot.identity.as_ref()).await.expect("a token");
        asked.bearer(token.expose()).must::<GetGroup>(get.clone()).await;
        at(asked, &mints.operator().await).must::<GetGroup>(get.clone()).await;
    }
    nodes.stop().await;
}

/// A list that is continued at another node with every page is complete and in order.
#[tokio::test(flavor = "multi_thread")]
async fn pages_continue_at_the_other_node() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    let names: Vec<_> = (10..40).map(|number| format!("f{number}")).collect();
    for (round, name) in (0..).zip(&names) {
        make_folder(&nodes.in_turn(round).0.admin(), &org, name).await;
    }
    let (mut listed, mut page_token) = (Vec::new(), String::new());
    for round in 0.. {
        let parent = contract::chainguard::platform::common::UidpFilter { children_of: org.clone(), ..Default::default() };
        let order_by = "name".to_owned();
        let request = ListGroupsRequest { uidp: Some(parent), page_size: 4, order_by, page_token, ..Default::default() };
        let page = nodes.in_turn(round).0.admin().must::<ListGroups>(request).await;
        assert_eq!(page.total_count(), 30);
        listed.extend(page.groups.into_iter().map(|group| group.name));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(listed, names);
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_publish_the_same_documents() {
    let Some(nodes) = Nodes::start().await else { return };
    let discovery = nodes.one.nobody().http(Request::get("/.well-known/openid-configuration")).await.json();
    assert_eq!(discovery["issuer"], nodes.one.base_url());
    let keys = discovery["jwks_uri"].as_str().and_then(|url| url.strip_prefix(nodes.one.base_url())).expect("a URL of ours");
    for path in ["/.well-known/openid-configuration", keys, "/openapi.json"] {
        let (one, other) =
            (nodes.one.nobody().http(Request::get(path)).await, nodes.other.nobody().http(Request::get(path)).await);
        assert_eq!(one.status, 200, "{path}: {}", one.text());
        assert_eq!(one.text(), other.text(), "{path}");
    }
    nodes.stop().await;
}

/// What one node has written shows in the feeds of both, which are the same to the byte and have one entity tag.
#[tokio::test(flavor = "multi_thread")]
async fn both_make_the_same_feeds() {
    let Some(nodes) = Nodes::start().await else { return };
    let org = nodes.one.organization().to_string();
    for round in 0..6 {
        let (writes, asked) = nodes.in_turn(round);
        let spec = Advisory {
            artifact_name: "openssl".into(),
            artifact_type: "apk".into(),
            aliases: vec![format!("CVE-{round}")],
            ..Advisory::default()
        };
        let made = writes.admin().must::<Create>(CreateAdvisoryRequest { parent_id: org.clone(), advisory: Some(spec) }).await;
        assert!(made.id.starts_with(&org));
        for path in ["osv/all.zip", "vex/vex-data.zip", "secdb/security.json"] {
            let path = format!("/{}", path.replacen('/', &format!("/{org}/"), 1));
            let read = async |node| at(node, &writes.admin_again().await).http(Request::get(path.as_str())).await;
            let (one, other) = (read(asked).await, read(writes).await);
            assert_eq!((one.status, one.header("etag")), (other.status, other.header("etag")), "{path}");
            assert_eq!((one.status.as_u16(), &one.bytes), (200, &other.bytes), "{path}");
        }
    }
    nodes.stop().await;
}
