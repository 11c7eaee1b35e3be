//! Roles.

use std::collections::BTreeSet;

use super::rights::{Rights, need};
use crate::model::{
    answer::Refusal,
    state::{Fields, State},
};

/// Only the platform's own roles may have it.
pub(crate) const INTERNAL_ONLY: &str = "CAP_REPO_INTERNAL_ADMIN";

impl State {
    /// A role grows by what its changer holds wherever it is given.
    pub(super) fn check_role(&self, rights: &Rights, uid: &str, before: Option<&Fields>, wished: &Fields) -> Result<(), Refusal> {
        let had = before.map(|before| before.texts("capabilities")).unwrap_or_default();
        let added: BTreeSet<_> =
            wished.texts("capabilities").into_iter().filter(|c| !had.contains(c)).map(str::to_owned).collect();
        for (_, at) in self.places_of(uid) {
            rights.may_give(&added, at)?;
        }
        Ok(())
    }
}

pub(super) fn bad_capabilities(fields: &Fields) -> Option<String> {
    let capabilities = fields.texts("capabilities");
    let alone = capabilities.contains(&INTERNAL_ONLY) && !capabilities.contains(&need("internal"));
    (capabilities.is_empty() || alone).then(|| "capabilities".to_owned())
}
