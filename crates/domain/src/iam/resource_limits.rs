//! How much an organization may have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{change::Noun, error::Violations};

/// How many resources of a noun an organization may have, in itself and in all its folders. What is not named has no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResourceLimits(BTreeMap<String, u32>);

impl ResourceLimits {
    /// What can be limited, under the names that limits have: nouns that live in groups and are as many as callers like.
    pub const NOUNS: [(&'static str, Noun); 7] = [
        ("groups", Noun::Group),
        ("identities", Noun::Identity),
        ("identity_providers", Noun::IdentityProvider),
        ("overlays", Noun::Overlay),
        ("repos", Noun::Repo),
        ("role_bindings", Noun::RoleBinding),
        ("roles", Noun::Role),
    ];

    /// The limits that callers name.
    pub fn parse(field: &str, given: impl IntoIterator<Item = (String, i32)>, violations: &mut Violations) -> Option<Self> {
        let mut limits = BTreeMap::new();
        let mut is_good = true;
        for (name, most) in given {
            let is_known = Self::NOUNS.iter().any(|(known, _)| *known == name);
            match u32::try_from(most) {
                Ok(most) if is_known => drop(limits.insert(name, most)),
                Ok(_) => {
                    let known = Self::NOUNS.map(|(known, _)| known).join(", ");
                    violations.add(format!("{field}[{name:?}]"), format!("{name} cannot be limited; use one of {known}"));
                    is_good = false;
                }
                Err(_) => {
                    violations.add(format!("{field}[{name:?}]"), format!("the limit of {name} must not be negative"));
                    is_good = false;
                }
            }
        }
        is_good.then_some(Self(limits))
    }

    /// How many of that noun there may be.
    #[must_use]
    pub fn of(&self, noun: Noun) -> Option<u64> {
        let (name, _) = Self::NOUNS.iter().find(|(_, known)| *known == noun)?;
        self.0.get(*name).copied().map(u64::from)
    }

    /// What is limited, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.0.iter().map(|(name, most)| (name.as_str(), *most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(given: &[(&str, i32)]) -> Result<ResourceLimits, String> {
        let mut violations = Violations::default();
        let given = given.iter().map(|(name, most)| ((*name).to_owned(), *most));
        let limits = ResourceLimits::parse("limits", given, &mut violations);
        violations.finish(limits).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn limits_are_of_nouns() {
        let limits = parse(&[("repos", 3), ("groups", 0)]).expect("good limits");
        assert_eq!((limits.of(Noun::Repo), limits.of(Noun::Group), limits.of(Noun::Role)), (Some(3), Some(0), None));
        assert_eq!(limits.iter().collect::<Vec<_>>(), [("groups", 0), ("repos", 3)]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = parse(&[("tags", 3), ("repos", -1)]);
        let expected = "Invalid argument: limits[\"tags\"]: tags cannot be limited; use one of groups, identities, \
                        identity_providers, overlays, repos, role_bindings, roles; limits[\"repos\"]: the limit of repos must not be \
                        negative";
        assert_eq!(message, Err(expected.to_owned()));
    }
}
