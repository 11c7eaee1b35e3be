//! Sealing small texts, such as page tokens, so that only servers with this installation's key can make or read them.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{Entropy, Error, ports::Seal};

use super::root::RootKey;

const CONTEXT: &[u8] = b"v1";

/// Seals with AES-256-GCM under a key that is derived for each purpose.
#[derive(Clone, Debug)]
pub struct Sealer {
    key: Arc<RootKey>,
    entropy: Arc<dyn Entropy>,
}

impl Sealer {
    /// Seals with what is derived from `key`; nonces come from `entropy`.
    #[must_use]
    pub fn new(key: Arc<RootKey>, entropy: Arc<dyn Entropy>) -> Self {
        Self { key, entropy }
    }
}

impl Seal for Sealer {
    fn seal(&self, purpose: &'static str, plain: &[u8]) -> Result<String, Error> {
        let sealed = self.key.derive(&format!("seal/{purpose}"))?.seal(CONTEXT, plain, &*self.entropy)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    fn open(&self, purpose: &'static str, sealed: &str) -> Option<Vec<u8>> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let plain = self.key.open_sealed(&format!("seal/{purpose}"), CONTEXT, &sealed)?;
        Some(plain.to_vec())
    }

    fn renew(&self, purpose: &'static str, sealed: &str) -> Result<Option<String>, Error> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).unwrap_or_default();
        let is_current = self.key.derive(&format!("seal/{purpose}"))?.open(CONTEXT, &bytes).is_some();
        match self.open(purpose, sealed) {
            Some(plain) if !is_current => self.seal(purpose, &plain).map(Some),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Secret;

    use super::*;
    use crate::testing::TestEntropy;

    fn sealer(byte: u8) -> Sealer {
        Sealer::new(Arc::new(RootKey::from_bytes(&Secret::new([byte; 32]))), Arc::new(TestEntropy::default()))
    }

    #[test]
    fn only_the_same_key_and_purpose_open() {
        let sealed = sealer(1).seal("page", b"cursor").expect("sealed");
        assert!(sealed.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(sealer(1).open("page", &sealed).as_deref(), Some(&b"cursor"[..]));
        assert_eq!(sealer(1).open("other", &sealed), None);
        assert_eq!(sealer(2).open("page", &sealed), None);
        for bad in ["", "AAAA", "not base64!", &sealed[1..], &format!("{sealed}A")] {
            assert_eq!(sealer(1).open("page", bad), None, "{bad}");
        }
    }

    #[test]
    fn the_same_text_never_looks_the_same() {
        let sealer = sealer(1);
        assert_ne!(sealer.seal("page", b"cursor").ok(), sealer.seal("page", b"cursor").ok());
    }
}
