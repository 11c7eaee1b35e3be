//! Identities.

use super::rights::Rights;
use crate::model::{
    answer::Refusal,
    state::{Fields, State},
};

const SUBJECT: &str = "claim_match.subject";
const ISSUER: &str = "claim_match.issuer";
const PRINCIPAL: &str = "service_principal";

impl State {
    /// Whoever chooses who becomes the identity could become it.
    pub(super) fn check_identity(
        &self,
        rights: &Rights,
        uid: &str,
        before: Option<&Fields>,
        wished: &Fields,
    ) -> Result<(), Refusal> {
        if before.is_some_and(|before| is_another(before, wished)) {
            for (at, _, role) in self.bindings().filter(|(_, of, _)| *of == uid) {
                rights.may_give(&self.capabilities(role), at)?;
            }
        }
        Ok(())
    }
}

/// An identity proves itself in one way: what is new takes the place of what was.
pub(super) fn one_proof(before: &Fields, wished: &mut Fields) {
    let both = wished.get(PRINCIPAL).is_some() && wished.get(ISSUER).is_some();
    match before.get(PRINCIPAL) {
        Some(_) if both => wished.set(PRINCIPAL, ""),
        None if both => {
            wished.set(ISSUER, "");
            wished.set(SUBJECT, "");
        }
        _ => {}
    }
}

/// Whether it proves itself in another way.
pub(super) fn is_another(before: &Fields, after: &Fields) -> bool {
    [ISSUER, SUBJECT, PRINCIPAL].iter().any(|path| before.get(path) != after.get(path))
}

pub(super) fn bad_proof(fields: &Fields) -> Option<String> {
    let bad = fields.get(PRINCIPAL).is_none() && fields.get(SUBJECT).is_none();
    bad.then(|| SUBJECT.to_owned())
}
