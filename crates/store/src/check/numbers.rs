//! Numbers that the server can go on from: beyond these limits it would have none left, or could not tell the time.

use domain::Revision;

use super::probe::{Probe, Question};
use crate::{nouns::NOUNS, table::ColumnKind};

/// The first and the last millisecond that RFC 3339 can write: of the years 1 and 9999.
pub(crate) const TIMES: (i64, i64) = (-62_135_596_800_000, 253_402_300_799_999);

/// The greatest number: of revisions, half of those that there are, so that commits are left.
pub(crate) const GREATEST: i64 = Revision::LAST.0 / 2;

/// A number that is drawn, of which there is no greatest.
const DRAWN: &str = "relationship_revision";

/// Tables that are no noun's: what identifies a row, and their numbers.
const OTHERS: [(&str, &str, &[&str]); 13] = [
    ("revision", "''", &["n"]),
    ("counts", "prefix || ' ' || noun", &["n", "children"]),
    ("signing_keys", "kid", &["created_at", "not_before_at", "retired_at", "revision"]),
    ("idempotency", "''", &["created_at"]),
    ("changes", "revision || ' ' || ordinal", &["revision", "ordinal", "from_created_at", "to_created_at"]),
    ("outbox", "revision || ' ' || ordinal", &["revision", "ordinal", "at"]),
    ("delivery_mark", "''", &["revision"]),
    ("deliveries", "subscription", &["done_revision", "target_revision", "failing_since", "due_at", "leased_until"]),
    (
        "dead_letters",
        "subscription || ' ' || revision || ' ' || ordinal",
        &["revision", "ordinal", "at", "died_at", "replayed_at"],
    ),
    ("audit", "id", &["revision", "at"]),
    (
        "advisory_imports",
        "uid",
        &[
            "documents",
            "imported",
            "unchanged",
            "rejected",
            "advisories_created",
            "advisories_updated",
            "finished_at",
            "created_at",
            "updated_at",
            "revision",
        ],
    ),
    ("advisory_rejections", "import_uid || ' ' || place", &["place"]),
    ("tag_history", "tag || ' ' || revision", &["revision", "at"]),
];

/// The rules for the numbers of every table.
pub(super) fn numbers() -> impl Iterator<Item = Probe> {
    let of_nouns = NOUNS.all().map(|noun| {
        let numbers =
            noun.all_columns().filter(|column| column.kind == ColumnKind::Int && column.name != DRAWN).map(|column| column.name);
        of(noun.table, "uid", numbers)
    });
    of_nouns.chain(OTHERS.into_iter().map(|(table, key, numbers)| of(table, key, numbers.iter().copied())))
}

fn of(table: &str, key: &str, numbers: impl Iterator<Item = &'static str>) -> Probe {
    let beyond = numbers.map(|column| {
        let (first, last) = if column == "at" || column.ends_with("_at") { TIMES } else { (0, GREATEST) };
        let problem = format!("'its {column} is ' || {column} || ', and {first} to {last} can be'");
        format!("SELECT trim('{table} ' || {key}) AS place, {problem} AS problem FROM {table} WHERE {column} < {first} OR {column} > {last}")
    });
    let sql = beyond.collect::<Vec<_>>().join(" UNION ALL ");
    Probe { check: "numbers", place: table.to_owned(), question: Question::Problems(sql) }
}
