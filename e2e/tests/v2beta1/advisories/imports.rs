//! Documents of others become advisories, and advisories documents for others.

use client::{Options, http::Request};
use contract::{
    chainguard::platform::iam::v2beta1::{
        DeleteGroupRequest,
        rpc::{CreateGroup, DeleteGroup},
    },
    chainguard::platform::vulnerabilities::{
        v1::{
            Advisory, DeleteAdvisoryRequest, ReviewStatus,
            rpc::{Create, Delete, UpdateAdvisoryEvent},
        },
        v2beta1::{ListAdvisoriesRequest, ListAdvisoriesResponse, ReviewState, rpc::ListAdvisories},
    },
    prost_types::Timestamp,
    provost::vulnerabilities::v1::{
        AdvisoryDocument, AdvisoryImport, AppendAdvisoryDocumentsRequest, AppendAdvisoryDocumentsResponse,
        CreateAdvisoryImportRequest, DocumentFormat, ExportAdvisoriesRequest, GetAdvisoryImportRequest,
        ListAdvisoryChangesRequest, ListAdvisoryChangesResponse,
        rpc::{AppendAdvisoryDocuments, CreateAdvisoryImport, ExportAdvisories, GetAdvisoryImport, ListAdvisoryChanges},
    },
};
use serde_json::{Value, json};
use testkit::{Actor, Setup, Transport, scenario, scenario_on};

use crate::{
    v1::advisories::{by_hand, new_advisory, reviewed},
    v2beta1::groups::new_group,
};

