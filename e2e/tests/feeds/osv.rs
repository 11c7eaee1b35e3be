//! Databases of OSV records.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use client::http::Request;
use contract::chainguard::platform::{
    iam::v2beta1::{
        DeleteGroupRequest,
        rpc::{CreateGroup, DeleteGroup},
    },
    vulnerabilities::v1::{
        DeleteAdvisoryRequest,
        rpc::{Create, Delete},
    },
};
use http::{Method, StatusCode};
use serde_json::json;
use testkit::scenario_on;

use super::{get, names, unpacked};
use crate::{
    v1::advisories::new_advisory,
    v2beta1::{
        advisories::imports::{import, on_their_own, osv},
        groups::new_group,
        security_advisories::{make_public, publish},
    },
};

#[tokio::test]
async fn have_what_is_published() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let at = |name: &str| format!("/osv/{org}/{name}");
        // Nothing is there yet, which is an archive as well.
        let nothing = get(&admin, &at("all.zip")).await;
        assert_eq!(names(&nothing), Vec::<String>::new());
        assert!(nothing.header("x-provost-warning").is_some_and(|warning| warning.contains("never had an advisory")));
        assert_eq!(get(&admin, &at("ecosystems.txt")).await.text(), "");
        assert_eq!(get(&admin, &at("Go/all.zip")).await.status, StatusCode::NOT_FOUND);

        let documents = [osv("GO-1", &["a", "b"], Some("1.2")), osv("GO-2", &["a"], None)];
        import(&admin, &org, true, &documents).await;
        import(&admin, &org, false, &[osv("GO-3", &["a"], None)]).await;
        let own = publish(&admin, &org, "openssl", &["CVE-1"]).await;
        let waits = new_advisory(&org, "zlib", &["CVE-2"]);
        admin.must::<Create>(waits).await;

        let all = get(&admin, &at("all.zip")).await;
        let files = unpacked(&all);
        assert_eq!((all.header("content-type"), all.header("x-provost-warning")), (Some("application/zip"), None));
        assert_eq!(all.header("content-length"), Some(all.bytes.len().to_string().as_str()));
        assert_eq!(files.len(), 3, "{:?}", files.keys());
        // As they came, to the byte.
        assert_eq!(files["GO-1.json"], documents[0].content);
        assert_eq!(files["GO-2.json"], documents[1].content);
        let rendered: Vec<_> = files.keys().filter(|name| name.starts_with("CGA-")).collect();
        assert_eq!(rendered.len(), 1);
        assert_eq!(get(&admin, &at("ecosystems.txt")).await.text(), "Chainguard\nGo\n");
        assert_eq!(names(&get(&admin, &at("Go/all.zip")).await), ["GO-1.json", "GO-2.json"]);
        assert_eq!(names(&get(&admin, &at("Chainguard/all.zip")).await), [rendered[0].clone()]);
        // What was withdrawn stays, and says so.
        admin.must::<Delete>(DeleteAdvisoryRequest { id: own }).await;
        let files = unpacked(&get(&admin, &at("Chainguard/all.zip")).await);
        let record: serde_json::Value = serde_json::from_slice(&files[rendered[0]]).expect("a record");
        assert!(record["withdrawn"].is_string(), "{record}");
    }))
    .await;
}

#[tokio::test]
async fn have_a_document_without_what_does_not_hold() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let folder = admin.must::<CreateGroup>(new_group(&org, "team")).await.uid;
        import(&admin, &folder, true, &[osv("GO-1", &["a", "b"], Some("1.2"))]).await;
        let at = format!("/osv/{org}/v1/vulns/GO-1");
        let packages = async || {
            let answer = get(&admin, &at).await;
            let names: Vec<_> = answer.json()["affected"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| one["package"]["name"].to_string())
                .collect();
            (answer.status.as_u16(), names.join(" "), answer.json()["withdrawn"].is_string())
        };
        assert_eq!(packages().await, (200, "\"a\" \"b\"".to_owned(), false));
        let advisories = super::query::advisories(&admin, &["a", "b"]).await;
        super::query::not_affected(&admin, &advisories[0]).await;
        assert_eq!(packages().await, (200, "\"b\"".to_owned(), false));
        admin.must::<Delete>(DeleteAdvisoryRequest { id: advisories[1].clone() }).await;
        assert_eq!(packages().await, (200, "\"b\"".to_owned(), true));
        // The same record in another folder stands for both.
        import(&admin, &org, true, &[osv("GO-1", &["a", "b"], Some("1.2"))]).await;
        assert_eq!(packages().await, (200, "\"a\" \"b\"".to_owned(), false));
        assert_eq!(names(&get(&admin, &format!("/osv/{org}/all.zip")).await), ["GO-1.json"]);
        let of_folder = unpacked(&get(&admin, &format!("/osv/{folder}/all.zip")).await);
        assert!(String::from_utf8_lossy(&of_folder["GO-1.json"]).contains("withdrawn"));
    }))
    .await;
}

