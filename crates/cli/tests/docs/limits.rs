//! The tables of limits in docs/security.md name each setting of `[limits]` and `[patterns]`, with its default and a reason.

use std::collections::BTreeMap;

/// Name and default of each setting of a section in the reference.
fn settings(section: &str) -> BTreeMap<String, String> {
    let reference = cli::reference();
    let (_, text) = reference.split_once(&format!(": `[{section}]`")).expect("the section");
    let text = text.split("\n## ").next().expect("its end");
    let entries = text.split("\n### `").skip(1).map(|entry| {
        let (name, rest) = entry.split_once('`').expect("the end of the name");
        let (_, rest) = rest.split_once("default: `").expect("a default");
        let (default, _) = rest.split_once('`').expect("the end of the default");
        (name.to_owned(), default.to_owned())
    });
    entries.collect()
}

/// Name and default of each row of the section's table.
fn rows(section: &str) -> BTreeMap<String, String> {
    let page = include_str!("../../../../docs/security.md");
    let (_, text) = page.split_once(&format!("### `[{section}]`")).expect("the section");
    let (_, table) = text.split_once("|---|---|---|\n").expect("its table");
    let mut rows = BTreeMap::new();
    for line in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, default, reason] = cells[..] else { panic!("not three cells: {line}") };
        assert!(reason.len() > 10, "no reason: {line}");
        let twice = rows.insert(name.trim_matches('`').to_owned(), default.to_owned());
        assert!(twice.is_none(), "twice: {line}");
    }
    rows
}

#[test]
fn each_has_its_row_with_a_reason() {
    for section in ["limits", "patterns"] {
        assert_eq!(rows(section), settings(section), "[{section}]");
    }
}
