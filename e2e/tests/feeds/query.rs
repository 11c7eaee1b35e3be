//! The query API of OSV.

use client::http::{Answer, Request};
use contract::chainguard::platform::vulnerabilities::{
    v1::{
        advisory_event::{FalsePositiveDetermination, Type, false_positive_determination::Type as FalsePositiveType},
        rpc::CreateAdvisoryEvent,
    },
    v2beta1::{ListAdvisoriesRequest, rpc::ListAdvisories},
};
use serde_json::{Value, json};
use testkit::{Actor, scenario_on};

use super::get;
use crate::{
    v1::advisories::{event, recorded},
    v2beta1::{
        advisories::imports::{import, on_their_own, osv},
        security_advisories::{approved, publish},
    },
};

/// The advisories about artifacts of these names.
pub(crate) async fn advisories(who: &Actor, names: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        let request = ListAdvisoriesRequest { artifact_names: vec![(*name).to_owned()], ..ListAdvisoriesRequest::default() };
        found.extend(who.must::<ListAdvisories>(request).await.advisories.into_iter().map(|advisory| advisory.uid));
    }
    found
}

/// Says that the artifact of an advisory is not affected, and approves that.
pub(crate) async fn not_affected(who: &Actor, advisory: &str) {
    let reason = FalsePositiveType::VulnerableCodeNotIncludedInPackage.into();
    let said = FalsePositiveDetermination { r#type: reason, ..FalsePositiveDetermination::default() };
    let event = approved(event(Type::FalsePositiveDetermination(said)));
    who.must::<CreateAdvisoryEvent>(recorded(advisory, event)).await;
}

/// The ids that an answer has.
fn ids(answer: &Value) -> Vec<&str> {
    let records = answer["vulns"].as_array();
    records.into_iter().flatten().map(|record| record["id"].as_str().expect("an id")).collect()
}

#[tokio::test]
async fn finds_what_is_affected() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let documents = [osv("GO-1", &["example.com/a", "b"], Some("1.2.0")), osv("GO-2", &["example.com/a"], None)];
        import(&admin, &org, true, &documents).await;
        import(&admin, &org, false, &[osv("GO-3", &["example.com/a"], None)]).await;
        publish(&admin, &org, "openssl", &["CVE-1"]).await;
        let ask = async |path: &str, query: &Value| -> Answer {
            admin.http(Request::post(format!("/osv/{org}/v1/{path}"), query)).await
        };
        let package = |version: &str| json!({ "package": { "name": "example.com/a", "ecosystem": "Go" }, "version": version });
        let query = async |query: Value| {
            let answer = ask("query", &query).await;
            assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
            answer.json()
        };
        let both = query(package("1.1.9")).await;
        let mut found = ids(&both);
        found.sort_unstable();
        assert_eq!(found, ["GO-1", "GO-2"]);
        // Records come as they are.
        let original: Value = serde_json::from_slice(&documents[0].content).expect("a record");
        assert_eq!(both["vulns"].as_array().expect("records").iter().find(|record| record["id"] == "GO-1"), Some(&original));
        assert_eq!(ids(&query(package("v1.2.0")).await), ["GO-2"]);
        assert_eq!(ids(&query(json!({ "package": { "purl": "pkg:golang/example.com/a@1.2.0" } })).await), ["GO-2"]);
        assert_eq!(ids(&query(json!({ "package": { "name": "b", "ecosystem": "Go" } })).await), ["GO-1"]);
        assert_eq!(query(json!({ "package": { "name": "b", "ecosystem": "npm" } })).await, json!({}));
        assert_eq!(query(json!({ "package": { "name": "none" }, "version": "1" })).await, json!({}));
        // Our own are records, too.
        let own = query(json!({ "package": { "name": "openssl" } })).await;
        let id = ids(&own)[0].to_owned();
        assert_eq!(get(&admin, &format!("/osv/{org}/v1/vulns/{id}")).await.json(), own["vulns"][0]);
        let queries = json!({ "queries": [package("1.2.0"), { "package": { "name": "none" } }, package("1.0.0")] });
        let answer = ask("querybatch", &queries).await.json();
        let found: Vec<_> = answer["results"].as_array().expect("results").iter().map(|one| ids(one).len()).collect();
        assert_eq!(found, [1, 0, 2]);
        assert_eq!(answer["results"][0]["vulns"][0], json!({ "id": "GO-2", "modified": original["modified"] }));
        assert_eq!(answer["results"][1], json!({}));
        // What is said not to be affected is not.
        for advisory in advisories(&admin, &["b"]).await {
            not_affected(&admin, &advisory).await;
        }
        assert_eq!(query(json!({ "package": { "name": "b", "ecosystem": "Go" } })).await, json!({}));
    }))
    .await;
}