/// A record about these packages, as its author has formatted it.
pub(crate) fn osv(id: &str, packages: &[&str], fixed: Option<&str>) -> AdvisoryDocument {
    let affected = |package: &&str| {
        let mut events = vec![json!({ "introduced": "0" })];
        events.extend(fixed.map(|version| json!({ "fixed": version })));
        json!({ "package": { "ecosystem": "Go", "name": package }, "ranges": [{ "type": "SEMVER", "events": events }] })
    };
    let record = json!({
        "schema_version": "1.3.1",
        "id": id,
        "modified": "2023-10-02T00:00:00Z",
        "published": "2023-10-01T00:00:00Z",
        "aliases": [format!("CVE-{id}")],
        "severity": [{ "type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
        "affected": packages.iter().map(affected).collect::<Vec<_>>(),
    });
    AdvisoryDocument { name: format!("{id}.json"), content: format!("{record:#}\n\n").into_bytes().into() }
}

fn vex(status: &str) -> AdvisoryDocument {
    let document = json!({
        "@context": "https://openvex.dev/ns/v0.2.0",
        "@id": "https://example.com/vex/1",
        "author": "ana",
        "timestamp": "2023-10-01T00:00:00Z",
        "version": 1,
        "statements": [{
            "vulnerability": { "name": "CVE-2023-7" },
            "products": [{ "@id": "pkg:apk/wolfi/curl" }],
            "status": status,
            "justification": "component_not_present",
        }],
    });
    AdvisoryDocument { name: "vex.json".into(), content: document.to_string().into_bytes().into() }
}

fn junk(content: &str) -> AdvisoryDocument {
    AdvisoryDocument { name: "junk.json".into(), content: content.as_bytes().to_vec().into() }
}

fn append(uid: &str, position: i64, documents: &[AdvisoryDocument], last: bool) -> AppendAdvisoryDocumentsRequest {
    AppendAdvisoryDocumentsRequest { uid: uid.into(), position, documents: documents.to_vec(), last }
}

fn begin(parent: &str, approved: bool) -> CreateAdvisoryImportRequest {
    CreateAdvisoryImportRequest { parent: parent.into(), approved }
}

/// Imports documents, however many calls that takes.
pub(crate) async fn import(who: &Actor, parent: &str, approved: bool, documents: &[AdvisoryDocument]) -> AdvisoryImport {
    let mut import = who.must::<CreateAdvisoryImport>(begin(parent, approved)).await;
    while import.finish_time.is_none() {
        let at = usize::try_from(import.documents).expect("few");
        let answer = who.must::<AppendAdvisoryDocuments>(append(&import.uid, import.documents, &documents[at..], true)).await;
        import = answer.import.expect("an import");
    }
    let found = who.must::<GetAdvisoryImport>(GetAdvisoryImportRequest { uid: import.uid.clone() }).await;
    assert_eq!(AdvisoryImport { rejections: Vec::new(), ..found.clone() }, import);
    found
}

/// Everything that is exported, page by page.
async fn export(who: &Actor, parent: &str, format: DocumentFormat) -> Vec<AdvisoryDocument> {
    let (mut documents, mut token) = (Vec::new(), String::new());
    loop {
        let request = ExportAdvisoriesRequest { parent: parent.into(), format: format.into(), page_token: token };
        let page = who.must::<ExportAdvisories>(request).await;
        documents.extend(page.documents);
        token = page.next_page_token;
        if token.is_empty() {
            return documents;
        }
    }
}

fn contents(documents: &[AdvisoryDocument]) -> Vec<Vec<u8>> {
    let mut contents: Vec<_> = documents.iter().map(|document| document.content.to_vec()).collect();
    contents.sort();
    contents
}

async fn all(who: &Actor) -> ListAdvisoriesResponse {
    who.must::<ListAdvisories>(ListAdvisoriesRequest { page_size: 200, ..ListAdvisoriesRequest::default() }).await
}

/// What has become of an import: documents, imported, unchanged, rejected; created and updated advisories.
fn tally(import: &AdvisoryImport) -> [i64; 6] {
    let AdvisoryImport { documents, imported, unchanged, rejected, created_advisories, updated_advisories, .. } = *import;
    [documents, imported, unchanged, rejected, created_advisories, updated_advisories]
}

pub(crate) fn on_their_own() -> Setup {
    Setup { self_approval: true, ..Setup::default() }
}

#[tokio::test]
async fn bad_documents_stop_nothing() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let documents = [
            osv("GO-1", &["a", "b"], Some("1.2")),
            junk("{"),
            vex("not_affected"),
            junk("[[[[[["),
            osv("GO-2", &[&"x".repeat(300)], None),
            osv("GO-3", &["a"], None),
        ];
        let made = import(&admin, &org, true, &documents).await;
        assert_eq!(tally(&made), [6, 3, 0, 3, 4, 0]);
        let told: Vec<_> = made.rejections.iter().map(|found| (found.position, found.reason.as_str())).collect();
        assert_eq!((told[0].0, told[1].0, told[2].0), (1, 3, 4));
        assert!(
            told[0].1.contains("cannot be read") && told[2].1.contains("artifact_name must be at most 255 bytes"),
            "{told:?}"
        );
        let listed = all(&admin).await;
        assert_eq!(listed.total_count, Some(4));
        let one = listed.advisories.iter().find(|advisory| advisory.artifact_name == "b").expect("b");
        assert_eq!((one.artifact_type.as_str(), one.aliases.as_slice()), ("Go", &["GO-1".to_owned(), "CVE-GO-1".to_owned()][..]));
        assert_eq!(one.severities.len(), 1);
        assert!(one.events.iter().all(|event| event.review_state == i32::from(ReviewState::Approved)));
    }))
    .await;
}

