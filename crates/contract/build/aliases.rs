//! The `v2` names: byte for byte the `v2beta1` packages under another package and path name.

use std::collections::BTreeMap;

/// Packages that exist under both names.
const ALIASED: [&str; 6] = ["iam", "registry", "vulnerabilities", "advisory", "events", "ping"];

/// Files of those packages that stay in beta.
const BETA_ONLY: [&str; 2] =
    ["chainguard/platform/registry/v2beta1/overlays.proto", "chainguard/platform/registry/v2beta1/overlay_bindings.proto"];

/// Whether a file also exists under its `v2` name.
pub(crate) fn is_aliased(file: &str) -> bool {
    let folder = |package: &&str| file.starts_with(&format!("chainguard/platform/{package}/v2beta1/"));
    ALIASED.iter().any(folder) && !BETA_ONLY.contains(&file)
}

/// The alias files, made from the sources of the originals: package, imports, type references and paths all change alike.
pub(crate) fn sources(originals: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let aliased = originals.iter().filter(|(file, _)| is_aliased(file));
    aliased.map(|(file, source)| (rename(file), rename(source))).collect()
}

/// The `v2` form of a name, path or source.
pub(crate) fn rename(text: &str) -> String {
    text.replace("v2beta1", "v2")
}