#[tokio::test]
async fn answers_much_page_by_page() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let padding = "x".repeat(300 << 10);
        let long = |n: usize| {
            let mut document = osv(&format!("GO-{n}"), &["a"], None);
            let mut record: Value = serde_json::from_slice(&document.content).expect("a record");
            record["database_specific"] = json!({ "padding": padding });
            document.content = record.to_string().into_bytes().into();
            document
        };
        for batch in 0..4 {
            let documents: Vec<_> = (0..10).map(|n| long(batch * 10 + n)).collect();
            import(&admin, &org, true, &documents).await;
        }
        let (mut seen, mut token) = (Vec::new(), String::new());
        let mut pages = 0;
        loop {
            let query = json!({ "package": { "name": "a", "ecosystem": "Go" }, "page_token": token });
            let answer = admin.http(Request::post(format!("/osv/{org}/v1/query"), &query)).await;
            assert!(answer.bytes.len() < 12 << 20, "{}", answer.bytes.len());
            let answer = answer.json();
            seen.extend(ids(&answer).into_iter().map(str::to_owned));
            pages += 1;
            match answer["next_page_token"].as_str() {
                Some(next) => token = next.to_owned(),
                None => break,
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!((seen.len(), pages > 1), (40, true), "{pages} pages");
    }))
    .await;
}

#[tokio::test]
async fn refuses_what_it_cannot_answer() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let send = async |path: &str, body: Vec<u8>| {
            let answer = admin.http(Request::new(http::Method::POST, format!("/osv/{org}/v1/{path}")).bytes(body)).await;
            (answer.status.as_u16(), answer.json()["message"].as_str().unwrap_or_default().to_owned())
        };
        let query = async |query: Value| send("query", query.to_string().into_bytes()).await;
        let elsewhere = format!("{}/{}", "f".repeat(40), "a".repeat(16));
        for (bad, why) in [
            (json!({}), "package is required"),
            (json!({ "version": "1" }), "package is required"),
            (json!({ "commit": "abc" }), "commits are not looked for"),
            (json!({ "package": { "name": "a" }, "commit": "abc", "version": "1" }), "must not both be set"),
            (json!({ "package": { "purl": "pkg:none/a" } }), "known ecosystem"),
            (json!({ "package": { "purl": "pkg:golang/a", "name": "a" } }), "must have a purl, or name"),
            (json!({ "package": { "purl": "pkg:golang/a@1" }, "version": "1" }), "must not be set beside"),
            (json!({ "package": { "name": "a" }, "page_token": "x" }), "page_token must be"),
            (json!({ "package": { "name": "a" }, "page_token": elsewhere }), "page_token must be"),
            (json!({ "package": { "name": "a\u{0}" } }), ""),
            (json!({ "package": 7 }), "cannot be read"),
            (json!([]), "cannot be read"),
        ] {
            let (status, message) = query(bad.clone()).await;
            assert!(status == 400 && message.contains(why), "{bad}: {status} {message}");
        }
        for body in [b"".to_vec(), b"{".to_vec(), b"[".repeat(100_000), vec![0xff; 9]] {
            assert_eq!(send("query", body.clone()).await.0, 400);
            assert_eq!(send("querybatch", body).await.0, 400);
        }
        assert_eq!(send("query", vec![b' '; 300 << 10]).await.0, 413);
        let many =
            |count: usize| json!({ "queries": vec![json!({ "package": { "name": "a" } }); count] }).to_string().into_bytes();
        let (status, message) = send("querybatch", many(1001)).await;
        assert!(status == 400 && message.contains("at most 1000"), "{message}");
        assert_eq!(send("querybatch", many(1000)).await.0, 200);
        assert_eq!(send("querybatch", b"{}".to_vec()).await.0, 200);
        // Odd versions and names are answered, whatever they are.
        for version in ["\u{1}", "é", "9".repeat(5000).as_str(), "%", "1.2.3.4.5.6-x~y+z"] {
            assert_eq!(
                query(json!({ "package": { "name": version, "ecosystem": version }, "version": version })).await.0,
                200,
                "{version}"
            );
        }
    }))
    .await;
}
