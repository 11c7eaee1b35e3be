//! The security database of a distribution, as Alpine has it: which version of a package has a vulnerability no more.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Error, Result, Uidp,
    iam::Group,
    vulnerabilities::{Advisory, EventKind},
};
use formats::osv::folder;
use serde_json::json;
use store::{Store, rows, vulnerabilities::feeds};
use tokio::task::spawn_blocking;

use super::{
    kept::{Kept, Pieces, Snapshot},
    osv::{RECORDS, too_long},
};

/// The database.
const DATABASE: &str = "security.json";
/// Ecosystems whose packages are those of apk.
const OF_APK: [&str; 7] = ["Alpaquita", "Alpine", "BellSoft Hardened Containers", "Chainguard", "CleanStart", "MinimOS", "Wolfi"];
/// What stands for a package that never had the vulnerability.
const NEVER: &str = "0";
/// Architectures where no advisory names one.
const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];

/// The fixes of packages, by their versions.
type Fixes = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Makes the feed of one snapshot.
pub(super) async fn make(store: &Store, kept: &Kept, group: &Uidp) -> Result<Snapshot> {
    let mut reader = store.reader().await?;
    let state = feeds::state(&mut reader, group).await?;
    let name = rows::get::<Group>(&mut reader, group).await?.map(|group| group.spec.name.as_str().to_owned());
    let (mut fixes, mut architectures, mut count) = (Fixes::new(), BTreeSet::new(), 0_u64);
    let mut behind = Some(String::new());
    while let Some(from) = behind {
        let (page, next) = feeds::own(&mut reader, group, None, &from).await?;
        behind = next;
        for advisory in page.into_iter().filter(Advisory::is_published) {
            count += u64::from(add(&mut fixes, &mut architectures, advisory));
        }
        if count > RECORDS {
            return Err(too_long(format!("more than {RECORDS} fixes")));
        }
    }
    drop(reader);
    let mut spool = kept.spool()?;
    let write = move || {
        let packages: Vec<_> =
            fixes.into_iter().map(|(name, secfixes)| json!({ "pkg": { "name": name, "secfixes": secfixes } })).collect();
        if architectures.is_empty() {
            architectures.extend(ARCHITECTURES.map(str::to_owned));
        }
        let database = json!({
            "apkurl": "{{urlprefix}}/{{reponame}}/{{arch}}/{{pkg.name}}-{{pkg.ver}}.apk",
            "archs": architectures,
            "reponame": name.unwrap_or_default(),
            "urlprefix": "",
            "packages": packages,
        });
        let mut pieces = Pieces::default();
        spool.write(&serde_json::to_vec(&database).map_err(Error::internal)?, &mut pieces)?;
        spool.finish(state, BTreeMap::from([(DATABASE.to_owned(), pieces)]))
    };
    spawn_blocking(write).await.map_err(Error::internal)?
}

/// Adds what an advisory says is fixed; whether it says so of a package.
fn add(fixes: &mut Fixes, architectures: &mut BTreeSet<String>, advisory: Advisory) -> bool {
    if !folder(&advisory.spec.artifact_type).is_some_and(|ecosystem| OF_APK.contains(&ecosystem)) {
        return false;
    }
    let fixed_in = match advisory.approved().next_back().map(|event| &event.kind) {
        Some(EventKind::Fixed(said)) => vec![said.version.clone()],
        Some(EventKind::Patched { versions: patched, .. }) => patched.clone(),
        Some(EventKind::FalsePositiveDetermination { .. }) => vec![NEVER.to_owned()],
        _ => return false,
    };
    let id = advisory.public_id().to_string();
    let ids = if advisory.spec.aliases.is_empty() { vec![id] } else { advisory.spec.aliases };
    let name = advisory.spec.artifact_name;
    let name = name.rsplit_once('/').map_or(name.as_str(), |(_, name)| name);
    let package = fixes.entry(name.to_owned()).or_default();
    for version in fixed_in {
        package.entry(version).or_default().extend(ids.iter().cloned());
    }
    if !advisory.spec.artifact_architecture.is_empty() {
        architectures.insert(advisory.spec.artifact_architecture);
    }
    true
}
