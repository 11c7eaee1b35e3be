//! Updates: from a request's resource and update mask to the wished value.

use std::sync::Arc;

use contract::{
    Message,
    mask::{self, MaskError, Problem},
};
use domain::{Error, Patch, Rule, Violations, error::Violation};
use prost_types::FieldMask;

/// Most paths of a mask as it was sent, repeated ones included: what is looked at before it is known how many fields they name.
const SENT_MAX: usize = 1000;
/// Most bad paths that an error names: the first ones say what is wrong.
const TOLD_MAX: usize = 8;
/// Most characters of a bad path that an error shows.
const SHOWN_MAX: usize = 100;

/// The change that an update request asks for. It runs on the current value: both go to the wire's shape, the mask is
/// applied there, and the outcome is read and judged as a whole. It takes time that is linear in the request and that value.
pub(crate) fn patch<T: 'static, W: Message>(
    wished: W,
    mask: Option<FieldMask>,
    to_wire: impl Fn(&T) -> W + Send + Sync + 'static,
    from_wire: fn(W) -> Result<T, Error>,
) -> Patch<T> {
    Arc::new(move |current| {
        if mask.as_ref().is_some_and(|mask| mask.paths.len() > SENT_MAX) {
            return Err(unknown(format!("update_mask must have at most {SENT_MAX} paths")));
        }
        from_wire(mask::apply(&to_wire(current), &wished, mask.as_ref()).map_err(refused)?)
    })
}

/// The change that a full replacement asks for (PUT): all that callers may set becomes `wished`.
pub(crate) fn replace<T: Clone + Send + Sync + 'static>(wished: T) -> Patch<T> {
    Arc::new(move |_| Ok(wished.clone()))
}

/// Whether a mask lets the value of a top-level field through. `field` is spelled the same in JSON.
pub(crate) fn touches(mask: Option<&FieldMask>, field: &str) -> bool {
    let paths = mask.map(|mask| mask.paths.as_slice()).unwrap_or_default();
    paths.is_empty() || paths.iter().any(|path| path == "*" || path.split('.').next() == Some(field))
}

/// Whether a mask lets the value at `path` through, which is in snake case.
pub(crate) fn reaches(mask: Option<&FieldMask>, path: &str) -> bool {
    let paths = mask.map(|mask| mask.paths.as_slice()).unwrap_or_default();
    let is_above = |named: &str| path.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    paths.is_empty() || paths.iter().any(|named| named == "*" || is_above(&snake(named)))
}

/// Whether a mask names `path`, which is in snake case, and not only something above it.
pub(crate) fn names(mask: Option<&FieldMask>, path: &str) -> bool {
    mask.is_some_and(|mask| mask.paths.iter().any(|named| snake(named) == path))
}

/// A path of a mask in snake case; it may be in JSON names.
fn snake(path: &str) -> String {
    path.chars().fold(String::with_capacity(path.len()), |mut snake, c| {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
        snake
    })
}

/// The error for what a mask cannot do: unknown paths are the mask's fault, immutable fields stand for themselves.
fn refused(errors: Vec<MaskError>) -> Error {
    let (immutable, bad): (Vec<_>, Vec<_>) = errors.into_iter().partition(|error| error.problem == Problem::Immutable);
    if bad.is_empty() {
        let violation = |MaskError { path, problem }| Violation { description: format!("{path} {problem}"), field: path };
        return Error::fields(Rule::Immutable, immutable.into_iter().take(Violations::MAX).map(violation).collect());
    }
    let mut list: Vec<_> = bad.iter().take(TOLD_MAX).map(shown).collect();
    if bad.len() > TOLD_MAX {
        list.push(format!("and {} more", bad.len() - TOLD_MAX));
    }
    unknown(list.join("; "))
}

fn shown(MaskError { path, problem }: &MaskError) -> String {
    match problem {
        Problem::TooMany => format!("update_mask {problem}"),
        _ if path.chars().nth(SHOWN_MAX).is_some() => {
            let start: String = path.chars().take(SHOWN_MAX).collect();
            format!("{start:?}…: {problem}")
        }
        _ => format!("{path:?}: {problem}"),
    }
}

fn unknown(description: String) -> Error {
    Error::fields(Rule::UpdateMask, vec![Violation { field: "update_mask".to_owned(), description }])
}

#[cfg(test)]
mod tests {
    use contract::chainguard::platform::iam::v2beta1::{Group, Role};
    use domain::{
        CapabilitySet, Description, Name,
        iam::{GroupSpec, OrgKind, RoleSpec},
    };

    use super::*;
    use crate::v2beta1::{groups, roles};

    fn mask(paths: &[&str]) -> FieldMask {
        FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() }
    }

    fn update(paths: &[&str]) -> Result<GroupSpec, Rule> {
        let current =
            GroupSpec { name: Name::trusted("a"), description: Description::trusted("text"), verified: true, kind: OrgKind::Dev };
        let wished = Group { name: "b".into(), status: 99, ..Group::default() };
        let patch = patch(wished, Some(mask(paths)), groups::convert::spec_to_wire, groups::convert::spec_from_wire);
        patch(&current).map_err(|error| error.rule())
    }

    #[test]
    fn paths_are_known_or_the_masks_fault() {
        assert_eq!(update(&["name"]).map(|spec| (spec.name, spec.verified)), Ok((Name::trusted("b"), true)));
        let unchanged = update(&["uid", "status", "create_time", "updateTime", "resource_limits"]);
        assert_eq!(unchanged.map(|spec| spec.name), Ok(Name::trusted("a")), "output-only fields are ignored");
        for path in ["size", "name.first", "Name", "", "group.name"] {
            assert_eq!(update(&["name", path]), Err(Rule::UpdateMask), "{path}");
        }
    }

    #[test]
    fn paths_reach_what_is_below_them() {
        let told =
            |paths: &[&str]| (reaches(Some(&mask(paths)), "oidc.client_secret"), names(Some(&mask(paths)), "oidc.client_secret"));
        for paths in [&["*"][..], &["oidc"], &["name", "oidc"], &[]] {
            assert_eq!(told(paths), (true, false), "{paths:?}");
        }
        for paths in [&["oidc.client_secret"][..], &["oidc.clientSecret"], &["*", "oidc.client_secret"]] {
            assert_eq!(told(paths), (true, true), "{paths:?}");
        }
        for paths in [&["name"][..], &["oidc.client_id"], &["oid"], &["oidc.client"], &["client_secret"]] {
            assert_eq!(told(paths), (false, false), "{paths:?}");
        }
        assert!(reaches(None, "oidc.client_secret") && !names(None, "oidc.client_secret"));
    }

    #[test]
    fn masks_have_an_end() {
        assert_eq!(update(&["name"; 1001]), Err(Rule::UpdateMask));
        assert!(update(&["name"; 1000]).is_ok());
    }

    #[test]
    fn what_the_mask_leaves_out_is_not_judged() {
        let capabilities = CapabilitySet::from_names(["groups.list"]);
        let current = RoleSpec { name: Name::trusted("a"), description: Description::default(), capabilities };
        let update = |paths: &[&str]| {
            let wished = Role { name: "b".into(), capabilities: vec![1], ..Role::default() };
            patch(wished, Some(mask(paths)), roles::convert::spec_to_wire, roles::convert::spec_from_wire)(&current)
        };
        assert!(update(&["name"]).is_ok());
        assert!(update(&["name", "capabilities"]).is_err());
    }
}
