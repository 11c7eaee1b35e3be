use aws_lc_rs::digest::{SHA256, digest};
use client::http::Request;
use contract::chainguard::platform::{
    iam::{
        CreateGroupRequest as OldCreateGroup, DeleteGroupRequest as OldDeleteGroup, Group as OldGroup,
        rpc::{GroupsCreate, GroupsDelete},
        v2beta1::{DeleteGroupRequest, rpc::DeleteGroup},
    },
    oidc::{ExchangeRequest, rpc::Exchange},
};
use serde_json::{Value, json};
use testkit::{Delivered, Setup, Sink, TestServer};

use super::{folder, names, subscribe};

/// The claims of the token that has come with it, verified as a receiver does.
async fn claims(server: &TestServer, delivered: &Delivered) -> Value {
    let keys = server.nobody().http(Request::get("/.well-known/jwks.json")).await.text();
    let keys: jsonwebtoken::jwk::JwkSet = serde_json::from_str(&keys).expect("a key set");
    let token = delivered.header("authorization").strip_prefix("Bearer ").expect("a bearer token");
    let header = jsonwebtoken::decode_header(token).expect("a token");
    let key = keys.find(&header.kid.expect("a key id")).expect("a published key");
    let mut validation = jsonwebtoken::Validation::new(header.alg);
    validation.set_audience(&["customer"]);
    validation.set_issuer(&[server.base_url()]);
    // The server's clock stands still in the past.
    validation.validate_exp = false;
    let key = jsonwebtoken::DecodingKey::from_jwk(key).expect("a key");
    jsonwebtoken::decode::<Value>(token, &key, &validation).expect("a token of the server").claims
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_in_order_and_signed() {
    let server = TestServer::start_with(Setup::delivering()).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    folder(&admin, &org, "before").await;
    let (all, some) = (Sink::start().await, Sink::start().await);
    let team = folder(&admin, &org, "team").await;
    let subscription = subscribe(&admin, &org, &all.url()).await;
    let below = subscribe(&admin, &team.uid, &some.url()).await;

    let new = folder(&admin, &team.uid, "new").await;
    let group = OldGroup { name: "old".into(), ..OldGroup::default() };
    let old = admin.must::<GroupsCreate>(OldCreateGroup { parent: team.uid.clone(), group: Some(group) }).await;
    folder(&admin, &org, "elsewhere").await;
    admin.must::<DeleteGroup>(DeleteGroupRequest { uid: new.uid.clone() }).await;
    admin.must::<GroupsDelete>(OldDeleteGroup { id: old.id.clone() }).await;

    let some = some.taken(4).await;
    assert_eq!(names(&some), ["new", "old", "", ""], "what is in the group and below it");
    let all = all.taken(6).await;
    assert_eq!(names(&all), ["", "new", "old", "elsewhere", "", ""], "the other subscription is an event, too");
    assert_eq!(all[0].header("ce-type"), "dev.chainguard.api.events.subscription.created.v1");

    let event = &all[1];
    assert_eq!(event.id(), some[0].id(), "it is the same event");
    for (name, value) in [
        ("content-type", "application/json"),
        ("ce-specversion", "1.0"),
        ("ce-type", "dev.chainguard.api.iam.group.created.v1"),
        ("ce-source", &format!("{}/iam/v2beta1/groups", server.base_url())),
        ("ce-subject", &new.uid),
        ("ce-time", "2026-01-02T03:04:05.678Z"),
        ("ce-group", &new.uid),
        ("ce-audience", "customer"),
        ("ce-bodytype", "chainguard.platform.iam.v2beta1.Group"),
        ("ce-actor", admin.uid().as_str()),
        ("ce-chainguarddev1delivery", "webhook"),
        ("ce-chainguarddev1subscription", &subscription),
    ] {
        assert_eq!(event.header(name), value, "{name}");
    }
    let data = event.json();
    assert_eq!(data["actor"]["subject"], json!(admin.uid().as_str()));
    assert_eq!(data["actor"]["act"]["iss"], json!(server.issuer()));
    assert_eq!(data["body"]["uid"], json!(new.uid));

    for (event, group) in [(event, org.as_str()), (&some[0], team.uid.as_str())] {
        let claims = claims(&server, event).await;
        let digest = digest(&SHA256, event.body.as_bytes());
        let hex = digest.as_ref().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        assert_eq!(claims["webhook"], json!({ "digest": format!("sha256:{hex}") }));
        assert_eq!(claims["sub"], json!(format!("webhook:{group}")));
        assert_eq!(claims["aud"], json!("customer"));
    }
    let token = event.header("authorization").strip_prefix("Bearer ").expect("a token");
    let back = server.bearer(token).call::<Exchange>(testkit::Transport::Grpc, ExchangeRequest::default()).await;
    assert_ne!(back.code, "OK", "the token is worth nothing here");

    assert_eq!(some[1].header("ce-bodytype"), "chainguard.platform.iam.Group");
    assert_eq!(some[1].header("ce-source"), format!("{}/iam/v1/groups", server.base_url()));
    assert_eq!(some[1].json()["body"]["id"], json!(old.id));
    assert_eq!(some[2].header("ce-bodytype"), "chainguard.platform.iam.v2beta1.DeleteGroupRequest");
    assert_eq!(some[2].json()["body"], json!({ "uid": new.uid }));
    assert_eq!(some[2].header("ce-group"), team.uid, "what is gone belongs to its parent");
    assert_eq!(some[3].json()["body"], json!({ "id": old.id }));
    let chainguard = some[3].header("ce-chainguarddev1subscription");
    assert_eq!(chainguard, below);
    server.stop().await;
}