#[tokio::test]
async fn an_import_goes_on_where_it_stopped() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let packages: Vec<_> = (0..40).map(|n| format!("p{n}")).collect();
        let packages: Vec<_> = packages.iter().map(String::as_str).collect();
        let documents: Vec<_> = (0..5).map(|n| osv(&format!("GO-{n}"), &packages, None)).collect();
        let uid = admin.must::<CreateAdvisoryImport>(begin(&org, true)).await.uid;
        let send = async |position, documents: &[AdvisoryDocument], last| {
            let answer = admin.must::<AppendAdvisoryDocuments>(append(&uid, position, documents, last)).await;
            answer.import.expect("an import")
        };
        let first = send(0, &documents, true).await;
        assert_eq!((first.documents, first.created_advisories, first.finish_time), (2, 80, None), "one call writes few");
        let again = send(0, &documents[..2], false).await;
        assert_eq!(again, first, "what was appended before is passed over");
        let second = send(0, &documents, true).await;
        assert_eq!(second.documents, 4);
        let third = send(4, &documents[4..], true).await;
        assert_eq!((third.documents, third.created_advisories), (5, 200));
        assert!(third.finish_time.is_some());
        let behind = admin.call::<AppendAdvisoryDocuments>(Transport::Json, append(&uid, 6, &[], false)).await;
        assert_eq!(behind.code, "INVALID_ARGUMENT", "{:#}", behind.body);
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let more = append(&uid, 5, &[osv("GO-9", &["x"], None)], false);
        let tried = admin.call_with::<AppendAdvisoryDocuments>(Transport::Grpc, more, &rehearsal).await;
        assert_eq!(tried.ok::<AppendAdvisoryDocumentsResponse>().import.expect("an import").documents, 6);
        assert_eq!(all(&admin).await.total_count, Some(200), "a rehearsal changes nothing");

        let more = append(&uid, 5, &[osv("GO-9", &["x"], None)], false);
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = admin.call_with::<AppendAdvisoryDocuments>(Transport::Grpc, more.clone(), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let once = Options { idempotency_key: Some("once".into()), ..Options::default() };
        let first = admin.call_with::<AppendAdvisoryDocuments>(Transport::Grpc, more.clone(), &once).await;
        let second = admin.call_with::<AppendAdvisoryDocuments>(Transport::Grpc, more, &once).await;
        assert_eq!((first.code.as_str(), &first.body), ("OK", &second.body));
        assert_eq!(all(&admin).await.total_count, Some(201));
    }))
    .await;
}

#[tokio::test]
async fn the_same_again_changes_nothing_and_news_are_added() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let documents = [osv("GO-1", &["a", "b"], None), vex("not_affected")];
        assert_eq!(tally(&import(&admin, &org, true, &documents).await), [2, 2, 0, 0, 3, 0]);
        let before = all(&admin).await;
        assert_eq!(tally(&import(&admin, &org, true, &documents).await), [2, 0, 2, 0, 0, 0]);
        assert_eq!(all(&admin).await, before);
        s.server.clock().advance_seconds(60);
        let news = [osv("GO-1", &["a", "b", "c"], Some("2.0")), vex("not_affected")];
        assert_eq!(tally(&import(&admin, &org, true, &news).await), [2, 1, 1, 0, 1, 2]);
        let after = all(&admin).await;
        let a = after.advisories.iter().find(|advisory| advisory.artifact_name == "a").expect("a");
        assert_eq!(a.events.len(), 3, "what was said before stays: {a:#?}");
        assert_eq!(contents(&export(&admin, &org, DocumentFormat::Osv).await)[0], contents(&news[..1])[0]);

        // Withdrawn by hand: that stays, whatever its record says later.
        admin.must::<Delete>(DeleteAdvisoryRequest { id: a.uid.clone() }).await;
        let later = [osv("GO-1", &["a"], Some("3.0"))];
        assert_eq!(tally(&import(&admin, &org, true, &later).await), [1, 1, 0, 0, 0, 0]);
    }))
    .await;
}

