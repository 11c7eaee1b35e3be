//! What the public JSON schema of OSV demands, rule by rule.

use regex::Regex;
use serde_json::Value;

/// What is wrong with a record by the schema.
pub(super) fn problems(record: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    let time = Regex::new(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$").expect("a pattern");
    let is_time = |value: &Value| value.as_str().is_some_and(|text| time.is_match(text));
    check(record["id"].as_str().is_some_and(|id| id.starts_with("CGA-")), "id has no prefix that the schema knows");
    check(is_time(&record["modified"]), "modified is no time");
    for field in ["published", "withdrawn"] {
        check(record.get(field).is_none_or(is_time), "a time is none");
    }
    check(record["schema_version"].is_string(), "schema_version is no text");
    let texts = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    check(record.get("aliases").is_none_or(texts), "aliases are no texts");
    let aliases = record["aliases"].as_array().cloned().unwrap_or_default();
    check(aliases.iter().enumerate().all(|(at, alias)| !aliases[..at].contains(alias)), "aliases are there twice");
    for severity in record["severity"].as_array().into_iter().flatten() {
        let known = ["CVSS_V2", "CVSS_V3", "CVSS_V4", "Ubuntu"];
        check(severity["type"].as_str().is_some_and(|kind| known.contains(&kind)), "a severity has no known type");
        check(severity["score"].is_string(), "a severity has no score");
    }
    let affected = record["affected"].as_array().cloned().unwrap_or_default();
    for affected in &affected {
        check(affected.is_object(), "affected is no object");
        if let Some(package) = affected.get("package") {
            check(package["ecosystem"].is_string() && package["name"].is_string(), "a package has no ecosystem or name");
        }
        check(affected.get("database_specific").is_none_or(Value::is_object), "database_specific is no object");
        for range in affected["ranges"].as_array().into_iter().flatten() {
            check(["GIT", "SEMVER", "ECOSYSTEM"].iter().any(|kind| range["type"] == **kind), "a range has no known type");
            check(range["type"] != "GIT" || range["repo"].is_string(), "a range of commits has no repository");
            let events = range["events"].as_array().cloned().unwrap_or_default();
            check(events.iter().any(|event| event.get("introduced").is_some()), "a range has no event introduced");
            let one =
                |event: &Value| event.as_object().is_some_and(|event| event.len() == 1 && event.values().all(Value::is_string));
            check(events.iter().all(one), "an event of a range is not one thing");
        }
    }
    let known = ["schema_version", "id", "modified", "published", "withdrawn", "aliases", "affected", "severity"];
    check(record.as_object().is_some_and(|all| all.keys().all(|key| known.contains(&key.as_str()))), "it has other fields");
    found
}
