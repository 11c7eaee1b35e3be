//! All nouns with a table of their own.

use domain::{Noun, Result, Uidp};

use crate::{
    BoxFuture, Writer,
    events::subscriptions,
    iam::{
        access_requests, account_associations, external_group_role_mappings, group_invites, groups, identities,
        identity_metadata, identity_providers, role_bindings, roles, terms,
    },
    registry::{deployments, overlay_bindings, overlays, registry_settings, repos, tags},
    table::{self, Nouns},
    vulnerabilities::{advisories, known},
    writer::Rules,
};

/// All of them, what others refer to before those: a restore writes in this order.
pub(crate) const NOUNS: Nouns = Nouns(&[
    &groups::DECLARED,
    &repos::DECLARED,
    &tags::DECLARED,
    &overlays::DECLARED,
    &overlay_bindings::DECLARED,
    &deployments::DECLARED,
    &registry_settings::DECLARED,
    &identities::DECLARED,
    &roles::DECLARED,
    &role_bindings::DECLARED,
    &identity_providers::DECLARED,
    &external_group_role_mappings::DECLARED,
    &account_associations::DECLARED,
    &group_invites::DECLARED,
    &access_requests::DECLARED,
    &terms::DECLARED,
    &identity_metadata::DECLARED,
    &subscriptions::DECLARED,
    &advisories::DECLARED,
    &known::DECLARED,
]);

/// What a writer asks of them.
pub(crate) const RULES: &Rules = &Rules { empty, event_group: |noun, uid, op| NOUNS.event_group(noun, uid, op) };

/// [`table::empty_of`] among all of them.
fn empty<'a>(tx: &'a mut Writer, of: Noun, uid: &'a Uidp) -> BoxFuture<'a, Result<bool>> {
    Box::pin(table::empty_of(NOUNS, tx, of, uid))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{StoreConfig, still::open};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_table_of_a_noun_is_declared_here() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(&StoreConfig::sqlite(folder.path())).await;
        let mut reader = store.reader().await.expect("reads");
        let sql = "SELECT t.name FROM sqlite_schema t WHERE type = 'table' AND 3 = \
                   (SELECT count(*) FROM pragma_table_info(t.name) WHERE name IN ('uid', 'parent', 'org'))";
        let tables = reader.query_map(sql, &[], |row| row.string(0)).await.expect("tables");
        let declared: BTreeSet<_> = NOUNS.0.iter().map(|noun| noun.table.to_owned()).collect();
        assert_eq!(BTreeSet::from_iter(tables), declared, "every noun has a line in NOUNS, crates/store/src/nouns.rs");
        drop(reader);
        store.close().await;
    }
}
