//! Patterns of claims that take long to read or to compile.

use contract::Verb;
use futures::{StreamExt as _, stream};
use serde_json::{Map, Value, json};

use crate::{
    derive::json::Rest,
    doors::{self, ATTACKER, Answer},
    site::Site,
    stage::{Length, Log},
};

/// Attackers at a time.
const AT_A_TIME: usize = 4;
/// Patterns of one rule, at most.
const PATTERNS: usize = 32;
/// Bytes of a pattern, at most.
const SIZE: usize = 1024;
/// Rules of one organization.
const RULES: usize = 45;

/// Thirty-two patterns of classes that have thousands of ranges once case is folded.
pub(crate) async fn long_to_read(site: &Site, log: &Log, length: Length) {
    let one = format!("(?i){}", r"\pL".repeat((SIZE - 4) / 3));
    let requests = (0..length.pick(8, 80)).map(|number| {
        let rule = rule(site, PATTERNS, &one);
        async move { create(site, log, &format!("slow-{number}"), rule).await }
    });
    stream::iter(requests).buffer_unordered(AT_A_TIME).for_each(|_| async {}).await;
}

/// As many rules as costly as the server takes, each of which is needed for the first time at the same moment.
pub(crate) async fn long_to_compile(site: &Site, log: &Log, length: Length) {
    let mut costly = None;
    for times in [200, 100, 50, 25, 12, 6, 3, 1] {
        let rule = rule(site, 4, &format!(r"\pL{{{times}}}"));
        if create(site, log, &format!("probe-{times}"), rule.clone()).await.code == "Ok" {
            costly = Some(rule);
            break;
        }
    }
    let Some(rule) = costly else { return log.wrong("no rule with patterns is taken".to_owned()) };
    for round in 0..length.pick(1, 5) {
        let made = (0..RULES).map(|number| {
            let rule = rule.clone();
            async move { create(site, log, &format!("costly-{round}-{number}"), rule).await }
        });
        let made: Vec<_> = stream::iter(made).buffer_unordered(AT_A_TIME).collect().await;
        let exchanges = made.iter().filter_map(|answer| {
            let body: Value = serde_json::from_slice(&answer.body).ok()?;
            let path = format!("/sts/exchange?identity={}", body["uid"].as_str()?);
            Some(post(site, log, "a first exchange", path, json!({}), &site.cast.owner.upstream))
        });
        stream::iter(exchanges.collect::<Vec<_>>()).buffer_unordered(RULES).for_each(|_| async {}).await;
    }
}

/// A rule for the attacker's own token with so many patterns of claims.
fn rule(site: &Site, patterns: usize, pattern: &str) -> Value {
    let patterns: Map<_, _> = (0..patterns).map(|number| (format!("claim-{number}"), json!(pattern))).collect();
    json!({ "issuer": format!("{}/dev/idp", site.cast.url), "subject": "owner", "claimPatterns": patterns })
}

async fn create(site: &Site, log: &Log, name: &str, rule: Value) -> Answer {
    let path = format!("/iam/v2beta1/identities/{}", site.cast.owner.organization);
    post(site, log, "an identity with patterns", path, json!({ "name": name, "claimMatch": rule }), &site.cast.owner.token).await
}

async fn post(site: &Site, log: &Log, name: &str, path: String, body: Value, token: &str) -> Answer {
    let rest = Rest { verb: Verb::Post, path, body: Some(body.to_string().into_bytes()) };
    let client = doors::http1(ATTACKER, true);
    log.attack(name, doors::json(&client, site.attacked(), rest, Some(token), false, &[])).await
}
