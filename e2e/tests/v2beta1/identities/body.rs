//! What only a JSON body can say: keys that are there and empty, null, and both spellings.

use client::http::Request;
use contract::chainguard::platform::iam::v2beta1::{
    CreateIdentityRequest, GetIdentityRequest, Identity,
    rpc::{CreateIdentity, GetIdentity},
};
use serde_json::json;
use testkit::{TestServer, Transcript};

use super::{ci, identity};

#[tokio::test]
async fn the_keys_of_a_patch_are_its_mask() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let mut transcript = Transcript::default();
    transcript.name(server.organization().as_str(), "org");
    let described = Identity { description: "builds".into(), ..identity("ci", Some(ci())) };
    let create = CreateIdentityRequest { parent: server.organization().to_string(), identity: Some(described) };
    let uid = admin.must::<CreateIdentity>(create).await.uid;
    let path = format!("/iam/v2beta1/identities/{uid}");
    for (title, body) in [
        ("nothing", json!({})),
        ("an empty text clears", json!({"description": ""})),
        ("and so does null", json!({"company": null})),
        ("a name cannot be cleared", json!({"name": null})),
        ("one claim leaves the others", json!({"claimMatch": {"subjectPattern": "ci-.*"}})),
        ("snake case is fine", json!({"claim_match": {"claim_patterns": {"ref": "main|dev"}}})),
        ("a map is replaced as a whole", json!({"claimMatch": {"claimPatterns": {"actor": "a.*"}}})),
        ("null in a oneof clears it", json!({"claimMatch": {"issuer": null}})),
        ("an optional member may go", json!({"claimMatch": {"audience": "provost"}})),
        ("and back to none", json!({"claimMatch": {"audience": null}})),
        ("another relationship", json!({"servicePrincipal": "SERVICE_PRINCIPAL_SKILLS"})),
        ("no relationship", json!({"servicePrincipal": null})),
        ("two relationships", json!({"claimMatch": {"subject": "a"}, "servicePrincipal": "SERVICE_PRINCIPAL_SKILLS"})),
        ("half a relationship", json!({"awsIdentity": {"awsAccount": "123456789012"}})),
        ("output-only keys are ignored", json!({"email": "mallory@example.com", "createTime": null})),
        ("unknown keys too", json!({"favouriteColour": "green"})),
        ("another uid than the path's", json!({"uid": "f".repeat(40)})),
    ] {
        transcript.http(title, &admin.http(Request::patch(&path, &body)).await);
    }
    let body = json!({"name": "ignored", "description": "kept"});
    let masked = format!("{path}?updateMask=description");
    transcript.http("a mask in the query wins", &admin.http(Request::patch(masked, &body)).await);
    let snake = format!("{path}?update_mask=description,company");
    transcript.http("in snake case, what is missing is cleared", &admin.http(Request::patch(snake, &json!({}))).await);
    let read = admin.must::<GetIdentity>(GetIdentityRequest { uid }).await;
    assert_eq!((read.name.as_str(), read.description.as_str()), ("ci", ""), "what was never named never changed");
    insta::assert_snapshot!(transcript.finish());
    server.stop().await;
}
