//! Statements for feeds: about one package each, to be put together by packages (<https://github.com/aquasecurity/vex-repo-spec>).

use aws_lc_rs::digest::{SHA256, digest};
use domain::{Timestamp, vulnerabilities::Advisory};
use serde_json::{Value, json};

use super::write::{VERSION, statement};
use crate::{package_url::PackageUrl, record::ID, time};

/// Longest name of a folder in an archive, in bytes: systems take 255.
const SEGMENT: usize = 200;

/// The name of the index in the archive of a repository.
pub const INDEX: &str = "index.json";

/// A statement of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The URL of the package without version and qualifiers, if it is about a package.
    pub package: Option<String>,
    /// The statement as JSON.
    pub json: Vec<u8>,
}

/// What the advisory says, about the product that it was imported with (the key of its part), if it was. `None` where there is no word
/// for it.
#[must_use]
pub fn said(advisory: &Advisory, product_key: Option<&str>) -> Option<Statement> {
    let said = statement(advisory, product_key)?;
    let id = said.get("products")?.get(0)?.get("@id").and_then(Value::as_str)?;
    let package = PackageUrl::parse(id).map(|url| PackageUrl { version: None, arch: None, ..url }.text());
    Some(Statement { package, json: serde_json::to_vec(&said).ok()? })
}

/// What stands in a document before its statements, and behind them.
#[must_use]
pub fn around(name: &str, author: &str, at: Timestamp) -> (Vec<u8>, Vec<u8>) {
    let document = json!({
        "@context": VERSION,
        "@id": format!("{ID}{name}"),
        "author": author,
        "timestamp": time::write(at),
        "version": 1,
        "statements": [],
    });
    let mut text = document.to_string();
    // The list of statements is last.
    text.truncate(text.len().saturating_sub(2));
    (text.into_bytes(), b"]}\n".to_vec())
}

/// An entry of the index of a repository.
#[must_use]
pub fn entry(package: &str, location: &str) -> Vec<u8> {
    json!({ "id": package, "location": location, "format": "openvex" }).to_string().into_bytes()
}

/// What stands in an index before its entries, and behind them.
#[must_use]
pub fn index_around(at: Timestamp) -> (Vec<u8>, Vec<u8>) {
    let text = format!("{{\"updated_at\":\"{}\",\"packages\":[", time::write(at));
    (text.into_bytes(), b"]}\n".to_vec())
}

/// The manifest of a repository whose archive is at this URL.
#[must_use]
pub fn manifest(name: &str, archive: &str) -> Vec<u8> {
    let version = json!({ "spec_version": "0.1", "locations": [{ "url": archive }], "update_interval": "1h" });
    let description = format!("What {name} says about vulnerabilities in what it ships");
    json!({ "name": name, "description": description, "versions": [version] }).to_string().into_bytes()
}

/// Where a repository has the document of a package: a path of letters, digits, `_`, `-` and `.`, which leads nowhere else.
#[must_use]
pub fn location(package: &str) -> String {
    let path = package.strip_prefix("pkg:").unwrap_or(package);
    let segments = path.split('/').map(|segment| {
        let encode = |(at, byte): (usize, u8)| match byte {
            b'.' if at == 0 => "_2E".to_owned(),
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => char::from(byte).to_string(),
            byte => format!("_{byte:02X}"),
        };
        let plain: String = segment.bytes().enumerate().map(encode).collect();
        if plain.len() > SEGMENT { format!("_{}", sum(segment)) } else { plain }
    });
    let segments: Vec<_> = segments.collect();
    format!("pkg/{}/vex.json", segments.join("/"))
}

/// A name of fixed length that follows from the text: its SHA-256 in hexadecimal digits.
#[must_use]
pub fn sum(text: &str) -> String {
    hex::encode(digest(&SHA256, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_plain_and_lead_nowhere() {
        assert_eq!(location("pkg:npm/%40angular/core"), "pkg/npm/_2540angular/core/vex.json");
        assert_eq!(location("pkg:apk/../../etc"), "pkg/apk/_2E./_2E./etc/vex.json");
        assert!(location(&format!("pkg:apk/{}", "é".repeat(100))).len() < 100);
    }

    #[test]
    fn what_stands_around_statements_makes_a_document() {
        let (before, behind) = around("x", "acme", Timestamp(0));
        let whole = [before, b"{}".to_vec(), behind].concat();
        let read: Value = serde_json::from_slice(&whole).unwrap();
        assert_eq!(read["statements"], json!([{}]));
        let (before, behind) = index_around(Timestamp(0));
        let whole = [before, entry("pkg:a/b", "c.json"), behind].concat();
        assert_eq!(serde_json::from_slice::<Value>(&whole).unwrap()["packages"][0]["id"], "pkg:a/b");
    }
}
