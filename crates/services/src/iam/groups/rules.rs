//! What holds for every group, whether it is being created or changed.

use domain::{
    Ctx, Result, Violations,
    iam::{GroupSpec, OrgKind},
};

use crate::grants::require_operator;

/// Judges the wish for an organization. `before` is what it was; `None` when it is new.
///
/// # Errors
/// Permission denied for what only operators may do; invalid argument for a verified organization without kind or with
/// a name that is no domain. That no two verified organizations share a name is the store's to keep.
pub(super) fn check_organization(ctx: &Ctx, before: Option<&GroupSpec>, wish: &GroupSpec) -> Result<()> {
    let was_verified = before.is_some_and(|before| before.verified);
    let renamed = before.is_some_and(|before| before.name != wish.name);
    if was_verified != wish.verified {
        require_operator(ctx, "change whether an organization is verified")?;
    }
    if was_verified && renamed {
        require_operator(ctx, "rename a verified organization")?;
    }
    if !wish.verified {
        return Ok(());
    }
    let mut violations = Violations::default();
    if !is_domain(wish.name.as_str()) {
        violations.add("name", "the name of a verified organization must be a domain name such as example.com");
    }
    if wish.kind == OrgKind::Unspecified {
        violations.add("kind", "kind is required for a verified organization");
    }
    violations.check()
}

/// Judges the wish for a folder of an organization of `kind`: it can neither be verified nor have another kind.
///
/// # Errors
/// Permission denied when anybody but an operator sets `verified`; invalid argument otherwise.
pub(super) fn check_folder(ctx: &Ctx, kind: OrgKind, wish: &GroupSpec) -> Result<()> {
    if wish.verified {
        require_operator(ctx, "change whether an organization is verified")?;
    }
    let mut violations = Violations::default();
    if wish.verified {
        violations.add("verified", "only organizations can be verified, not folders");
    }
    if wish.kind != OrgKind::Unspecified && wish.kind != kind {
        violations.add("kind", "kind is that of the organization and cannot be set on a folder");
    }
    violations.check()
}

/// Whether the name has the form of a domain name (RFC 1035 section 2.3.1): at least two labels of letters, digits and
/// inner hyphens.
fn is_domain(name: &str) -> bool {
    let label = |label: &str| {
        matches!(label.len(), 1..=63)
            && label.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.contains('.') && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::is_domain;

    #[test]
    fn domains_have_two_labels_or_more() {
        for (name, domain) in [
            ("example.com", true),
            ("a-b.example.co.uk", true),
            ("example", false),
            ("example.", false),
            (".com", false),
            ("-a.com", false),
            ("a-.com", false),
            ("a b.com", false),
            ("a_b.com", false),
        ] {
            assert_eq!(is_domain(name), domain, "{name}");
        }
    }
}
