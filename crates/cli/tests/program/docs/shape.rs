//! Comparing what was printed with what a document shows.

use regex::Regex;

/// Fails unless `told` reads like `shown`, line by line.
pub(crate) fn assert_same(what: &str, shown: &str, told: &str) {
    let (shown_shape, told_shape) = (shape(shown), shape(told));
    let same = shown_shape.lines().count() == told_shape.lines().count()
        && shown_shape.lines().zip(told_shape.lines()).all(|(shown, told)| covers(shown, told));
    assert!(same, "after\n{what}\nthe document shows\n{shown_shape}\nbut this came\n{told_shape}\nthat is\n{told}");
}

/// The text without what differs from machine to machine, and without the widths of columns that follow from it.
fn shape(text: &str) -> String {
    let kinds = [
        (r"[0-9a-f]{40}(/[0-9a-f]{16})*", "[uid]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[time]"),
        (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
        (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "[token]"),
        (r"-{2,}", "--"),
        (r" {2,}", " "),
        (r" +\n", "\n"),
    ];
    kinds.iter().fold(text.trim_end().to_owned(), |text, (pattern, kind)| {
        Regex::new(pattern).expect("a pattern").replace_all(&text, *kind).into_owned()
    })
}

/// Whether `line` is `pattern`, where `…` stands for anything.
fn covers(pattern: &str, line: &str) -> bool {
    let pattern = pattern.split('…').map(regex::escape).collect::<Vec<_>>().join(".*");
    Regex::new(&format!("^{pattern}$")).expect("a pattern").is_match(line)
}

#[test]
fn what_differs_between_machines_counts_by_kind() {
    let uid = |digit: &str| digit.repeat(40);
    assert_same(
        "",
        &format!("{}/0123456789abcdef at 2026-01-02T03:04:05.678Z", uid("a")),
        &format!("{}/fedcba9876543210 at 2027-11-22T13:14:15.000Z\n", uid("b")),
    );
    assert_same("", "ID   | N\n-----+--\n127.0.0.1:8080 | x", "ID | N\n---+---\n127.0.0.1:34567 | x");
    assert_same("", "{\"token\":\"…\",\"a\":1}", "{\"token\":\"eyJa.b.c\",\"a\":1}");
}

#[test]
#[should_panic = "the document shows"]
fn other_words_are_not_the_same() {
    assert_same("", "{\"a\":…,\"total\":\"2\"}", "{\"a\":1,\"total\":\"3\"}");
}

#[test]
#[should_panic = "the document shows"]
fn a_line_more_is_not_the_same() {
    assert_same("", "a", "a\nb");
}
