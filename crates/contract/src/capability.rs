//! The capabilities and the enums of the contract, for generators and for help texts.

use std::sync::LazyLock;

use crate::pool;

/// A capability as the contract declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapabilityEntry {
    /// The enum number.
    pub number: i32,
    /// The dotted name, such as `groups.list`.
    pub name: String,
    /// Its place in bit sets.
    pub bit: i32,
    /// Whether it may only sit in a role that also has `internal`.
    pub internal_only: bool,
    /// The name of the enum value, such as `CAP_IAM_GROUPS_LIST`.
    pub enum_name: String,
}

/// Every capability that has a name, in the order of the contract.
#[must_use]
pub fn capabilities() -> &'static [CapabilityEntry] {
    static ALL: LazyLock<Vec<CapabilityEntry>> = LazyLock::new(|| read().unwrap_or_default());
    &ALL
}

/// The names of an enum's values in the order of the contract; empty when there is no enum with this full name.
#[must_use]
pub fn enum_names(enumeration: &str) -> Vec<String> {
    let found = pool().get_enum_by_name(enumeration);
    found.map(|found| found.values().map(|value| value.name().to_owned()).collect()).unwrap_or_default()
}

fn read() -> Option<Vec<CapabilityEntry>> {
    let enumeration = pool().get_enum_by_name("chainguard.capabilities.Capability")?;
    let option = |name: &str| pool().get_extension_by_name(&format!("chainguard.capabilities.{name}"));
    let (name, bit, internal_only) = (option("name")?, option("bit")?, option("internal_only")?);
    let entries = enumeration.values().filter(|value| value.options().has_extension(&name)).map(|value| {
        let options = value.options();
        CapabilityEntry {
            number: value.number(),
            name: options.get_extension(&name).as_str().unwrap_or_default().to_owned(),
            bit: options.get_extension(&bit).as_i32().unwrap_or_default(),
            internal_only: options.get_extension(&internal_only).as_bool().unwrap_or_default(),
            enum_name: value.name().to_owned(),
        }
    });
    Some(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{METHODS, chainguard::capabilities::Capability};

    #[test]
    fn capabilities_carry_their_options() {
        let list = capabilities().iter().find(|capability| capability.name == "groups.list").expect("groups.list");
        assert_eq!((list.number, list.bit, list.internal_only), (Capability::CapIamGroupsList as i32, 3, false));
        assert_eq!(list.enum_name, Capability::CapIamGroupsList.as_str_name());
        assert!(capabilities().len() > 200 && capabilities().iter().any(|capability| capability.internal_only));
    }

    #[test]
    fn methods_ask_for_capabilities_that_exist() {
        for method in METHODS {
            for number in method.access.capabilities() {
                assert!(capabilities().iter().any(|capability| capability.number == *number), "{} {number}", method.path);
            }
        }
    }

    #[test]
    fn enums_tell_their_names() {
        let names = enum_names("chainguard.platform.iam.v2beta1.OrgStatus");
        assert_eq!(names, ["ORG_STATUS_UNSPECIFIED", "ORG_STATUS_INITIALIZING", "ORG_STATUS_READY", "ORG_STATUS_SUSPENDED"]);
        assert!(enum_names("no.such.Enum").is_empty());
    }
}
