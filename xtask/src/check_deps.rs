//! Which crate of ours may use which: the arrows of ARCHITECTURE.md, as a program.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::workspace::{self, Outcome};

/// What each crate may use in the program. A crate that is not here may not exist.
const ALLOWED: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("contract", &[]),
    ("access", &["domain"]),
    ("database", &["domain"]),
    ("store", &["database", "domain"]),
    ("sts", &["domain", "access", "store"]),
    ("services", &["domain", "access", "store"]),
    ("devidp", &["domain"]),
    ("api", &["contract", "domain", "services", "sts"]),
    ("gateway", &["contract", "domain", "access"]),
    ("client", &["contract"]),
    ("server", &["access", "api", "contract", "devidp", "domain", "gateway", "services", "store", "sts"]),
    ("bench", &["access", "client", "contract", "domain", "server", "store", "sts"]),
    ("cli", &["bench", "client", "contract", "domain", "gateway", "server", "store", "sts"]),
    ("pgcluster", &[]),
    ("testkit", &["client", "contract", "domain", "pgcluster", "server", "store"]),
    ("e2e", &["testkit", "client"]),
    ("xtask", &["contract"]),
];

/// What tests may use beyond that.
const ALLOWED_IN_TESTS: &[(&str, &[&str])] = &[
    ("api", &["store"]),
    ("cli", &["testkit", "pgcluster"]),
    ("client", &["gateway", "domain"]),
    ("services", &["sts"]),
    ("store", &["pgcluster"]),
    ("e2e", &["contract", "domain", "access", "pgcluster", "server", "store"]),
];

/// Crates that only some of ours may name, and why: they are the boundary's technology.
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("rusqlite", &["database", "bench"], "only database names an engine; bench measures the engine without it"),
    (
        "prost",
        &["contract", "api", "gateway", "client", "bench", "e2e", "testkit"],
        "only contract, api, gateway, client and bench name protobuf types",
    ),
    (
        "prost-types",
        &["contract", "api", "gateway", "client", "bench", "e2e", "testkit"],
        "only contract, api, gateway, client and bench name protobuf types",
    ),
    (
        "tonic",
        &["gateway", "client", "bench", "e2e", "testkit"],
        "gRPC is spoken at the door and by the client; bench measures it bare",
    ),
    ("hyper", &["gateway", "bench", "e2e", "testkit"], "HTTP is spoken at the door; bench measures it bare"),
    ("tokio-postgres", &["database"], "only database names an engine"),
    ("reqwest", &["sts", "client", "server", "e2e", "testkit"], "outbound requests go through the guard in sts"),
];

/// Reads the workspace's manifest through cargo and names every forbidden arrow.
pub(crate) fn run() -> Outcome {
    let bytes = workspace::output("cargo", &["metadata", "--format-version=1", "--no-deps", "--locked"], &[])?;
    let metadata: Value = serde_json::from_slice(&bytes).map_err(|error| format!("cargo metadata is not JSON: {error}"))?;
    let packages = metadata.get("packages").and_then(Value::as_array).ok_or("cargo metadata names no packages")?;
    let ours: BTreeMap<&str, &Value> = packages.iter().filter_map(|package| Some((text(package, "name")?, package))).collect();

    let mut problems = Vec::new();
    let mut arrows = 0;
    for (name, package) in &ours {
        let Some(allowed) = lookup(ALLOWED, name) else {
            problems.push(format!("{name}: not in the table of xtask/src/check_deps.rs; say there what it may use"));
            continue;
        };
        let in_tests = lookup(ALLOWED_IN_TESTS, name).unwrap_or_default();
        for dependency in package.get("dependencies").and_then(Value::as_array).into_iter().flatten() {
            let used = text(dependency, "name").unwrap_or_default();
            let test_only = text(dependency, "kind") == Some("dev");
            if ours.contains_key(used) {
                arrows += 1;
                if !(allowed.contains(&used) || test_only && in_tests.contains(&used)) {
                    problems.push(format!("{name} may not use {used}: see \"Who may use whom\" in ARCHITECTURE.md"));
                }
            }
            for (reserved, users, reason) in RESERVED {
                if used == *reserved && !test_only && !users.contains(name) {
                    problems.push(format!("{name} may not use {used}: {reason}"));
                }
            }
        }
    }
    if problems.is_empty() {
        Ok(format!("{arrows} arrows between {} crates, all allowed", ours.len()))
    } else {
        Err(problems.join("\n"))
    }
}

fn lookup<'a>(table: &[(&str, &'a [&'a str])], name: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, uses)| *uses)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
