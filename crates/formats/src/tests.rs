//! Documents of both formats, good, bad and hostile.

mod hostile;
mod schema;

use domain::{
    Timestamp, Uidp,
    vulnerabilities::{
        Advisory, AdvisoryEvent, AdvisorySpec, AdvisoryView, Detection, DocumentFormat, EventKind, EventType,
        FalsePositiveReason, Fixed, ReviewState, Severity, SeveritySystem, advisory_event::Findings,
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("JSON")
}

fn good(value: &Value) -> Record {
    read(&bytes(value)).unwrap_or_else(|rejected| panic!("{rejected}: {value:#}"))
}

fn bad(value: &Value) -> String {
    read(&bytes(value)).expect_err("rejected").0
}

fn osv() -> Value {
    json!({
        "schema_version": "1.3.1",
        "id": "GO-2024-0001",
        "modified": "2024-05-02T00:00:00Z",
        "published": "2024-05-01T00:00:00.5Z",
        "aliases": ["CVE-2024-0001", "GO-2024-0001", "CVE-2024-0001"],
        "summary": "Too much",
        "details": "Far too\nmuch.",
        "affected": [
            { "package": { "name": "stdlib", "ecosystem": "Go" },
              "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0" }, { "fixed": "1.20.1" }, { "introduced": "1.21.0" }, { "fixed": "1.21.2" }] }] },
            { "package": { "name": "x.org/open", "ecosystem": "Go" }, "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0" }] }] },
            { "package": { "name": "stdlib", "ecosystem": "Go" }, "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "2.0.0" }] }] },
        ],
        "severity": [{ "type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
        "references": [{ "type": "FIX", "url": "https://go.dev/cl/1" }, { "type": "NEW", "url": "https://go.dev" }],
    })
}

fn vex(statement: &Value) -> Value {
    let mut whole = json!({
        "vulnerability": { "name": "CVE-2024-0001", "aliases": ["GHSA-1"] },
        "products": [{ "@id": "pkg:apk/wolfi/curl@8.1?arch=x86_64" }],
    });
    for (field, value) in statement.as_object().expect("an object") {
        whole[field] = value.clone();
    }
    json!({
        "@context": "https://openvex.dev/ns/v0.2.0",
        "@id": "https://example.com/vex/1",
        "author": "ana",
        "timestamp": "2024-05-01T00:00:00Z",
        "version": 1,
        "statements": [whole],
    })
}

#[test]
fn a_record_makes_an_advisory_for_each_package() {
    let record = good(&osv());
    assert_eq!((record.format, record.id.as_str(), record.parts.len()), (DocumentFormat::Osv, "GO-2024-0001", 2));
    let [stdlib, open] = record.parts.as_slice() else { panic!("two packages") };
    assert_eq!((stdlib.spec.artifact_name.as_str(), stdlib.spec.artifact_type.as_str()), ("stdlib", "Go"));
    assert_eq!(stdlib.spec.aliases, ["GO-2024-0001", "CVE-2024-0001"]);
    assert_eq!((stdlib.spec.author.as_str(), stdlib.spec.legacy_id.as_deref()), ("GO", Some("GO-2024-0001")));
    let kinds = |part: &Part| part.events.iter().map(|event| event.kind.event_type()).collect::<Vec<_>>();
    assert_eq!(kinds(stdlib), [EventType::Detection, EventType::TruePositiveDetermination], "a later entry has it again");
    assert_eq!(kinds(open), [EventType::Detection, EventType::TruePositiveDetermination]);
    assert_eq!(stdlib.events[0].at, Timestamp(1_714_521_600_500));
    let vulnerability = record.vulnerability.expect("known");
    assert_eq!(
        (vulnerability.id.as_str(), vulnerability.aliases.as_slice()),
        ("GO-2024-0001", &["CVE-2024-0001".to_owned()][..])
    );
    assert_eq!(vulnerability.severities.len(), 1);
    assert_eq!(vulnerability.references.len(), 2);

    let mut fixed = osv();
    fixed["affected"].as_array_mut().expect("a list").pop();
    let event = good(&fixed).parts[0].events[1].kind.clone();
    assert_eq!(event, EventKind::Fixed(Fixed { version: "1.21.2".into(), ..Fixed::default() }));
    fixed["withdrawn"] = "2024-06-01T00:00:00Z".into();
    assert_eq!(good(&fixed).parts[0].withdrawn_at, Some(Timestamp(1_717_200_000_000)));
    fixed["modified"] = "0001-01-01T00:00:00Z".into();
    fixed["withdrawn"] = "0001-01-01T00:00:00Z".into();
    let part = good(&fixed).parts.remove(0);
    assert_eq!((part.withdrawn_at, part.events[1].at), (Some(Timestamp(1)), part.events[0].at), "a time that is not known");
    let git = json!([{ "ranges": [{ "type": "GIT", "repo": "https://x.org/r", "events": [{ "introduced": "0" }, { "fixed": "abc" }] }] }]);
    fixed["affected"] = git;
    let spec = good(&fixed).parts[0].spec.clone();
    assert_eq!((spec.artifact_type.as_str(), spec.artifact_name.as_str()), ("GIT", "https://x.org/r"));
}