#[tokio::test]
async fn are_read_by_whom_they_are_for() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, nobody, stranger) = (s.server.admin(), s.server.nobody(), s.server.stranger().await);
        let org = s.server.organization().to_string();
        let folder = admin.must::<CreateGroup>(new_group(&org, "open")).await.uid;
        let viewer = s.server.workload(s.server.organization(), "scanner", Some("viewer")).await;
        publish(&admin, &folder, "openssl", &["CVE-1"]).await;
        let elsewhere = "f".repeat(40);
        let status =
            async |who: &testkit::Actor, at: &str, name: &str| get(who, &format!("/osv/{at}/{name}")).await.status.as_u16();
        for name in ["all.zip", "ecosystems.txt", "Chainguard/all.zip", "none.zip", "v1/vulns/CVE-1"] {
            // Who has proved nothing learns nothing, and neither does who may not read it.
            assert_eq!([status(&nobody, &org, name).await, status(&nobody, &elsewhere, name).await], [401, 401], "{name}");
            assert_eq!([status(&stranger, &org, name).await, status(&stranger, &elsewhere, name).await], [403, 403], "{name}");
        }
        assert_eq!(status(&viewer, &org, "all.zip").await, 200);
        assert_eq!(status(&s.server.operator().await, &elsewhere, "all.zip").await, 404);
        let gone = admin.must::<CreateGroup>(new_group(&org, "gone")).await.uid;
        admin.must::<DeleteGroup>(DeleteGroupRequest { uid: gone.clone() }).await;
        assert_eq!(status(&admin, &gone, "all.zip").await, 404);

        // The token as a password, as some scanners send it.
        let token = viewer.token.as_ref().expect("a token").expose().to_owned();
        let basic = format!("Basic {}", BASE64_STANDARD.encode(format!("token:{token}")));
        let with = |header: String| Request::get(format!("/osv/{org}/all.zip")).header("authorization", header);
        assert_eq!(nobody.http(with(basic)).await.status, StatusCode::OK);
        for bad in ["Basic bm9uZTpub25l", "Basic %", "Bearer x", "Digest x"] {
            let answer = nobody.http(with(bad.to_owned())).await;
            assert_eq!((answer.status.as_u16(), answer.json()["code"].as_i64()), (401, Some(16)), "{bad}");
        }
        let refused = get(&stranger, &format!("/osv/{org}/all.zip")).await.json();
        assert_eq!((&refused["code"], &refused["details"][0]["metadata"]["rule"]), (&json!(7), &json!("CAPABILITY_MISSING")));

        // A public folder is everybody's, and nothing beside it is.
        make_public(&admin, &folder).await;
        assert_eq!(names(&get(&nobody, &format!("/osv/{folder}/all.zip")).await).len(), 1);
        assert_eq!(status(&nobody, &org, "all.zip").await, 401);
        make_public(&admin, &org).await;
        assert_eq!(status(&nobody, &org, "Chainguard/all.zip").await, 200);
        // Whatever comes along, what is public is public.
        assert_eq!(nobody.http(with("Bearer x".to_owned())).await.status, StatusCode::OK);
    }))
    .await;
}