#[tokio::test]
async fn what_is_exported_can_be_imported() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let documents: Vec<_> = (0..45).map(|n| osv(&format!("GO-{n}"), &["a", "b"], Some("1.2"))).collect();
        import(&admin, &org, true, &documents).await;
        let mut own = new_advisory(&org, "openssl", &["CVE-2023-1"]);
        own.advisory.as_mut().expect("an advisory").events = vec![by_hand()];
        let own: Advisory = admin.must::<Create>(own).await;
        admin.must::<UpdateAdvisoryEvent>(reviewed(&own.events[0].id, ReviewStatus::Approved)).await;

        let exported = export(&admin, &org, DocumentFormat::Osv).await;
        assert_eq!(contents(&exported[..45]), contents(&documents), "what came goes as it came");
        let rendered: Value = serde_json::from_slice(&exported[45].content).expect("JSON");
        assert_eq!((rendered["id"].as_str(), exported.len()), (Some(own.advisory_id.as_str()), 46));
        let vex = export(&admin, &org, DocumentFormat::Openvex).await;
        assert_eq!(vex.len(), 91, "each advisory is a document");

        // Back into the same group, nothing changes; into another one, it is the same corpus.
        let before = all(&admin).await;
        for documents in [&exported, &vex] {
            let count = i64::try_from(documents.len()).expect("few");
            assert_eq!(tally(&import(&admin, &org, true, documents).await), [count, 0, count, 0, 0, 0]);
        }
        assert_eq!(all(&admin).await, before);
        let other = admin.must::<CreateGroup>(new_group(&org, "other")).await.uid;
        assert_eq!(tally(&import(&admin, &other, true, &exported).await), [46, 46, 0, 0, 91, 0]);
        let again = export(&admin, &other, DocumentFormat::Osv).await;
        assert_eq!(contents(&again), contents(&exported));
    }))
    .await;
}

#[tokio::test]
async fn answers_tell_how_old_they_are() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let warned = async |path: &str| {
            let answer = admin.http(Request::get(path)).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            let header = |name: &str| answer.header(name).map(str::to_owned);
            (header("x-provost-warning").is_some(), header("x-provost-data-age"))
        };
        let lists = [
            "/vulnerabilities/v1/advisories",
            "/vulnerabilities/v2beta1/advisories",
            "/provost/vulnerabilities/v1/advisoryChanges",
        ];
        for list in lists {
            assert_eq!(warned(list).await, (true, None), "{list}: nothing is no good news");
        }
        import(&admin, &org, true, &[osv("GO-1", &["a"], None)]).await;
        s.server.clock().advance_seconds(90);
        for list in lists {
            assert_eq!(warned(list).await, (false, Some("90".to_owned())), "{list}");
        }
        let none = "/vulnerabilities/v2beta1/advisories?aliases=CVE-none";
        assert_eq!(warned(none).await, (false, Some("90".to_owned())), "a filter that finds nothing is an answer");
        let uid = all(&admin).await.advisories[0].uid.clone();
        let one = format!("/vulnerabilities/v2beta1/advisories/{uid}");
        assert_eq!(warned(&one).await, (false, Some("90".to_owned())));
        let stranger = s.server.workload(s.server.organization(), "nobody", None).await;
        let answer = stranger.http(Request::get(lists[1])).await;
        assert_eq!(answer.header("x-provost-data-age"), None, "who sees nothing learns nothing");
    }))
    .await;
}

#[tokio::test]
async fn changes_come_in_their_order() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let start = 1_700_000_000;
        let mut times = Vec::new();
        for package in ["c", "a", "b"] {
            s.server.clock().advance_seconds(10);
            import(&admin, &org, true, &[osv(&format!("GO-{package}"), &[package], None)]).await;
            times.push(all(&admin).await.advisories.into_iter().filter_map(|found| found.update_time).map(|at| at.seconds).max());
        }
        let since = async |seconds: i64, page_size: i32| {
            let (mut names, mut token) = (Vec::new(), String::new());
            loop {
                let request = ListAdvisoryChangesRequest {
                    updated_since: Some(Timestamp { seconds, nanos: 0 }),
                    page_size,
                    page_token: token,
                    ..ListAdvisoryChangesRequest::default()
                };
                let page: ListAdvisoryChangesResponse = admin.must::<ListAdvisoryChanges>(request).await;
                names.extend(page.advisories.into_iter().map(|found| found.artifact_name));
                token = page.next_page_token;
                if token.is_empty() {
                    return names;
                }
            }
        };
        assert_eq!(since(start - 100_000_000, 1).await, ["c", "a", "b"]);
        let second = times[1].expect("a time");
        assert_eq!(since(second, 50).await, ["a", "b"]);
        assert_eq!(since(second + 1, 50).await, ["b"]);
        let c = all(&admin).await.advisories.into_iter().find(|found| found.artifact_name == "c").expect("c").uid;
        s.server.clock().advance_seconds(10);
        admin.must::<Delete>(DeleteAdvisoryRequest { id: c }).await;
        assert_eq!(since(second + 1, 1).await, ["b", "c"], "what was withdrawn has changed");
    }))
    .await;
}