#[test]
fn what_is_wrong_with_a_record_is_told() {
    let with = |field: &str, value: Value| {
        let mut record = osv();
        record[field] = value;
        bad(&record)
    };
    let range = |range: Value| with("affected", json!([{ "package": { "name": "a", "ecosystem": "Go" }, "ranges": [range] }]));
    let severity = |kind: &str, score: &str| with("severity", json!([{ "type": kind, "score": score }]));
    let many: Vec<_> = (0..201).map(|n| json!({ "package": { "name": n.to_string(), "ecosystem": "Go" } })).collect();
    for (told, expected) in [
        (with("schema_version", "2.0.0".into()), "schema_version must be 1.x"),
        (with("id", "".into()), "id is required"),
        (with("id", 7.into()), "invalid type"),
        (with("modified", "yesterday".into()), "modified must be a time"),
        (with("modified", "9999-12-31T23:59:60Z".into()), "modified must be a time"),
        (with("published", "-000001-01-01T00:00:00Z".into()), "published must be a time"),
        (with("affected", json!([])), "names no package"),
        (with("affected", Value::Null), "names no package"),
        (with("affected", json!([{}])), "affected[0] names neither a package"),
        (with("affected", many.into()), "names 201 packages"),
        (range(json!({ "type": "SEMVER", "events": [] })), "no event introduced"),
        (range(json!({ "type": "SEMVER", "events": [{}] })), "an event that is not one of"),
        (range(json!({ "type": "NEW", "events": [{ "introduced": "0" }] })), "none of the types"),
        (range(json!({ "type": "GIT", "events": [{ "introduced": "0" }] })), "has no repo"),
        (
            range(json!({ "type": "SEMVER", "events": [{ "introduced": "0" }, { "fixed": "1" }, { "last_affected": "2" }] })),
            "both",
        ),
        (severity("CVSS_V3", "high"), "no vector of CVSS_V3"),
        (severity("CVSS_V4", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"), "another version"),
        (bad(&json!({})), "neither OSV"),
        (bad(&json!([])), "cannot be read"),
        (bad(&json!({ "@context": "https://example.com" })), "neither OSV"),
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn ratings_of_all_versions_are_read() {
    let mut record = osv();
    record["severity"] = json!([
        { "type": "CVSS_V2", "score": "AV:N/AC:L/Au:N/C:N/I:N/A:C" },
        { "type": "CVSS_V3", "score": "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" },
        { "type": "CVSS_V4", "score": "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N" },
        { "type": "Ubuntu", "score": "medium" },
        { "type": "Later", "score": "1" },
    ]);
    let severities = good(&record).vulnerability.expect("known").severities;
    let systems: Vec<_> = severities.iter().map(|severity| severity.system).collect();
    assert_eq!(systems, [SeveritySystem::CvssV2, SeveritySystem::CvssV3, SeveritySystem::CvssV4, SeveritySystem::Ubuntu]);
}

#[test]
fn statements_make_an_advisory_for_each_product() {
    let part = |statement: Value| good(&vex(&statement)).parts[0].clone();
    let kind = |statement: Value| part(statement).events[0].kind.clone();
    let spec = part(json!({ "status": "under_investigation" })).spec;
    assert_eq!((spec.artifact_name.as_str(), spec.artifact_type.as_str()), ("wolfi/curl", "apk"));
    assert_eq!((spec.artifact_architecture.as_str(), spec.author.as_str()), ("x86_64", "ana"));
    assert_eq!(spec.aliases, ["CVE-2024-0001", "GHSA-1"]);
    let not_affected = |justification: &str| json!({ "status": "not_affected", "justification": justification });
    let reason = |reason| EventKind::FalsePositiveDetermination { reason, note: String::new() };
    for (statement, expected) in [
        (json!({ "status": "under_investigation" }), EventKind::Detection(Detection::Manual)),
        (
            json!({ "status": "affected", "action_statement": "Wait." }),
            EventKind::TruePositiveDetermination { note: "Wait.".into() },
        ),
        (json!({ "status": "affected", "status_notes": "fix_not_planned" }), EventKind::FixNotPlanned { note: String::new() }),
        (
            json!({ "status": "affected", "status_notes": "pending_upstream_fix" }),
            EventKind::PendingUpstreamFix { note: String::new() },
        ),
        (json!({ "status": "fixed" }), EventKind::Fixed(Fixed { version: "8.1".into(), ..Fixed::default() })),
        (not_affected("component_not_present"), reason(FalsePositiveReason::ComponentVulnerabilityMismatch)),
        (not_affected("vulnerable_code_not_present"), reason(FalsePositiveReason::VulnerableCodeNotIncludedInPackage)),
        (not_affected("vulnerable_code_not_in_execute_path"), reason(FalsePositiveReason::VulnerableCodeNotInExecutionPath)),
        (
            not_affected("vulnerable_code_cannot_be_controlled_by_adversary"),
            reason(FalsePositiveReason::VulnerableCodeCannotBeControlledByAdversary),
        ),
        (not_affected("inline_mitigations_already_exist"), reason(FalsePositiveReason::InlineMitigationsExist)),
    ] {
        assert_eq!(kind(statement), expected);
    }
    let two = json!({ "status": "fixed", "products": [
        { "@id": "pkg:apk/a@1", "subcomponents": [{ "@id": "pkg:golang/x" }, { "identifiers": { "purl": "pkg:golang/y" } }] }, "pkg:apk/b@1"] });
    let names: Vec<_> = good(&vex(&two)).parts.iter().map(|part| part.spec.component_name.clone()).collect();
    assert_eq!(names, [Some("x".to_owned()), Some("y".to_owned()), None]);
    for (statement, expected) in [
        (json!({ "status": "gone" }), "unknown status"),
        (not_affected("because"), "unknown justification"),
        (json!({ "status": "not_affected" }), "neither justification nor impact_statement"),
        (json!({ "status": "fixed", "products": [] }), "names no product"),
        (json!({ "status": "fixed", "products": [{}] }), "without @id"),
        (json!({ "status": "fixed", "vulnerability": {} }), "has no name"),
        (json!({ "status": "fixed", "timestamp": "now" }), "must be a time"),
        (json!({ "status": 1 }), "cannot be read"),
    ] {
        let told = bad(&vex(&statement));
        assert!(told.contains(expected), "{told}");
    }
}

/// Something that people decide.
fn verdicts() -> impl Strategy<Value = EventKind> {
    let reasons = prop::sample::select(vec![
        FalsePositiveReason::VulnerabilityRecordAnalysisContested,
        FalsePositiveReason::ComponentVulnerabilityMismatch,
        FalsePositiveReason::VulnerableCodeVersionNotUsed,
        FalsePositiveReason::VulnerableCodeNotIncludedInPackage,
        FalsePositiveReason::VulnerableCodeNotInExecutionPath,
        FalsePositiveReason::VulnerableCodeCannotBeControlledByAdversary,
        FalsePositiveReason::InlineMitigationsExist,
    ]);
    let note = || "[a-zA-Z .é]{0,20}".prop_map(|note: String| note.trim().to_owned());
    prop_oneof![
        Just(EventKind::Detection(Detection::Manual)),
        note().prop_map(|note| EventKind::TruePositiveDetermination { note }),
        note().prop_map(|note| EventKind::AnalysisNotPlanned { note }),
        note().prop_map(|note| EventKind::FixNotPlanned { note }),
        note().prop_map(|note| EventKind::PendingUpstreamFix { note }),
        ("[0-9a-z.-]{1,9}", note()).prop_map(|(version, note)| EventKind::Fixed(Fixed { version, note, ..Fixed::default() })),
        (prop::collection::vec("[0-9a-z.-]{1,9}", 1..3), note())
            .prop_map(|(versions, note)| EventKind::Patched { versions, note }),
        (reasons, note()).prop_map(|(reason, note)| EventKind::FalsePositiveDetermination { reason, note }),
    ]
}

/// An advisory with this verdict.
fn view(kind: EventKind, review: ReviewState) -> AdvisoryView {
    let uid = Uidp::root_from([1; 20]).child([2; 8]);
    let event = AdvisoryEvent {
        uid: uid.child([3; 8]),
        at: Timestamp(1_700_000_000_000),
        kind,
        findings: Findings::default(),
        author: "ana".into(),
        reviewer: "ben".into(),
        review,
        issue: None,
        written_by: Uidp::root_from([4; 20]),
    };
    let advisory = Advisory {
        uid,
        spec: AdvisorySpec {
            artifact_name: "openssl".into(),
            artifact_type: "apk".into(),
            artifact_architecture: "x86_64".into(),
            component_name: Some("libcrypto3".into()),
            component_type: Some("apk".into()),
            aliases: vec!["CVE-2024-0001".into(), "GHSA-1".into()],
            author: "ana".into(),
            ..AdvisorySpec::default()
        },
        events: vec![event],
        withdrawn_at: None,
        created_at: Timestamp(1_600_000_000_000),
        updated_at: Timestamp(1_700_000_000_001),
        revision: domain::Revision::default(),
    };
    let severity = Severity { system: SeveritySystem::CvssV2, score: "AV:N/AC:L/Au:N/C:N/I:N/A:C".into() };
    AdvisoryView { advisory, severities: vec![severity] }
}

fn written(format: DocumentFormat, view: &AdvisoryView) -> Value {
    serde_json::from_slice(&write(format, view).expect("a document")).expect("JSON")
}

proptest! {
    #[test]
    fn what_is_written_is_read(kind in verdicts()) {
        for format in [DocumentFormat::Osv, DocumentFormat::OpenVex] {
            let view = view(kind.clone(), ReviewState::Approved);
            let document = written(format, &view);
            let record = good(&document);
            let public_id = view.advisory.public_id();
            prop_assert_eq!(record.written_about(), Some(public_id.as_str()));
            let [part] = record.parts.as_slice() else { panic!("one part") };
            prop_assert_eq!(&part.events.last().expect("an event").kind, &kind, "{:#}", document);
            prop_assert_eq!(&part.spec.artifact_name, "openssl");
            prop_assert_eq!(&part.spec.artifact_type, "apk");
            prop_assert_eq!(&part.spec.artifact_architecture, "x86_64");
            if format == DocumentFormat::Osv {
                prop_assert_eq!(schema::problems(&document), Vec::<String>::new());
            }
        }
    }
}

#[test]
fn what_nobody_has_approved_is_not_said() {
    let kind = EventKind::FalsePositiveDetermination { reason: FalsePositiveReason::InlineMitigationsExist, note: String::new() };
    for review in [ReviewState::Pending, ReviewState::Rejected, ReviewState::RequestChanges] {
        let view = view(kind.clone(), review);
        assert_eq!(written(DocumentFormat::OpenVex, &view)["statements"][0]["status"], "under_investigation");
        let osv = written(DocumentFormat::Osv, &view);
        assert_eq!(osv["affected"][0]["ranges"][0]["events"], json!([{ "introduced": "0" }]));
    }
    let approved = written(DocumentFormat::Osv, &view(kind, ReviewState::Approved));
    assert_eq!(approved["affected"][0].get("ranges"), None, "what is not affected has no range");
}

#[test]
fn what_was_withdrawn_is_so_in_osv_and_not_said_in_openvex() {
    let mut view = view(EventKind::Detection(Detection::Manual), ReviewState::Approved);
    view.advisory.withdrawn_at = Some(Timestamp(1_700_000_000_000));
    assert_eq!(written(DocumentFormat::Osv, &view)["withdrawn"], "2023-11-14T22:13:20Z");
    assert_eq!(write(DocumentFormat::OpenVex, &view), None);
}
