//! UIDPs in requests.

use contract::chainguard::platform::common::UidpFilter as Wire;
use domain::{Error, Uidp, UidpFilter, Violations, list::ParentFilter, uidp::NotAUidp};

/// Most identifiers of one filter.
const IDS_MAX: usize = 1000;

/// The UIDP, or a violation of `field` and `None`. An absent one is answered as required.
pub(crate) fn parse(field: &str, text: &str, violations: &mut Violations) -> Option<Uidp> {
    if text.is_empty() {
        violations.add(field, format!("{} is required", crate::field::last(field)));
        return None;
    }
    let uidp = text.parse().ok();
    if uidp.is_none() {
        violations.add(field, format!("{} {NotAUidp}", crate::field::last(field)));
    }
    uidp
}

/// The UIDP, `None` for an absent one, or a violation of `field` and `None`.
pub(crate) fn optional(field: &str, text: &str, violations: &mut Violations) -> Option<Uidp> {
    if text.is_empty() { None } else { parse(field, text, violations) }
}

/// The UIDP of the only field that can be wrong.
///
/// # Errors
/// Invalid argument naming `field`.
pub(crate) fn one(field: &str, text: &str) -> Result<Uidp, Error> {
    let mut violations = Violations::default();
    let uidp = parse(field, text, &mut violations);
    violations.finish(uidp)
}

/// The UIDPs of a list of up to `max`, or violations of `field` and its entries. Nothing is read of a list that is empty or too long.
pub(crate) fn batch(field: &str, texts: &[String], max: usize, violations: &mut Violations) -> Vec<Uidp> {
    if !(1..=max).contains(&texts.len()) {
        violations.add(field, format!("{field} must have 1 to {max} entries"));
        return Vec::new();
    }
    texts.iter().enumerate().filter_map(|(i, text)| parse(&format!("{field}[{i}]"), text, violations)).collect()
}

/// A place that may be above every root, `None` for an absent one, or a violation of `field` and `None`.
pub(crate) fn place(field: &str, text: &str, violations: &mut Violations) -> Option<ParentFilter> {
    if text == Uidp::ROOT { Some(ParentFilter::Root) } else { optional(field, text, violations).map(ParentFilter::At) }
}

/// The part of the tree that a list covers; an absent filter and an empty one mean all of it.
pub(crate) fn filter(wire: Option<Wire>, violations: &mut Violations) -> UidpFilter {
    let Wire { ancestors_of, descendants_of, children_of, in_root, mut ids } = wire.unwrap_or_default();
    if ids.len() > IDS_MAX {
        violations.add("uidp.ids", format!("ids must have at most {IDS_MAX} entries"));
        ids.clear();
    }
    UidpFilter {
        ancestors_of: optional("uidp.ancestors_of", &ancestors_of, violations),
        descendants_of: optional("uidp.descendants_of", &descendants_of, violations),
        children_of: place("uidp.children_of", &children_of, violations),
        in_root,
        ids: ids.iter().enumerate().filter_map(|(i, id)| parse(&format!("uidp.ids[{i}]"), id, violations)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn org() -> Uidp {
        Uidp::root_from([7; 20])
    }

    fn read(wire: Option<Wire>) -> Result<UidpFilter, String> {
        let mut violations = Violations::default();
        let filter = filter(wire, &mut violations);
        violations.check().map(|()| filter).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn absent_and_empty_filters_cover_everything() {
        assert_eq!(read(None), Ok(UidpFilter::default()));
        assert_eq!(read(Some(Wire::default())), Ok(UidpFilter::default()));
    }

    #[test]
    fn every_member_is_read() {
        let child = org().child([1; 8]);
        let wire = Wire {
            ancestors_of: child.to_string(),
            descendants_of: org().to_string(),
            children_of: org().to_string(),
            in_root: true,
            ids: vec![child.to_string()],
        };
        let expected = UidpFilter {
            ancestors_of: Some(child.clone()),
            descendants_of: Some(org()),
            children_of: Some(ParentFilter::At(org())),
            in_root: true,
            ids: vec![child],
        };
        assert_eq!(read(Some(wire)), Ok(expected));
    }

    #[test]
    fn a_slash_is_above_every_root_for_children_alone() {
        let children = read(Some(Wire { children_of: "/".into(), ..Wire::default() }));
        assert_eq!(children.map(|filter| filter.children_of), Ok(Some(ParentFilter::Root)));
        let below = read(Some(Wire { descendants_of: "/".into(), ..Wire::default() })).unwrap_err();
        assert!(below.starts_with("Invalid argument: uidp.descendants_of: descendants_of must be a UIDP"), "{below}");
    }

    #[test]
    fn identifiers_are_counted() {
        let ids =
            |count| read(Some(Wire { ids: vec![org().to_string(); count], ..Wire::default() })).map(|filter| filter.ids.len());
        assert_eq!(ids(IDS_MAX), Ok(IDS_MAX));
        assert_eq!(ids(IDS_MAX + 1), Err("Invalid argument: uidp.ids: ids must have at most 1000 entries".to_owned()));
    }

    #[test]
    fn every_bad_member_is_named() {
        let bad = || "X".to_owned();
        let wire = Wire {
            ancestors_of: bad(),
            descendants_of: bad(),
            children_of: bad(),
            in_root: false,
            ids: vec![org().to_string(), bad()],
        };
        let message = read(Some(wire)).unwrap_err();
        for field in ["uidp.ancestors_of: ", "uidp.descendants_of: ", "uidp.children_of: ", "uidp.ids[1]: "] {
            assert!(message.contains(field), "{field} in {message}");
        }
    }
}