#[tokio::test]
async fn are_sent_once_as_long_as_they_stay() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let path = format!("/osv/{org}/all.zip");
        let ask = async |name: &str, value: &str| admin.http(Request::get(path.as_str()).header(name, value)).await;
        import(&admin, &org, true, &[osv("GO-1", &["a"], Some("1.2"))]).await;
        let first = get(&admin, &path).await;
        let etag = first.header("etag").expect("an entity tag").to_owned();
        // In the second of a change nobody can tell by a date whether another has come.
        assert_eq!(first.header("last-modified"), None);
        let again = get(&admin, &path).await;
        assert_eq!((&again.bytes, again.header("etag")), (&first.bytes, Some(etag.as_str())));
        for held in [etag.clone(), format!("W/{etag}"), format!("\"x\", {etag}")] {
            let same = ask("if-none-match", &held).await;
            assert_eq!(
                (same.status, same.header("etag"), same.bytes.len()),
                (StatusCode::NOT_MODIFIED, Some(etag.as_str()), 0),
                "{held}"
            );
        }
        for held in ["\"x\"", "*", ""] {
            assert_eq!(ask("if-none-match", held).await.status, StatusCode::OK, "{held}");
        }
        let head = admin.http(Request::new(Method::HEAD, path.as_str())).await;
        assert_eq!((head.header("content-length"), head.bytes.len()), (Some(first.bytes.len().to_string().as_str()), 0));
        s.server.clock().advance_seconds(2);
        let date = get(&admin, &path).await.header("last-modified").expect("a date").to_owned();
        assert_eq!(ask("if-modified-since", &date).await.status, StatusCode::NOT_MODIFIED);
        assert_eq!(ask("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT").await.status, StatusCode::OK);
        assert_eq!(ask("if-modified-since", "yesterday").await.status, StatusCode::OK);
        // Each file has its own, and so has each group.
        assert_ne!(get(&admin, &format!("/osv/{org}/Go/all.zip")).await.header("etag"), Some(etag.as_str()));
        // The same documents once more change nothing.
        import(&admin, &org, true, &[osv("GO-1", &["a"], Some("1.2"))]).await;
        assert_eq!(ask("if-none-match", &etag).await.status, StatusCode::NOT_MODIFIED);
        // Whatever changes what is in it changes the tag, other words of a document included.
        let folder = admin.must::<CreateGroup>(new_group(&org, "team")).await.uid;
        let mut seen = vec![etag];
        for step in 0..4 {
            match step {
                0 => {
                    import(&admin, &org, true, &[osv("GO-1", &["a"], Some("1.3"))]).await;
                }
                1 => {
                    publish(&admin, &folder, "curl", &["CVE-7"]).await;
                }
                2 => admin.must::<DeleteGroup>(DeleteGroupRequest { uid: folder.clone() }).await,
                _ => {
                    import(&admin, &org, true, &[osv("GO-4", &["a"], None)]).await;
                }
            }
            let changed = ask("if-none-match", seen.last().expect("one")).await;
            assert_eq!(changed.status, StatusCode::OK, "step {step}");
            let etag = changed.header("etag").expect("an entity tag").to_owned();
            assert!(!seen.contains(&etag), "step {step}");
            seen.push(etag);
        }
        assert_eq!(names(&get(&admin, &path).await), ["GO-1.json", "GO-4.json"]);
    }))
    .await;
}

#[tokio::test]
async fn are_nowhere_else() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        for path in ["/osv/", "/osv/acme/all.zip", "/osv//all.zip", "/osv/../all.zip"] {
            let answer = get(&admin, path).await;
            assert_eq!((answer.status.as_u16(), answer.json()["code"].as_i64()), (404, Some(5)), "{path}");
        }
        for name in [
            "",
            "Go",
            "../all.zip",
            "Go%2F..%2Fall.zip",
            "%00/all.zip",
            "v1",
            "v1/vulns",
            "v1/vulns/",
            "v1/vulns/NONE",
            "v1/none",
        ] {
            let answer = get(&admin, &format!("/osv/{org}/{name}")).await;
            assert_eq!((answer.status.as_u16(), answer.json()["code"].as_i64()), (404, Some(5)), "{name}");
        }
        assert_eq!(get(&admin, &format!("/osv/{org}/%ff/all.zip")).await.status, StatusCode::BAD_REQUEST);
        let verb = |method, name: &str| admin.http(Request::new(method, format!("/osv/{org}/{name}")));
        let refused = verb(Method::POST, "all.zip").await;
        assert_eq!((refused.status.as_u16(), refused.header("allow")), (405, Some("GET, HEAD")));
        let refused = verb(Method::GET, "v1/query").await;
        assert_eq!((refused.status.as_u16(), refused.header("allow")), (405, Some("POST")));
    }))
    .await;
}
