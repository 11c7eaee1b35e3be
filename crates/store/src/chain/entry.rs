//! An entry of the audit log as the bytes that its code is made of: its row, and the changes and events of its commit.

use aws_lc_rs::digest;
use database::Param;

use super::{
    Digest,
    keys::{Code, Key, Purpose},
};

/// Values as bytes: each says of what kind it is and how long, so that no two lists of values are the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values(Vec<u8>);

/// What an entry is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Its row.
    pub(crate) row: Values,
    /// The changes of its commit, in their order.
    pub(crate) changes: Values,
    /// The events of its commit, in their order: the SHA-256 of each, so that one that was delivered need not be kept.
    pub(crate) events: Values,
}

/// What an entry vouches for besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// The code before it, and the SHA-256 of the entries in between, which have none.
    Link(Option<Code>, Option<Digest>),
    /// The SHA-256 of all entries before it.
    All(Digest),
}

impl AsRef<[u8]> for Values {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Values {
    /// Adds the values.
    pub(crate) fn add(&mut self, values: &[Param<'_>]) -> &mut Self {
        for value in values {
            match value {
                Param::Null => self.0.push(0),
                Param::Bool(value) => self.number(i64::from(*value)),
                Param::Int(number) => self.number(*number),
                Param::Text(text) => self.bytes(2, text.as_bytes()),
                Param::Bytes(bytes) => self.bytes(3, bytes),
            }
        }
        self
    }

    /// Their SHA-256.
    pub(crate) fn digest(&self) -> Digest {
        finish(digest::digest(&digest::SHA256, &self.0))
    }

    /// A truth value is a number, as one of the engines has it.
    fn number(&mut self, number: i64) {
        self.0.push(1);
        self.0.extend(number.to_be_bytes());
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.0.push(kind);
        self.0.extend((bytes.len() as u64).to_be_bytes());
        self.0.extend_from_slice(bytes);
    }
}

impl Content {
    /// The entry with this row, of something that changed nothing.
    pub(crate) fn of(row: &[Param<'_>]) -> Self {
        let mut content = Self::default();
        content.row.add(row);
        content
    }

    /// The code of the entry.
    pub(crate) fn code(&self, key: &Key, before: Before) -> Code {
        let (mut frame, code, digest);
        match before {
            Before::Link(last, between) => {
                frame = vec![1, u8::from(last.is_some()), u8::from(between.is_some())];
                (code, digest) = (last.map(Code::to_bytes).unwrap_or_default(), between.unwrap_or_default());
            }
            Before::All(all) => {
                frame = vec![2, 0, 1];
                (code, digest) = (Vec::new(), all);
            }
        }
        frame.extend(self.lengths());
        let digest = if frame.get(2) == Some(&1) { &digest[..] } else { &[] };
        let Self { row, changes, events } = self;
        key.code(Purpose::Log, &[&frame, &code, digest, &row.0, &changes.0, &events.0])
    }

    /// Adds the entry to a SHA-256 of several.
    pub(crate) fn hash(&self, hash: &mut digest::Context) {
        hash.update(&self.lengths());
        for values in [&self.row, &self.changes, &self.events] {
            hash.update(&values.0);
        }
    }

    fn lengths(&self) -> Vec<u8> {
        [&self.row, &self.changes, &self.events].into_iter().flat_map(|values| (values.0.len() as u64).to_be_bytes()).collect()
    }
}

/// What an entry keeps of an event of its commit.
pub(crate) fn event_digest(event: &[Param<'_>]) -> Param<'static> {
    let mut values = Values::default();
    Param::Bytes(values.add(event).digest().to_vec().into())
}

/// A finished SHA-256.
pub(crate) fn finish(digest: digest::Digest) -> Digest {
    let mut sum = Digest::default();
    sum.copy_from_slice(digest.as_ref());
    sum
}

#[cfg(test)]
mod tests {
    use domain::Secret;
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::chain::KeyId;

    fn value() -> impl Strategy<Value = Param<'static>> {
        prop_oneof![
            Just(Param::Null),
            any::<i64>().prop_map(Param::Int),
            ".{0,3}".prop_map(|text| Param::Text(text.into())),
            vec(any::<u8>(), 0..4).prop_map(|bytes| Param::Bytes(bytes.into())),
        ]
    }

    fn values(values: &[Param<'_>]) -> Values {
        let mut all = Values::default();
        all.add(values).clone()
    }

    proptest! {
        #[test]
        fn other_values_are_other_bytes(one in vec(value(), 0..5), other in vec(value(), 0..5)) {
            prop_assert_eq!(one == other, values(&one) == values(&other));
        }

        #[test]
        fn the_place_of_a_value_counts(all in vec(value(), 1..5), at in 0_usize..4) {
            let (key, at) = (Key::new(KeyId([1; 8]), &Secret::new([1; 32])), at.min(all.len()));
            let code = |row: &[Param<'_>], changes: &[Param<'_>]| {
                let content = Content { row: values(row), changes: values(changes), events: Values::default() };
                content.code(&key, Before::Link(None, None))
            };
            let (row, changes) = all.split_at(at);
            prop_assert_eq!(code(&all, &[]) == code(row, changes), changes.is_empty());
        }
    }

    #[test]
    fn what_came_before_counts() {
        let key = Key::new(KeyId([1; 8]), &Secret::new([1; 32]));
        let first = Content::default().code(&key, Before::Link(None, None));
        let codes = [
            Before::Link(None, None),
            Before::Link(Some(first), None),
            Before::Link(None, Some([0; 32])),
            Before::Link(Some(first), Some([0; 32])),
            Before::All([0; 32]),
        ]
        .map(|before| Content::default().code(&key, before).mac);
        for (at, code) in codes.iter().enumerate() {
            assert!(!codes[..at].contains(code), "{at}");
        }
    }
}
