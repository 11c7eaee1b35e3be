//! Which rows a list is about, from the caller's scopes and the request's filter: pure, before any table is looked at.

use domain::{Scopes, Uidp, UidpFilter, list::ParentFilter};

/// The rows of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// At most these, in byte order.
    Uids(Vec<Uidp>),
    /// These parts of the tree, none inside another, in byte order.
    Streams(Vec<Stream>),
}

/// A part of the tree that an index walks through in one go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Everything.
    All,
    /// This resource and everything below it.
    Below(Uidp),
    /// Everything below this resource.
    ProperlyBelow(Uidp),
    /// The next level below this resource.
    Children(Uidp),
    /// Whatever has no parent.
    Roots,
    /// This resource.
    One(Uidp),
}

/// What `filter` asks for, as far as it is in `scopes` or, with `include_roots`, has no parent.
pub(super) fn select(scopes: &Scopes, include_roots: bool, filter: &UidpFilter) -> Selection {
    let scope = Scope { places: merged(scopes), include_roots };
    if let Some(named) = named(filter) {
        return scope.uids(named.into_iter().filter(|uid| matches(uid, filter)));
    }
    let below = filter.descendants_of.as_ref();
    match (&filter.children_of, filter.in_root) {
        (Some(ParentFilter::At(_)), true) => Selection::Streams(Vec::new()),
        (Some(ParentFilter::Root), _) | (None, true) => scope.roots(below),
        (Some(ParentFilter::At(parent)), false) => scope.children(parent, below),
        (None, false) => scope.subtrees(below),
    }
}

/// The scopes with nothing inside another, in byte order; `None` for everywhere.
fn merged(scopes: &Scopes) -> Option<Vec<Uidp>> {
    let Scopes::Subtrees(roots) = scopes else { return None };
    let mut roots = roots.clone();
    roots.sort_unstable();
    // In byte order everything inside a place follows it directly.
    roots.dedup_by(|inner, outer| outer.contains(inner));
    Some(roots)
}

/// The identifiers that the filter names one by one, if it does.
fn named(filter: &UidpFilter) -> Option<Vec<Uidp>> {
    if !filter.ids.is_empty() {
        return Some(filter.ids.clone());
    }
    let of = filter.ancestors_of.as_ref()?;
    Some(std::iter::successors(of.parent(), Uidp::parent).collect())
}

/// Whether the filter asks for this resource.
fn matches(uid: &Uidp, filter: &UidpFilter) -> bool {
    filter.ancestors_of.as_ref().is_none_or(|of| uid != of && uid.contains(of))
        && filter.descendants_of.as_ref().is_none_or(|of| of.contains(uid))
        && match &filter.children_of {
            None => true,
            Some(ParentFilter::Root) => uid.is_root(),
            Some(ParentFilter::At(parent)) => uid.parent().as_ref() == Some(parent),
        }
        && (!filter.in_root || uid.is_root())
        && (filter.ids.is_empty() || filter.ids.contains(uid))
}

/// What the caller may see.
struct Scope {
    /// `None` for everything.
    places: Option<Vec<Uidp>>,
    include_roots: bool,
}

impl Scope {
    fn sees(&self, uid: &Uidp) -> bool {
        (self.include_roots && uid.is_root()) || self.covers(uid)
    }

    fn covers(&self, uid: &Uidp) -> bool {
        self.places.as_ref().is_none_or(|places| places.iter().any(|place| place.contains(uid)))
    }

    fn places(&self) -> impl Iterator<Item = &Uidp> {
        self.places.iter().flatten()
    }

    fn uids(&self, uids: impl Iterator<Item = Uidp>) -> Selection {
        let mut uids: Vec<_> = uids.filter(|uid| self.sees(uid)).collect();
        uids.sort_unstable();
        uids.dedup();
        Selection::Uids(uids)
    }

    fn roots(&self, below: Option<&Uidp>) -> Selection {
        match below {
            Some(of) => self.uids(of.is_root().then(|| of.clone()).into_iter()),
            None if self.places.is_none() || self.include_roots => Selection::Streams(vec![Stream::Roots]),
            None => self.uids(self.places().filter(|place| place.is_root()).cloned()),
        }
    }

