//! Trees: what lies below what, by UID.

use std::collections::BTreeMap;

use console::{measure_text_width, truncate_str};

use crate::{color, plain::plain};

/// What stands between a label and its UID.
const GAP: &str = "  ";

/// The tree of `labels` by UID. What has no parent among them stands at the edge. Siblings are in the order of their labels.
/// Each line ends in the UID, which is never cut: where there are only `width` columns, labels are.
pub(super) fn render(labels: &BTreeMap<String, String>, width: Option<usize>) -> String {
    let mut children: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for uid in labels.keys() {
        children.entry(nearest(uid, labels)).or_default().push(uid);
    }
    for siblings in children.values_mut() {
        siblings.sort_by_key(|&uid| (labels.get(uid), uid));
    }
    let mut lines = Vec::new();
    for root in children.get(&None).into_iter().flatten() {
        lines.push(line(root, "", labels, width));
        below(root, "", labels, &children, width, &mut lines);
    }
    lines.join("\n")
}

/// The closest ancestor that is in the tree.
fn nearest<'a>(uid: &'a str, labels: &BTreeMap<String, String>) -> Option<&'a str> {
    let parent = uid.rsplit_once('/')?.0;
    if labels.contains_key(parent) { Some(parent) } else { nearest(parent, labels) }
}

/// The line of `uid`, behind the `branch` that leads there.
fn line(uid: &str, branch: &str, labels: &BTreeMap<String, String>, width: Option<usize>) -> String {
    /// A label is not made shorter than this.
    const SHORTEST: usize = 8;
    let label = labels.get(uid).map(|label| plain(label)).unwrap_or_default();
    let taken = measure_text_width(branch) + GAP.len() + uid.len();
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(taken).max(SHORTEST));
    format!("{branch}{}{GAP}{}", truncate_str(&label, room, "…"), color::faint(&plain(uid)))
}

fn below(
    uid: &str,
    indent: &str,
    labels: &BTreeMap<String, String>,
    children: &BTreeMap<Option<&str>, Vec<&str>>,
    width: Option<usize>,
    lines: &mut Vec<String>,
) {
    let children_of = children.get(&Some(uid)).map(Vec::as_slice).unwrap_or_default();
    for (at, child) in children_of.iter().enumerate() {
        let last = at + 1 == children_of.len();
        let (branch, deeper) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        lines.push(line(child, &format!("{indent}{branch}"), labels, width));
        below(child, &format!("{indent}{deeper}"), labels, children, width, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_hang_below_their_nearest_ancestor() {
        let labels =
            [("a", "acme"), ("a/1", "web"), ("a/2", "api"), ("a/2/5", "deep"), ("b/7/8", "orphan"), ("a/2/6", "x\u{1b}")];
        let labels = labels.map(|(uid, label)| (uid.to_owned(), label.to_owned())).into_iter().collect();
        insta::assert_snapshot!(render(&labels, None), @r"
        acme  a
        ├── api  a/2
        │   ├── deep  a/2/5
        │   └── x\u{1b}  a/2/6
        └── web  a/1
        orphan  b/7/8
        ");
    }

    #[test]
    fn labels_are_cut_and_uids_are_not() {
        let labels = [("0123456789/ab", "a label of some length"), ("0123456789", "acme")];
        let labels = labels.map(|(uid, label)| (uid.to_owned(), label.to_owned())).into_iter().collect();
        insta::assert_snapshot!(render(&labels, Some(30)), @r"
        acme  0123456789
        └── a label of…  0123456789/ab
        ");
        insta::assert_snapshot!(render(&labels, Some(10)), @r"
        acme  0123456789
        └── a label…  0123456789/ab
        ");
    }
}
