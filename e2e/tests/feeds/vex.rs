//! Repositories of OpenVEX documents, and security databases.

use contract::chainguard::platform::vulnerabilities::v1::{DeleteAdvisoryRequest, rpc::Delete};
use contract::provost::vulnerabilities::v1::AdvisoryDocument;
use http::StatusCode;
use serde_json::{Value, json};
use testkit::scenario_on;

use super::{
    get,
    query::{advisories, not_affected},
    unpacked,
};
use crate::v2beta1::{
    advisories::imports::{import, on_their_own, osv},
    security_advisories::{make_public, publish},
};

/// A document about these products.
fn vex(products: &[&str]) -> AdvisoryDocument {
    let products: Vec<_> = products.iter().map(|id| json!({ "@id": id })).collect();
    let statement = json!({
        "vulnerability": { "name": "CVE-2023-7" },
        "products": products,
        "status": "not_affected",
        "justification": "component_not_present",
    });
    let document = json!({
        "@context": "https://openvex.dev/ns/v0.2.0",
        "@id": "https://example.com/vex/1",
        "author": "ana",
        "timestamp": "2023-10-01T00:00:00Z",
        "version": 1,
        "statements": [statement],
    });
    AdvisoryDocument { name: "vex.json".into(), content: document.to_string().into_bytes().into() }
}

fn read(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[tokio::test]
async fn repositories_have_a_document_for_each_package() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, nobody, org) = (s.server.admin(), s.server.nobody(), s.server.organization().to_string());
        let archive = format!("/vex/{org}/vex-data.zip");
        assert_eq!(unpacked(&get(&admin, &archive).await).into_keys().collect::<Vec<_>>(), ["index.json"]);
        assert_eq!(read(&get(&admin, &format!("/vex/{org}/openvex.json")).await.bytes)["statements"], json!([]));
        // Products have versions, which stay: nobody has said anything of others.
        import(&admin, &org, true, &[vex(&["pkg:golang/a/b@v1.0.0", "pkg:golang/a/b@v1.1.0", "cpe:2.3:a"])]).await;
        import(&admin, &org, true, &[osv("GO-1", &["a/b", "c"], Some("1.2"))]).await;
        import(&admin, &org, false, &[osv("GO-2", &["waits"], Some("1.2"))]).await;
        for advisory in advisories(&admin, &["c"]).await {
            not_affected(&admin, &advisory).await;
        }
        let withdrawn = publish(&admin, &org, "gone", &["CVE-2"]).await;
        admin.must::<Delete>(DeleteAdvisoryRequest { id: withdrawn }).await;

        let files = unpacked(&get(&admin, &archive).await);
        let index = read(&files["index.json"]);
        let ids: Vec<_> = index["packages"].as_array().expect("packages").iter().map(|one| one["id"].clone()).collect();
        assert_eq!(ids, ["pkg:golang/a/b", "pkg:golang/c"]);
        let of = |number: usize| {
            let document = read(&files[index["packages"][number]["location"].as_str().expect("a place")]);
            assert!(document["@context"].is_string() && document["@id"].is_string() && document["author"].is_string());
            let said = |one: &Value| {
                format!("{} {} {}", one["vulnerability"]["name"], one["products"][0]["@id"], one["status"]).replace('"', "")
            };
            let mut said: Vec<_> = document["statements"].as_array().expect("statements").iter().map(said).collect();
            said.sort();
            said
        };
        let of_package = [
            "CVE-2023-7 pkg:golang/a/b@v1.0.0 not_affected",
            "CVE-2023-7 pkg:golang/a/b@v1.1.0 not_affected",
            "GO-1 pkg:golang/a/b@1.2 fixed",
        ];
        assert_eq!(of(0), of_package);
        assert_eq!(of(1), ["GO-1 pkg:golang/c not_affected"]);
        assert_eq!(files.len(), 3);
        let whole = read(&get(&admin, &format!("/vex/{org}/openvex.json")).await.bytes);
        assert_eq!(whole["statements"].as_array().map(Vec::len), Some(5));

        // Who reads the manifest may read the rest.
        let manifest = format!("/vex/{org}/.well-known/vex-repository.json");
        assert_eq!(get(&nobody, &manifest).await.status, StatusCode::UNAUTHORIZED);
        make_public(&admin, &org).await;
        let manifest = get(&nobody, &manifest).await.json();
        let version = &manifest["versions"][0];
        assert_eq!(version["spec_version"], "0.1");
        let place = version["locations"][0]["url"].as_str().expect("a URL").strip_prefix(s.server.base_url()).expect("here");
        assert_eq!(unpacked(&get(&nobody, place).await), files);
        for path in ["vex-data.tar", "v1/query", "all.zip", ".well-known/none", "index.json"] {
            assert_eq!(get(&nobody, &format!("/vex/{org}/{path}")).await.status, StatusCode::NOT_FOUND, "{path}");
        }
    }))
    .await;
}

#[tokio::test]
async fn security_databases_have_what_is_fixed() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        publish(&admin, &org, "openssl", &["CVE-1"]).await;
        publish(&admin, &org, "openssl", &["CVE-2", "GHSA-2"]).await;
        let never = publish(&admin, &org, "curl", &["CVE-3"]).await;
        not_affected(&admin, &never).await;
        import(&admin, &org, true, &[osv("GO-1", &["a"], Some("1.2"))]).await;
        let path = format!("/secdb/{org}/security.json");
        let answer = get(&admin, &path).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let database = answer.json();
        assert_eq!(
            database["packages"],
            json!([
                { "pkg": { "name": "curl", "secfixes": { "0": ["CVE-3"] } } },
                { "pkg": { "name": "openssl", "secfixes": { "1.2.3-r0": ["CVE-1", "CVE-2", "GHSA-2"] } } },
            ])
        );
        assert_eq!(database["archs"], json!(["aarch64", "x86_64"]));
        let etag = answer.header("etag").expect("an entity tag").to_owned();
        let again = admin.http(client::http::Request::get(path.as_str()).header("if-none-match", etag)).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED);
        assert_eq!(get(&s.server.nobody(), &path).await.status, StatusCode::UNAUTHORIZED);
    }))
    .await;
}
