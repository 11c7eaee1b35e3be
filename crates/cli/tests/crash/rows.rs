//! Rows as these tests compare them: their UIDs, and what callers have put into them.

use std::collections::BTreeMap;

use contract::chainguard::platform::{
    iam::v2beta1::{Group, Identity, RoleBinding},
    registry::v2beta1::{Repo, Tag},
};

/// Groups, identities, role bindings, repositories and tags.
pub(crate) type Rows = BTreeMap<String, String>;

/// What becomes of rows; `None` of those that go.
pub(crate) type Change = Vec<(String, Option<String>)>;

pub(crate) fn group(name: &str, description: &str) -> String {
    format!("group {name}: {description}")
}

pub(crate) fn identity(name: &str, description: &str) -> String {
    format!("identity {name}: {description}")
}

pub(crate) fn binding(identity: &str, role: &str) -> String {
    format!("binding of {identity} to {role}")
}

pub(crate) fn repo(name: &str) -> String {
    format!("repo {name}")
}

pub(crate) fn tag(name: &str, digest: &str) -> String {
    format!("tag {name}: {digest}")
}

/// A digest, one of many.
pub(crate) fn digest(number: usize) -> String {
    format!("sha256:{number:064x}")
}

pub(crate) fn of_group(row: Group) -> (String, String) {
    let text = group(&row.name, &row.description);
    (row.uid, text)
}

pub(crate) fn of_identity(row: Identity) -> (String, String) {
    let text = identity(&row.name, &row.description);
    (row.uid, text)
}

pub(crate) fn of_binding(row: RoleBinding) -> (String, String) {
    let text = binding(&row.identity_uid, &row.role_uid);
    (row.uid, text)
}

pub(crate) fn of_repo(row: Repo) -> (String, String) {
    let text = repo(&row.name);
    (row.uid, text)
}

pub(crate) fn of_tag(row: Tag) -> (String, String) {
    let text = tag(&row.name, &row.digest);
    (row.uid, text)
}
