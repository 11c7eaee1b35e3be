//! Whether everything in the database agrees with everything else.

use domain::{Error, Kind, Noun, Result, Rule};

use super::{header::Header, restore::expected, tables::TABLES};
use crate::Writer;

/// The nouns that are counted, and their tables.
const COUNTED: &[(Noun, &str)] = &[
    (Noun::Group, "groups"),
    (Noun::Identity, "identities"),
    (Noun::Role, "roles"),
    (Noun::RoleBinding, "role_bindings"),
    (Noun::Repo, "repos"),
];

/// Compares the rows with the header, the counters with the rows, and the revisions with each other.
///
/// # Errors
/// Failed precondition, saying what does not agree.
pub(super) async fn verify(tx: &mut Writer, header: &Header) -> Result<()> {
    for table in TABLES {
        let rows = number(tx, &format!("SELECT count(*) FROM {}", table.name)).await?;
        agree(u64::try_from(rows).is_ok_and(|rows| rows == expected(header, table)), || {
            format!("there are {rows} rows of {} instead of {}", table.name, expected(header, table))
        })?;
    }
    for (noun, table) in COUNTED {
        verify_counts(tx, *noun, table).await?;
    }
    verify_revisions(tx, header.revision).await
}

/// Every counter equals the rows below its place, and no counter is missing: the sums are equal as well.
async fn verify_counts(tx: &mut Writer, noun: Noun, table: &str) -> Result<()> {
    let name = noun.as_str();
    // A group counts itself.
    let (itself, places) = match noun {
        Noun::Group => (format!(" + (SELECT count(*) FROM {table} WHERE uid = counts.prefix)"), 2),
        _ => (String::new(), 1),
    };
    let below = format!("(SELECT count(*) FROM {table} WHERE uid > counts.prefix || '/' AND uid < counts.prefix || '0')");
    let wrong =
        number(tx, &format!("SELECT count(*) FROM counts WHERE noun = '{name}' AND prefix <> '/' AND n <> {below}{itself}"))
            .await?;
    agree(wrong == 0, || format!("{wrong} counters of {table} do not equal the rows below their places"))?;
    let everywhere = number(
        tx,
        &format!(
            "SELECT (SELECT count(*) FROM {table}) - coalesce((SELECT n FROM counts WHERE noun = '{name}' AND prefix = '/'), 0)"
        ),
    )
    .await?;
    agree(everywhere == 0, || format!("the total of {table} does not equal their rows"))?;
    let counted = number(tx, &format!("SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM counts WHERE noun = '{name}'")).await?;
    let wanted =
        number(tx, &format!("SELECT CAST(coalesce(sum({places} + (length(uid) - 40) / 17), 0) AS BIGINT) FROM {table}")).await?;
    agree(counted == wanted, || format!("counters of {table} are missing: they add up to {counted} instead of {wanted}"))?;
    // Every row is the child of one place; a place whose children have no counter is found above.
    let children = format!("coalesce((SELECT count(*) FROM {table} WHERE parent = counts.prefix), 0)");
    let wrong = number(tx, &format!("SELECT count(*) FROM counts WHERE noun = '{name}' AND children <> {children}")).await?;
    agree(wrong == 0, || format!("{wrong} counters of {table} do not equal the children of their places"))
}

/// No row, change or audit row is newer than the last commit; every change was audited, and every commit once.
async fn verify_revisions(tx: &mut Writer, last: i64) -> Result<()> {
    for table in COUNTED.iter().map(|(_, table)| *table).chain(["signing_keys", "changes", "outbox", "audit"]) {
        let newest = number(tx, &format!("SELECT coalesce(max(revision), 0) FROM {table}")).await?;
        agree(newest <= last, || format!("{table} has revision {newest}, and the last commit is {last}"))?;
    }
    let twice = "SELECT count(revision) - count(DISTINCT revision) FROM audit";
    agree(number(tx, twice).await? == 0, || "a commit has two audit rows".to_owned())?;
    let unaudited = "SELECT count(*) FROM (SELECT revision FROM changes EXCEPT SELECT revision FROM audit \
                     WHERE revision IS NOT NULL) AS unaudited";
    agree(number(tx, unaudited).await? == 0, || "the feed has a commit without an audit row".to_owned())
}

async fn number(tx: &mut Writer, sql: &str) -> Result<i64> {
    tx.query_one(sql, &[], |row| row.int(0)).await?.ok_or_else(|| Error::internal(format!("no row: {sql}")))
}

fn agree(agrees: bool, otherwise: impl FnOnce() -> String) -> Result<()> {
    if agrees {
        return Ok(());
    }
    let message = format!("the backup does not agree with itself, and nothing of it was kept: {}", otherwise());
    Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message))
}
