//! Trees: what lies below what, by UID.

use std::collections::BTreeMap;

use console::truncate_str;

use crate::{color, plain::plain};

/// The tree of `labels` by UID. What has no parent among them stands at the edge. Siblings are in the order of their labels.
/// Each line ends in the UID, and is cut at `width`.
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
        line(root, "", "", labels, &mut lines);
        below(root, "", labels, &children, &mut lines);
    }
    let cut = |line: String| width.map_or(line.clone(), |width| truncate_str(&line, width, "…").into_owned());
    lines.into_iter().map(cut).collect::<Vec<_>>().join("\n")
}

/// The closest ancestor that is in the tree.
fn nearest<'a>(uid: &'a str, labels: &BTreeMap<String, String>) -> Option<&'a str> {
    let parent = uid.rsplit_once('/')?.0;
    if labels.contains_key(parent) { Some(parent) } else { nearest(parent, labels) }
}

fn line(uid: &str, indent: &str, branch: &str, labels: &BTreeMap<String, String>, lines: &mut Vec<String>) {
    let label = labels.get(uid).map(|label| plain(label)).unwrap_or_default();
    lines.push(format!("{indent}{branch}{label}  {}", color::faint(&plain(uid))));
}

fn below(
    uid: &str,
    indent: &str,
    labels: &BTreeMap<String, String>,
    children: &BTreeMap<Option<&str>, Vec<&str>>,
    lines: &mut Vec<String>,
) {
    let children_of = children.get(&Some(uid)).map(Vec::as_slice).unwrap_or_default();
    for (at, child) in children_of.iter().enumerate() {
        let last = at + 1 == children_of.len();
        let (branch, deeper) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        line(child, indent, branch, labels, lines);
        below(child, &format!("{indent}{deeper}"), labels, children, lines);
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
        assert_eq!(render(&labels, Some(6)).lines().next(), Some("acme …"));
    }
}
