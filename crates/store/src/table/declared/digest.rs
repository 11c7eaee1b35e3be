//! What the feed keeps of the columns that rights follow from.
//!
//! Digests have forms, so that columns can be added: the first is a SHA-256, and each later one has its number before that. A row is
//! compared in the form that its last commit has left, since the audit log vouches for that.

use database::Param;

use super::Declared;
use crate::chain::{Digest, RightsDigest, Values};

/// What a row is beside what the feed keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// As it was written.
    Whole,
    /// As it was written, as far as an earlier form tells, which covers fewer columns, or none.
    Earlier,
    /// Something else than what was written.
    Other,
    /// Nothing is kept, and every program that keeps digests would have.
    Nothing,
}

/// The digest of a row of this noun, whose columns that rights follow from have these values.
pub(crate) fn rights_digest(noun: &Declared, uid: &str, rights: &[Param<'_>]) -> RightsDigest {
    RightsDigest::of(&sum(noun, uid, rights, RightsDigest::FORM))
}

/// Compares such a row with what the feed keeps of it.
pub(crate) fn compare(noun: &Declared, uid: &str, rights: &[Param<'_>], kept: Option<&[u8]>) -> Fit {
    let fits = |is: bool, fit: Fit| if is { fit } else { Fit::Other };
    match kept {
        Some(kept) if kept.len() == size_of::<Digest>() => fits(kept == sum(noun, uid, rights, 1), Fit::Earlier),
        Some(kept) => fits(kept == rights_digest(noun, uid, rights).as_bytes(), Fit::Whole),
        None if noun.rights().all(|column| column.rights_since != Some(1)) => Fit::Earlier,
        None => Fit::Nothing,
    }
}

/// The SHA-256 of the columns that this form covers.
fn sum(noun: &Declared, uid: &str, rights: &[Param<'_>], form: u8) -> Digest {
    let mut values = Values::default();
    values.add(&[noun.noun.as_str().into(), uid.into()]);
    for (column, value) in noun.rights().zip(rights) {
        if column.rights_since.is_some_and(|since| since <= form) {
            values.add(std::slice::from_ref(value));
        }
    }
    values.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iam::{groups, identities, roles};

    #[test]
    fn rows_are_compared_in_the_form_of_their_commit() {
        let noun = &identities::DECLARED;
        let row = ["e@example.com", "u@example.com", "{}", "7"].map(Param::from);
        let other = ["e@example.com", "u@example.com", "{}", "6"].map(Param::from);
        let now = rights_digest(noun, "u", &row);
        assert_eq!(compare(noun, "u", &row, Some(now.as_bytes())), Fit::Whole);
        assert_eq!(compare(noun, "u", &other, Some(now.as_bytes())), Fit::Other);
        assert_eq!(compare(noun, "v", &row, Some(now.as_bytes())), Fit::Other);
        // The first form covers the relationship alone.
        let first = sum(noun, "u", &row, 1);
        assert_eq!(Values::default().add(&["identity".into(), "u".into(), "{}".into()]).digest(), first);
        assert_eq!([&row, &other].map(|row| compare(noun, "u", row, Some(&first))), [Fit::Earlier; 2]);
        assert_eq!(compare(noun, "u", &["e", "u", "[]", "7"].map(Param::from), Some(&first)), Fit::Other);
        // The sum of one form is none of another.
        assert_eq!(compare(noun, "u", &row, Some(&now.as_bytes()[1..])), Fit::Other);
        assert_eq!(compare(noun, "u", &row, Some(&[])), Fit::Other);
    }

    #[test]
    fn nothing_is_kept_of_nouns_that_the_first_form_does_not_know() {
        assert_eq!(compare(&groups::DECLARED, "u", &[], None), Fit::Earlier);
        assert_eq!(compare(&roles::DECLARED, "u", &[], None), Fit::Nothing);
    }
}
