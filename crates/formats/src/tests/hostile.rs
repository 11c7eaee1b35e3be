//! Documents of ten million bytes, and of any bytes at all.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{bytes, osv, vex};
use crate::{LONGEST, PARTS, read, write};

const TEN_MEGABYTES: usize = 10 << 20;

/// The reason why the document is rejected, which does not take long to find.
fn rejected(document: &[u8]) -> String {
    let begun = Instant::now();
    let reason = read(document).expect_err("rejected").0;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    reason
}

#[test]
fn what_is_too_long_is_not_read() {
    let mut record = osv();
    record["details"] = "x".repeat(TEN_MEGABYTES).into();
    assert!(rejected(&bytes(&record)).contains("a document may have"));
    for document in ["[".repeat(TEN_MEGABYTES), "{\"id\":".repeat(TEN_MEGABYTES / 6), "\"".repeat(TEN_MEGABYTES)] {
        assert!(rejected(document.as_bytes()).contains("a document may have"));
    }
}

#[test]
fn what_is_as_long_as_can_be_is_harmless() {
    let most = LONGEST - 200;
    for document in ["[".repeat(most), "{\"id\":".repeat(most / 6), "{\"affected\":[".repeat(most / 13), "9".repeat(most)] {
        assert!(rejected(document.as_bytes()).contains("cannot be read"));
    }
    let deep = |before: &str, after: &str| {
        let nest = (most - before.len() - after.len()) / 2;
        rejected(format!("{before}{}{}{after}", "[".repeat(nest), "]".repeat(nest)).as_bytes())
    };
    let record = r#"{"id":"A-1","modified":"2024-01-01T00:00:00Z","database_specific":"#;
    assert!(deep(record, "}").contains("names no package"), "what nobody reads is passed over, however deep");
    let affected = record.replace("database_specific\":", "affected\":[{\"database_specific\":{\"provost\":");
    assert!(deep(&affected, "}}]}").contains("recursion limit"));
    let mut wide = osv();
    wide["affected"] = (0..8000).map(|n| json!({ "package": { "name": n.to_string(), "ecosystem": "Go" } })).collect();
    assert!(rejected(&bytes(&wide)).contains("names 8000 packages"));
    let products: Vec<_> = (0..8000).map(|n| Value::from(format!("pkg:apk/{n}"))).collect();
    assert!(rejected(&bytes(&vex(&json!({ "status": "fixed", "products": products })))).contains(&format!("more than {PARTS}")));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_rejected(document: Vec<u8>) {
        let _ = read(&document);
    }

    /// A good document in which one value is something else.
    #[test]
    fn wrong_types_are_read_or_rejected(is_osv: bool, at: prop::sample::Index, to in 0..8_usize) {
        let mut document = if is_osv { osv() } else { vex(&json!({ "status": "fixed", "status_notes": "x" })) };
        let mut paths = Vec::new();
        collect(&document, String::new(), &mut paths);
        let others = [Value::Null, json!(-1), json!(1e300), json!(""), json!("\u{0}\u{202e}"), json!([]), json!({}), json!([[{}]])];
        *document.pointer_mut(&paths[at.index(paths.len())]).expect("a value") = others[to].clone();
        if let Ok(record) = read(&bytes(&document)) {
            prop_assert!(!record.id.is_empty() && !record.parts.is_empty() && record.parts.len() <= PARTS);
        }
    }
}

/// The paths of all values.
fn collect(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| {
                collect(value, format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), paths);
            });
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(at, value)| collect(value, format!("{path}/{at}"), paths)),
        _ => {}
    }
    if !path.is_empty() {
        paths.push(path);
    }
}

#[test]
fn writing_never_fails() {
    let view = super::view(
        domain::vulnerabilities::EventKind::Patched { versions: Vec::new(), note: String::new() },
        domain::vulnerabilities::ReviewState::Approved,
    );
    assert!(write(domain::vulnerabilities::DocumentFormat::Osv, &view).is_some());
}
