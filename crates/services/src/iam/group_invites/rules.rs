//! What holds for every group invite.

use std::time::Duration;

use domain::{
    Ctx, Error, Result, Rule, Uidp, Violations,
    error::Violation,
    iam::{GroupInviteSpec, Role},
};
use store::Reader;

use crate::{grants::require_grantable, iam::role_bindings::role_for, texts};

/// The longest that a code may work.
const LONGEST: Duration = Duration::from_hours(365 * 24);
/// Longest accepted email address in bytes (RFC 5321 section 4.5.3.1.3, without the angle brackets).
const EMAIL: usize = 254;

/// Judges what takes no other rows; answers the time in milliseconds.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn check(spec: &GroupInviteSpec, ttl: Duration) -> Result<i64> {
    let mut violations = Violations::default();
    let millis = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
    if millis == 0 || ttl > LONGEST {
        violations.add("ttl", "ttl must be greater than zero and at most 365 days");
    }
    if spec.email.len() > EMAIL {
        texts::optional("email", &spec.email, EMAIL, &mut violations);
    } else if !spec.email.is_empty() && !is_address(&spec.email) {
        violations.add("email", "email must be an email address, such as ana@example.com");
    }
    violations.finish(Some(millis))
}

/// Whether the text has the form of an address: something, an at sign and something, without spaces and control characters.
fn is_address(text: &str) -> bool {
    let is_bad = |c: char| c.is_whitespace() || c.is_control();
    let parts = text.rsplit_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty());
    parts && !text.contains(is_bad)
}

/// Judges the role that the invite offers at `group`: it is handed out as by a binding.
///
/// # Errors
/// Invalid argument for a role that is neither built in nor of the group or one above it; permission denied when it has a capability
/// that the caller does not hold there.
pub(super) async fn check_role(ctx: &Ctx, reader: &mut Reader, group: &Uidp, spec: &GroupInviteSpec) -> Result<Role> {
    if let Some(role) = role_for(reader, group, &spec.role).await? {
        require_grantable(ctx, &role.spec.capabilities, group)?;
        return Ok(role);
    }
    let description = "role must name a built-in role, or a role of the same group or one above it".to_owned();
    Err(Error::fields(Rule::OtherOrganization, vec![Violation { field: "role".to_owned(), description }]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(email: &str, ttl: Duration) -> Option<String> {
        let spec = GroupInviteSpec { role: Uidp::root_from([1; 20]), email: email.to_owned(), single_use: false };
        check(&spec, ttl).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn times_have_bounds() {
        assert_eq!(refused("", Duration::from_millis(1)), None);
        assert_eq!(refused("", LONGEST), None);
        for ttl in [Duration::ZERO, Duration::from_micros(999), LONGEST + Duration::from_nanos(1), Duration::MAX] {
            let expected = "Invalid argument: ttl: ttl must be greater than zero and at most 365 days";
            assert_eq!(refused("", ttl).as_deref(), Some(expected), "{ttl:?}");
        }
    }

    #[test]
    fn addresses_have_a_form() {
        let day = Duration::from_hours(24);
        for good in ["a@b", "ana.b+c@example.com", "\"a@b\"@example.com", "ä@example.com"] {
            assert_eq!(refused(good, day), None, "{good}");
        }
        let form = "Invalid argument: email: email must be an email address, such as ana@example.com";
        for bad in ["a", "@", "a@", "@b", "a b@c", "a@b "] {
            assert_eq!(refused(bad, day).as_deref(), Some(form), "{bad}");
        }
        let long = format!("{}@b", "a".repeat(EMAIL));
        assert_eq!(refused(&long, day).as_deref(), Some("Invalid argument: email: email must be at most 254 bytes"));
    }
}
