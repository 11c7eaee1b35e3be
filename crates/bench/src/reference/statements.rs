//! What one would write by hand for each question to PostgreSQL, as scripts of `pgbench`: no caller, no filter, no protocol.

use domain::Uidp;

use crate::{
    cases::lists::Place,
    world::{DESCRIPTION, Filled, NAME},
};

/// One group.
pub(crate) fn group(uid: &Uidp) -> String {
    format!(
        "SELECT uid, name, description, verified, kind, status, created_at, updated_at, revision FROM groups WHERE uid = '{uid}';\n"
    )
}

/// The first page of the groups of an organization, with their number.
pub(crate) fn groups(organization: &Uidp) -> String {
    format!(
        "SELECT uid, name, description, verified, kind, status, created_at, updated_at, revision FROM groups \
         WHERE uid >= '{organization}' AND uid < '{organization}0' ORDER BY uid LIMIT 50;\n\
         SELECT n FROM counts WHERE prefix = '{organization}' AND noun = 'group';\n"
    )
}

/// A page of repositories behind `skip` others, with the number of all.
pub(crate) fn page(filled: &Filled, place: Place, order: &str, skip: u64) -> String {
    let (organization, folder) = (&filled.server.organization, &filled.folder);
    let filter = match place {
        Place::Everywhere => "true".to_owned(),
        Place::Organization => format!("org = '{organization}'"),
        Place::Folder => format!("uid >= '{folder}/' AND uid < '{folder}0'"),
        Place::Children => format!("parent = '{folder}'"),
    };
    let by = if order == "uid" { String::new() } else { format!("{order}, ") };
    format!(
        "SELECT uid, name, description, catalog_tier, bundles, aliases, active_tags, sync_config, custom_overlay, created_at, \
         updated_at, revision FROM repos WHERE {filter} ORDER BY {by}uid LIMIT 50 OFFSET {skip};\n{}",
        total(filled, place)
    )
}

/// How many repositories there are.
pub(crate) fn total(filled: &Filled, place: Place) -> String {
    let (prefix, column) = match place {
        Place::Everywhere => ("/", "n"),
        Place::Organization => (filled.server.organization.as_str(), "n"),
        Place::Folder => (filled.folder.as_str(), "n"),
        Place::Children => (filled.folder.as_str(), "children"),
    };
    format!("SELECT {column} FROM counts WHERE prefix = '{prefix}' AND noun = 'repo';\n")
}

/// A new folder, durable in the end: the rows that the store writes for it, in a transaction of its own. Writes are serial,
/// as they are in the store.
pub(crate) fn create(organization: &Uidp) -> String {
    let now = 1_767_323_045_678_i64;
    format!(
        r#"\set number random(1, 9000000000000000000)
BEGIN;
UPDATE revision SET n = n + 1 RETURNING n AS revision \gset
INSERT INTO groups (uid, parent, org, name, description, verified, kind, status, created_at, updated_at, revision)
VALUES ('{organization}/' || lpad(to_hex(:number::bigint), 16, '0'), '{organization}', '{organization}', '{NAME}', '{DESCRIPTION}', false, 'unspecified', 'ready', {now}, {now}, :revision);
INSERT INTO counts (prefix, noun, n, children)
VALUES ('/', 'group', 1, 0), ('{organization}', 'group', 1, 1), ('{organization}/' || lpad(to_hex(:number::bigint), 16, '0'), 'group', 1, 0)
ON CONFLICT (prefix, noun) DO UPDATE SET n = counts.n + 1, children = counts.children + excluded.children;
INSERT INTO changes (revision, ordinal, noun, uid, op, from_name, from_created_at, to_name, to_created_at)
VALUES (:revision, 0, 'group', '{organization}/' || lpad(to_hex(:number::bigint), 16, '0'), 'created', NULL, NULL, '{NAME}', {now});
INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, snapshot, at)
VALUES (:revision, 0, 'dev.chainguard.api.iam.group.created.v1', 'v2beta1', true, '{organization}/' || lpad(to_hex(:number::bigint), 16, '0'), '{organization}/' || lpad(to_hex(:number::bigint), 16, '0'), '{organization}', '{{"spec":{{"name":"{NAME}","description":"{DESCRIPTION}"}},"created_at": {now}, "updated_at": {now}}}', {now});
INSERT INTO audit (at, revision, actor, method, request_id, noun, subject, op, outcome)
VALUES ({now}, :revision, '{organization}', 'write', 'write', 'group', '{organization}/' || lpad(to_hex(:number::bigint), 16, '0'), 'created', 'OK');
COMMIT;
"#
    )
}
