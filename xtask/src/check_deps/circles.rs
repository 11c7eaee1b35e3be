//! Circles among arrows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A shortest circle through each of the nodes that are on one, each circle once: its nodes in order, the least one first.
pub(super) fn circles<N: Ord + Clone>(arrows: impl IntoIterator<Item = (N, N)>) -> Vec<Vec<N>> {
    let mut next: BTreeMap<N, BTreeSet<N>> = BTreeMap::new();
    for (from, to) in arrows {
        next.entry(from).or_default().insert(to);
    }
    let found: BTreeSet<Vec<N>> = next.keys().filter_map(|node| through(&next, node)).map(least_first).collect();
    found.into_iter().collect()
}

/// A shortest way from a node back to it.
fn through<N: Ord + Clone>(next: &BTreeMap<N, BTreeSet<N>>, node: &N) -> Option<Vec<N>> {
    let mut before: BTreeMap<&N, &N> = BTreeMap::new();
    let mut queue = VecDeque::from([node]);
    while let Some(at) = queue.pop_front() {
        for to in next.get(at).into_iter().flatten() {
            if to == node {
                let way = std::iter::successors(Some(at), |at| before.get(at).copied());
                let mut circle: Vec<N> = way.cloned().collect();
                circle.reverse();
                return Some(circle);
            }
            if !before.contains_key(to) {
                before.insert(to, at);
                queue.push_back(to);
            }
        }
    }
    None
}

/// The same circle from its least node on.
fn least_first<N: Ord + Clone>(mut circle: Vec<N>) -> Vec<N> {
    if let Some(least) = circle.iter().enumerate().min_by_key(|(_, node)| *node).map(|(at, _)| at) {
        circle.rotate_left(least);
    }
    circle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arrows: &[(&'static str, &'static str)]) -> Vec<String> {
        circles(arrows.iter().copied()).into_iter().map(|circle| circle.join(" ")).collect()
    }

    #[test]
    fn arrows_that_lead_nowhere_back_are_no_circle() {
        assert_eq!(of(&[]), Vec::<String>::new());
        assert_eq!(of(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]), Vec::<String>::new());
    }

    #[test]
    fn each_circle_is_found_once_from_its_least_node() {
        assert_eq!(of(&[("b", "a"), ("a", "b")]), ["a b"]);
        assert_eq!(of(&[("c", "a"), ("a", "b"), ("b", "c"), ("d", "a")]), ["a b c"]);
        assert_eq!(of(&[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c")]), ["a b", "c d"]);
        assert_eq!(of(&[("a", "a")]), ["a"]);
    }

    #[test]
    fn the_shortest_circle_is_told() {
        assert_eq!(of(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")]), ["a b c", "b c"]);
    }
}