#[tokio::test]
async fn nobody_imports_who_may_not_write() {
    scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let code =
            async |who: &Actor, approved| who.call::<CreateAdvisoryImport>(Transport::Grpc, begin(&org, approved)).await.code;
        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        assert_eq!(code(&viewer, false).await, "PERMISSION_DENIED");
        assert_eq!(code(&admin, true).await, "PERMISSION_DENIED", "nobody approves what they import themselves");
        let uid = admin.must::<CreateAdvisoryImport>(begin(&org, false)).await.uid;
        let documents = [osv("GO-1", &["a"], None)];
        let outcome = viewer.call::<AppendAdvisoryDocuments>(Transport::Grpc, append(&uid, 0, &documents, true)).await;
        assert_eq!(outcome.code, "PERMISSION_DENIED");
        let outcome = admin.call::<AppendAdvisoryDocuments>(Transport::Json, append(&uid, 0, &documents, true)).await;
        assert_eq!(outcome.code, "OK", "{:#}", outcome.body);
        let pending = all(&admin).await.advisories.remove(0);
        assert!(pending.events.iter().all(|event| event.review_state == i32::from(ReviewState::Pending)));
        let vex = export(&admin, &org, DocumentFormat::Openvex).await;
        let vex: Value = serde_json::from_slice(&vex[0].content).expect("JSON");
        assert_eq!(vex["statements"][0]["status"], "under_investigation", "what nobody has approved is not said");
        let many = vec![junk("{}"); 101];
        let outcome = admin.call::<AppendAdvisoryDocuments>(Transport::Json, append(&uid, 1, &many, false)).await;
        assert_eq!(outcome.code, "INVALID_ARGUMENT", "{:#}", outcome.body);
    })
    .await;
}

#[tokio::test]
async fn imports_are_kept_for_a_while_and_go_with_their_group() {
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let team = admin.must::<CreateGroup>(new_group(&org, "team")).await.uid;
        let first = import(&admin, &team, true, &[osv("GO-1", &["a"], None), junk("{"), vex("fixed")]).await;
        let get = async |uid: &str| {
            admin.call::<GetAdvisoryImport>(Transport::Grpc, GetAdvisoryImportRequest { uid: uid.into() }).await.code
        };
        for _ in 0..9 {
            s.server.clock().advance_seconds(1);
            admin.must::<CreateAdvisoryImport>(begin(&team, false)).await;
        }
        assert_eq!(get(&first.uid).await, "OK", "ten are kept");
        s.server.clock().advance_seconds(1);
        let last = admin.must::<CreateAdvisoryImport>(begin(&team, false)).await;
        assert_eq!((get(&first.uid).await.as_str(), get(&last.uid).await.as_str()), ("NOT_FOUND", "OK"));
        assert_eq!(export(&admin, &team, DocumentFormat::Osv).await.len(), 2, "what it has imported stays");
        admin.must::<DeleteGroup>(DeleteGroupRequest { uid: team }).await;
        assert_eq!(get(&last.uid).await, "NOT_FOUND");
        assert_eq!(all(&admin).await.total_count, Some(0));
    }))
    .await;
}