    fn children(&self, parent: &Uidp, below: Option<&Uidp>) -> Selection {
        match below {
            Some(of) if !of.contains(parent) => self.uids((of.parent().as_ref() == Some(parent)).then(|| of.clone()).into_iter()),
            _ if self.covers(parent) => Selection::Streams(vec![Stream::Children(parent.clone())]),
            // Where the parent is not in scope, a child can only be so as a scope of its own.
            _ => self.uids(self.places().filter(|place| place.parent().as_ref() == Some(parent)).cloned()),
        }
    }

    fn subtrees(&self, below: Option<&Uidp>) -> Selection {
        let Some(places) = &self.places else {
            return Selection::Streams(vec![below.map_or(Stream::All, |of| Stream::Below(of.clone()))]);
        };
        let mut streams = Vec::new();
        match below {
            Some(of) if self.covers(of) => streams.push(Stream::Below(of.clone())),
            Some(of) => {
                if self.sees(of) {
                    streams.push(Stream::One(of.clone()));
                }
                streams.extend(places.iter().filter(|place| of.contains(place)).cloned().map(Stream::Below));
            }
            None => {
                if self.include_roots {
                    streams.push(Stream::Roots);
                }
                streams.extend(places.iter().cloned().map(|place| {
                    if self.include_roots && place.is_root() { Stream::ProperlyBelow(place) } else { Stream::Below(place) }
                }));
            }
        }
        Selection::Streams(streams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(text: &str) -> Uidp {
        // "a/b/c": one hex digit for each segment.
        let mut segments = text.split('/').map(|digit| u8::from_str_radix(digit, 16).unwrap());
        let root = Uidp::root_from([segments.next().unwrap(); 20]);
        segments.fold(root, |parent, digit| parent.child([digit; 8]))
    }

    fn scopes(places: &[&str]) -> Scopes {
        Scopes::Subtrees(places.iter().map(|place| uid(place)).collect())
    }

    fn below(of: &str) -> UidpFilter {
        UidpFilter { descendants_of: Some(uid(of)), ..UidpFilter::default() }
    }

    #[test]
    fn overlapping_scopes_merge() {
        let selected = select(&scopes(&["b", "a/1", "a", "a/1/2", "b"]), false, &UidpFilter::default());
        assert_eq!(selected, Selection::Streams(vec![Stream::Below(uid("a")), Stream::Below(uid("b"))]));
    }

    #[test]
    fn a_place_inside_a_scope_is_seen_whole_and_one_around_it_in_part() {
        assert_eq!(select(&scopes(&["a"]), false, &below("a/1")), Selection::Streams(vec![Stream::Below(uid("a/1"))]));
        assert_eq!(
            select(&scopes(&["a/1", "a/2", "b"]), false, &below("a")),
            Selection::Streams(vec![Stream::Below(uid("a/1")), Stream::Below(uid("a/2"))])
        );
        assert_eq!(select(&scopes(&["b"]), false, &below("a")), Selection::Streams(vec![]));
    }

    #[test]
    fn children_of_a_place_outside_the_scope_are_its_scopes() {
        let children = UidpFilter { children_of: Some(ParentFilter::At(uid("a"))), ..UidpFilter::default() };
        assert_eq!(select(&scopes(&["a/1", "a/2/3"]), false, &children), Selection::Uids(vec![uid("a/1")]));
        assert_eq!(select(&Scopes::All, false, &children), Selection::Streams(vec![Stream::Children(uid("a"))]));
        let roots = UidpFilter { in_root: true, ..UidpFilter::default() };
        assert_eq!(select(&scopes(&["a/1", "b"]), false, &roots), Selection::Uids(vec![uid("b")]));
        assert_eq!(select(&scopes(&["a/1"]), true, &roots), Selection::Streams(vec![Stream::Roots]));
    }

    #[test]
    fn ancestors_are_named_one_by_one() {
        let above = UidpFilter { ancestors_of: Some(uid("a/1/2")), ..UidpFilter::default() };
        assert_eq!(select(&Scopes::All, false, &above), Selection::Uids(vec![uid("a"), uid("a/1")]));
        assert_eq!(select(&scopes(&["a/1"]), false, &above), Selection::Uids(vec![uid("a/1")]));
    }
}
