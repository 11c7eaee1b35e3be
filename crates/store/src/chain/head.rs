//! The end of the audit log: whoever keeps it elsewhere sees whether the log was cut off.

use domain::Revision;

use super::{KeyId, keys::Code};

/// The end of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last commit.
    pub revision: Revision,
    pub(crate) code: Code,
}

/// Bits of a head that a number holds which every monitoring keeps exactly: 13 hexadecimal digits.
const BITS: u32 = 52;

impl Head {
    /// Its code, as hexadecimal digits.
    #[must_use]
    pub fn code(&self) -> String {
        self.code.to_string()
    }

    /// The key that made it.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.code.key
    }

    /// The first 13 hexadecimal digits of its code, as a number.
    #[must_use]
    pub fn number(&self) -> i64 {
        let first = self.code.mac.first_chunk::<8>().map_or(0, |first| u64::from_be_bytes(*first));
        i64::try_from(first >> (u64::BITS - BITS)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_number_is_its_first_digits() {
        let mut mac = [0xff; 32];
        mac[..7].copy_from_slice(&[0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd]);
        let head = Head { revision: Revision(1), code: Code { key: KeyId::default(), mac } };
        assert_eq!(format!("{:013x}", head.number()), head.code()[..13]);
    }
}
