//! Which crate of ours may use which: the arrows of ARCHITECTURE.md, as a program. And that modules use each other in one direction.

mod circles;
mod modules;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

use self::modules::{Modules, shown};
use crate::workspace::{self, Outcome};

/// What each crate may use in the program. A crate that is not here may not exist.
const ALLOWED: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("contract", &[]),
    ("access", &["domain"]),
    ("database", &["domain"]),
    ("store", &["database", "domain"]),
    ("sts", &["domain", "access", "store"]),
    ("formats", &["domain"]),
    ("services", &["domain", "access", "formats", "store"]),
    ("delivery", &["domain", "store", "sts"]),
    ("devidp", &["domain"]),
    ("api", &["contract", "domain", "services", "sts"]),
    ("gateway", &["contract", "domain", "access"]),
    ("client", &["contract"]),
    ("server", &["access", "api", "contract", "delivery", "devidp", "domain", "gateway", "services", "store", "sts"]),
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

/// Modules that still use each other in circles, by their crate: they are to become fewer, and no others may come.
const ENTANGLED: &[(&str, &[&str])] = &[
    ("bench", &["cases", "reference"]),
    ("pgcluster", &["cluster", "crowd", "database", "disk"]),
    (
        "sts",
        &[
            "claims",
            "claims::dialect",
            "claims::text",
            "issuers",
            "issuers::cache",
            "issuers::fetcher",
            "jws::algorithm",
            "jws::compact",
            "jws::jwk",
            "jws::jwks",
            "settings",
            "workers",
        ],
    ),
];

/// Reads the workspace's manifest through cargo and names every forbidden arrow, and every circle of modules.
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
    for (name, package) in &ours {
        problems.extend(entangled(name, package)?);
    }
    if problems.is_empty() {
        Ok(format!("{arrows} arrows between {} crates, all allowed, and no new circle of modules", ours.len()))
    } else {
        Err(problems.join("\n"))
    }
}

/// The circles of a crate's modules that are not known.
fn entangled(name: &str, package: &Value) -> Result<Vec<String>, String> {
    let (mut problems, mut met) = (Vec::new(), BTreeSet::new());
    let known = lookup(ENTANGLED, name).unwrap_or_default();
    for target in package.get("targets").and_then(Value::as_array).into_iter().flatten() {
        let mut kinds = target.get("kind").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        if !kinds.any(|kind| ["lib", "bin"].contains(&kind)) {
            continue;
        }
        let arrows = Modules::read(Path::new(text(target, "src_path").unwrap_or_default()))?.arrows();
        for circle in circles::circles(arrows.keys().cloned()) {
            let places: Vec<_> = circle.iter().map(|place| shown(place)).collect();
            let unknown = places.iter().any(|place| !known.contains(&place.as_str()));
            met.extend(places);
            if unknown {
                let next = circle.iter().cycle().skip(1).cloned();
                let hows = circle.iter().cloned().zip(next).filter_map(|arrow| arrows.get(&arrow).map(String::as_str));
                problems.push(format!("modules of {name} use each other in a circle: {}", hows.collect::<Vec<_>>().join(", ")));
            }
        }
    }
    for place in known.iter().filter(|place| !met.contains(**place)) {
        problems.push(format!("{name}: {place} is on no circle any more; take it from the table of xtask/src/check_deps.rs"));
    }
    Ok(problems)
}

fn lookup<'a>(table: &[(&str, &'a [&'a str])], name: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, uses)| *uses)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
