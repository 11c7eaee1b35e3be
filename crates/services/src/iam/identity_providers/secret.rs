//! Client secrets: how they are kept, and what an update makes of the one that is kept.

use aws_lc_rs::constant_time;
use domain::{Ctx, Result, Sealed, Secret, Violations, ports::Seal};
use store::{Store, iam::identity_providers::client_secrets};

use crate::texts;

/// Longest accepted client secret in bytes.
const SECRET: usize = 1024;
const PURPOSE: &str = "identity-provider-client-secret";

/// Secrets that are sealed anew in one write.
const RENEWED: u32 = 100;

/// Seals the client secrets of all identity providers by the key in use, those that an earlier one has sealed. Answers how many those
/// were. It may be done again at any time, also while others change them.
///
/// # Errors
/// Whatever the store answers; some are sealed anew then.
pub async fn renew_all(store: &Store, seal: &dyn Seal, ctx: &Ctx) -> Result<u64> {
    let (mut after, mut renewed) = (None, 0);
    loop {
        let page = client_secrets(&mut store.reader().await?, after.as_ref(), RENEWED).await?;
        let Some((last, _)) = page.last() else { return Ok(renewed) };
        after = Some(last.clone());
        let mut secrets = Vec::new();
        for (uid, from) in page {
            if let Some(to) = seal.renew(PURPOSE, from.as_str())? {
                secrets.push((uid, from, Sealed::trusted(to)));
            }
        }
        renewed += secrets.len() as u64;
        if !secrets.is_empty() {
            store.reseal_client_secrets(ctx, secrets).await?;
        }
    }
}

/// What an update makes of a client secret.
#[derive(Clone, Debug)]
pub enum SecretChange {
    /// It stays.
    Keep,
    /// There is none any more.
    Clear,
    /// It becomes this one.
    Set(Secret<String>),
}

/// A change on its way to what is stored: sealed once, before anything is read.
#[derive(Debug)]
pub(super) enum Change {
    Keep,
    Clear,
    Set(New),
}

/// A secret that somebody has sent.
#[derive(Debug)]
pub(super) struct New {
    plain: Secret<String>,
    sealed: Sealed,
}

impl New {
    pub(super) fn seal(seal: &dyn Seal, plain: Secret<String>) -> Result<Self> {
        let sealed = Sealed::trusted(seal.seal(PURPOSE, plain.expose().as_bytes())?);
        Ok(Self { plain, sealed })
    }

    /// As it is stored.
    pub(super) fn sealed(&self) -> Sealed {
        self.sealed.clone()
    }

    /// Whether what is stored is this secret: the same one is sealed in other words each time.
    fn is(&self, seal: &dyn Seal, stored: &Sealed) -> bool {
        let stored = seal.open(PURPOSE, stored.as_str()).map(Secret::new);
        let is_same = |stored: &[u8]| constant_time::verify_slices_are_equal(stored, self.plain.expose().as_bytes()).is_ok();
        stored.is_some_and(|stored| is_same(stored.expose()))
    }

    fn check(&self, violations: &mut Violations) {
        texts::required("oidc.client_secret", self.plain.expose(), SECRET, violations);
    }
}

impl Change {
    pub(super) fn new(seal: &dyn Seal, wish: SecretChange) -> Result<Self> {
        Ok(match wish {
            SecretChange::Keep => Self::Keep,
            SecretChange::Clear => Self::Clear,
            SecretChange::Set(plain) => Self::Set(New::seal(seal, plain)?),
        })
    }

    /// What is to be stored in place of `stored`.
    pub(super) fn apply(&self, seal: &dyn Seal, stored: Option<&Sealed>) -> Option<Sealed> {
        match self {
            Self::Clear => None,
            Self::Set(new) if !stored.is_some_and(|stored| new.is(seal, stored)) => Some(new.sealed()),
            Self::Keep | Self::Set(_) => stored.cloned(),
        }
    }

    /// Whether the one that is stored stays.
    pub(super) fn is_kept(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// Judges a secret that was sent.
    pub(super) fn check(&self, violations: &mut Violations) {
        if let Self::Set(new) = self {
            new.check(violations);
        }
    }
}
