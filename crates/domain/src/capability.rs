//! Capabilities: the rights that roles bundle and methods ask for.

use std::{collections::HashMap, fmt, sync::LazyLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

mod table;

/// One right, named by the contract.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability(&'static Entry);

/// A row of the contract's capability table.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Entry {
    number: i32,
    bit: u8,
    name: &'static str,
    internal_only: bool,
}

impl Entry {
    const fn new(number: i32, bit: u8, name: &'static str, internal_only: bool) -> Self {
        Self { number, bit, name, internal_only }
    }
}

static BY_NUMBER: LazyLock<HashMap<i32, Capability>> = LazyLock::new(|| Capability::all().map(|c| (c.number(), c)).collect());
static BY_NAME: LazyLock<HashMap<&'static str, Capability>> =
    LazyLock::new(|| Capability::all().map(|c| (c.name(), c)).collect());

impl Capability {
    /// Every capability in the order of the contract.
    pub fn all() -> impl Iterator<Item = Self> {
        table::TABLE.iter().map(Self)
    }

    /// The capability with this enum number, if the contract has one.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        BY_NUMBER.get(&number).copied()
    }

    /// The capability with this dotted name, such as `groups.list`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        BY_NAME.get(name).copied()
    }

    /// The enum number of the contract.
    #[must_use]
    pub fn number(self) -> i32 {
        self.0.number
    }

    /// The dotted name, such as `groups.list`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Its place in bit sets; never reused.
    #[must_use]
    pub fn bit(self) -> u8 {
        self.0.bit
    }

    /// Whether it may only sit in a role that also has `internal`.
    #[must_use]
    pub fn is_internal_only(self) -> bool {
        self.0.internal_only
    }
}

impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

/// A set of capabilities: one bit each, 32 bytes in all.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CapabilitySet([u64; 4]);

impl CapabilitySet {
    /// No capability.
    pub const EMPTY: Self = Self([0; 4]);

    /// Every capability of the contract, those of later versions included.
    pub const ALL: Self = Self([u64::MAX; 4]);

    fn word(capability: Capability) -> (usize, u64) {
        (usize::from(capability.bit() / 64), 1 << (capability.bit() % 64))
    }

    /// Adds a capability.
    pub fn insert(&mut self, capability: Capability) {
        let (word, bit) = Self::word(capability);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    /// Whether the set has this capability.
    #[must_use]
    pub fn has(&self, capability: Capability) -> bool {
        let (word, bit) = Self::word(capability);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Whether the set has every capability of `needed`.
    #[must_use]
    pub fn has_all(&self, needed: &Self) -> bool {
        self.0.iter().zip(&needed.0).all(|(have, need)| have & need == *need)
    }

    /// What is in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & !b)
    }

    fn combine(&self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Self {
        let mut words = self.0;
        words.iter_mut().zip(&other.0).for_each(|(a, b)| *a = with(*a, *b));
        Self(words)
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The capabilities in the order of the contract.
    pub fn iter(&self) -> impl Iterator<Item = Capability> + '_ {
        Capability::all().filter(|capability| self.has(*capability))
    }

    /// The names in the order of the contract.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Capability::name).collect()
    }

    /// The set of these names; unknown ones are skipped, as stored roles may name capabilities of other versions.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().filter_map(Capability::from_name).collect()
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut set = Self::EMPTY;
        capabilities.into_iter().for_each(|capability| set.insert(capability));
        set
    }
}

impl fmt::Debug for CapabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for CapabilitySet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Capability::name))
    }
}

impl<'de> Deserialize<'de> for CapabilitySet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        Ok(Self::from_names(names.iter().map(String::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_names_and_bits_are_unique() {
        let all: Vec<_> = Capability::all().collect();
        let distinct = |key: fn(Capability) -> String| all.iter().map(|c| key(*c)).collect::<HashSet<_>>().len();
        assert_eq!(distinct(|c| c.number().to_string()), all.len());
        assert_eq!(distinct(|c| c.name().to_owned()), all.len());
        assert_eq!(distinct(|c| c.bit().to_string()), all.len());
    }

    #[test]
    fn sets_do_set_algebra() {
        let set = |names: &[&str]| CapabilitySet::from_names(names.iter().copied());
        let a = set(&["groups.list", "actions.list", "no.such"]);
        assert_eq!(a.names(), ["groups.list", "actions.list"]);
        assert!(a.has_all(&set(&["actions.list"])) && !a.has_all(&set(&["groups.create"])) && a.has_all(&CapabilitySet::EMPTY));
        assert_eq!(a.without(&set(&["groups.list"])).names(), ["actions.list"]);
        assert_eq!(a.intersection(&set(&["groups.list", "groups.create"])).names(), ["groups.list"]);
        assert_eq!(serde_json::to_string(&a).unwrap_or_default(), r#"["groups.list","actions.list"]"#);
    }
}
