//! A record without what an organization does not publish of it.

use domain::Timestamp;
use serde_json::{Map, Value};

use super::OWN;
use crate::time;

/// A package of a record: its type, and its name.
pub type Package = (String, String);

/// The record with those of its packages that are shown, and withdrawn where that is so. `None` when it is no record.
#[must_use]
pub fn narrow(
    record: &[u8],
    is_shown: impl Fn(&Package) -> bool,
    changed_at: Timestamp,
    withdrawn_at: Option<Timestamp>,
) -> Option<Vec<u8>> {
    let mut record: Map<String, Value> = serde_json::from_slice(record).ok()?;
    if let Some(Value::Array(affected)) = record.get_mut("affected") {
        affected.retain(|affected| package(affected).is_some_and(|package| is_shown(&package)));
    }
    let modified = record.get("modified").and_then(Value::as_str).and_then(|text| time::read("modified", text).ok());
    if modified.is_none_or(|modified| modified < changed_at) {
        record.insert("modified".to_owned(), time::write(changed_at).into());
    }
    if let Some(at) = withdrawn_at
        && !record.contains_key("withdrawn")
    {
        record.insert("withdrawn".to_owned(), time::write(at).into());
    }
    serde_json::to_vec_pretty(&record).ok()
}

/// What the entry is about, as reading calls it.
fn package(affected: &Value) -> Option<Package> {
    let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
    let own = affected.get("database_specific").and_then(|specific| specific.get(OWN));
    let own = |key: &str| own.and_then(|own| text(own, key));
    let kind = own("artifact_type");
    if let Some(package) = affected.get("package").filter(|package| !package.is_null()) {
        return Some((kind.or_else(|| text(package, "ecosystem"))?, text(package, "name")?));
    }
    if let (Some(kind), Some(name)) = (kind, own("artifact_name")) {
        return Some((kind, name));
    }
    let ranges = affected.get("ranges")?.as_array()?;
    ranges.iter().find_map(|range| text(range, "repo")).map(|repo| ("GIT".to_owned(), repo))
}
