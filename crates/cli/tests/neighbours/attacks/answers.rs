//! Requests about which there is much to say.

use contract::Verb;
use serde_json::{Map, Value, json};

use super::method;
use crate::{
    derive::{json::Rest, wire},
    doors::{self, ATTACKER},
    site::Site,
    stage::{Length, Log},
};

/// A hundred violations, long paths and long names: the errors fit their clients, which the log looks at.
pub(crate) async fn large_errors(site: &Site, log: &Log, _: Length) {
    let (organization, token) = (&site.cast.owner.organization, Some(site.cast.owner.token.as_str()));
    let client = doors::http1(ATTACKER, true);
    let endless = "y".repeat(20_000);
    let many = |count: usize, each: &dyn Fn(usize) -> (String, Value)| Value::Object((0..count).map(each).collect::<Map<_, _>>());
    let claims = many(100, &|number| (format!("{number}{}", "c".repeat(600)), json!("(")));
    let capabilities: Vec<_> = (0..100).map(|number| format!("CAP_{number}_{}", "N".repeat(500))).collect();
    let paths: Vec<_> = (0..100).map(|number| format!("{}{number}", "p".repeat(500))).collect();
    let bodies = [
        (Verb::Get, format!("/iam/v2beta1/groups/{endless}"), None),
        (Verb::Get, format!("/{endless}"), None),
        (Verb::Get, format!("/iam/v2beta1/groups?{endless}=1"), None),
        (Verb::Get, format!("/iam/v2beta1/groups?pageToken={endless}&orderBy={endless}"), None),
        (Verb::Post, format!("/iam/v2beta1/groups/{organization}"), Some(json!({ "name": "n".repeat(1 << 20) }))),
        (Verb::Post, format!("/iam/v2beta1/groups/{organization}"), Some(many(1, &|_| ("k".repeat(1 << 20), json!(0))))),
        (Verb::Post, format!("/iam/v2beta1/roles/{organization}"), Some(json!({ "name": "r", "capabilities": capabilities }))),
        (
            Verb::Post,
            format!("/iam/v2beta1/identities/{organization}"),
            Some(json!({ "name": "i", "claimMatch": { "issuer": endless, "subject": endless, "claimPatterns": claims } })),
        ),
        (Verb::Patch, format!("/iam/v2beta1/groups/{organization}?updateMask={}", paths.join(",")), Some(json!({ "name": "g" }))),
    ];
    for (verb, path, body) in bodies {
        let name = format!("{verb:?} {}…", path.chars().take(60).collect::<String>());
        let rest = Rest { verb, path, body: body.map(|body| body.to_string().into_bytes()) };
        log.attack(name, doors::json(&client, site.attacked(), rest, token, false, &[])).await;
    }
    // The same over gRPC, where clients take eight thousand bytes.
    let paths = paths.iter().flat_map(|path| wire::field(1, path.as_bytes())).collect::<Vec<_>>();
    let group = wire::field(1, organization.as_bytes());
    let messages = [
        ("GetGroup", wire::field(1, endless.as_bytes())),
        ("UpdateGroup", [wire::field(1, &group), wire::field(2, &paths)].concat()),
        (
            "CreateGroup",
            [wire::field(1, organization.as_bytes()), wire::field(2, &wire::field(2, &vec![b'n'; 1 << 20]))].concat(),
        ),
    ];
    for (name, message) in messages {
        let head = doors::grpc_head(method(name).path, token, false, &[]);
        log.attack(name, doors::grpc(ATTACKER, site.attacked(), head, doors::frame(&message, false))).await;
    }
}
