//! What the feed keeps of the columns that rights follow from in a row.

use super::Digest;

/// The SHA-256 of these columns, behind the number of the form that says which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RightsDigest([u8; 1 + size_of::<Digest>()]);

impl RightsDigest {
    /// The form that is written.
    pub(crate) const FORM: u8 = 2;

    /// The one with this sum of the columns of [`Self::FORM`].
    pub(crate) fn of(sum: &Digest) -> Self {
        let mut bytes = [Self::FORM; 1 + size_of::<Digest>()];
        bytes.iter_mut().skip(1).zip(sum).for_each(|(to, from)| *to = *from);
        Self(bytes)
    }

    /// As it is stored.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
