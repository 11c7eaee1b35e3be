//! What holds for the rows of every engine.

use domain::{Noun, Revision};

use super::{
    numbers::numbers,
    probe::{Probe, Question},
    tables::rows,
};
use crate::{nouns::NOUNS, table::Declared};

/// What the feed tells of: a noun, its table, and the column that identifies its rows.
struct Told {
    noun: Noun,
    table: &'static str,
    key: &'static str,
}

/// Up to here, the feed tells of the last commit of everything alone, and of what else they did.
const FLOOR: &str = "coalesce((SELECT floor FROM retention), 0)";

const SIGNING_KEYS: Told = Told { noun: Noun::SigningKey, table: "signing_keys", key: "kid" };

/// The rules for a database whose last commit is `last`. Each names what breaks it.
pub(crate) fn rules(last: Revision) -> Vec<Probe> {
    let mut rules: Vec<_> = rows().collect();
    NOUNS.all().for_each(|noun| counters(noun, &mut rules));
    NOUNS.all().for_each(|noun| rules.push(places(noun)));
    rules.push(counted());
    links(&mut rules);
    rules.extend(numbers());
    rules.push(one_number());
    let of = |noun: &Declared| Told { noun: noun.noun, table: noun.table, key: "uid" };
    for noun in NOUNS.all().map(of).chain([SIGNING_KEYS]) {
        revisions(&noun, last, &mut rules);
        told(&noun, &mut rules);
    }
    NOUNS.all().for_each(|noun| rules.push(moves(noun)));
    feed(last, &mut rules);
    rebound(&mut rules);
    audit(last, &mut rules);
    outbox(last, &mut rules);
    rules
}

fn rule(check: &'static str, place: &str, sql: String) -> Probe {
    Probe { check, place: place.to_owned(), question: Question::Problems(sql) }
}

/// Every counter equals the rows below its place, or directly in it, and no counter is missing.
fn counters(of: &'static Declared, rules: &mut Vec<Probe>) {
    let (noun, table) = (of.noun.as_str(), of.table);
    let itself =
        if of.counts_itself { format!(" + (SELECT count(*) FROM {table} WHERE uid = counts.prefix)") } else { String::new() };
    rules.push(rule(
        "counters",
        "counts",
        format!(
            "SELECT 'counts ' || prefix AS place, \
             'the counter of {table} is ' || n || ', and there are ' || there AS problem \
             FROM (SELECT prefix, n, CASE prefix WHEN '/' THEN (SELECT count(*) FROM {table}) ELSE \
             (SELECT count(*) FROM {table} WHERE uid > counts.prefix || '/' AND uid < counts.prefix || '0'){itself} END AS there \
             FROM counts WHERE noun = '{noun}') AS counted WHERE n <> there"
        ),
    ));
    rules.push(rule(
        "counters",
        "counts",
        format!(
            "SELECT 'counts ' || prefix AS place, \
             'the counter of {table} directly in it is ' || children || ', and there are ' || there AS problem \
             FROM (SELECT prefix, children, (SELECT count(*) FROM {table} WHERE parent = counts.prefix) AS there \
             FROM counts WHERE noun = '{noun}') AS counted WHERE children <> there"
        ),
    ));
    let missing = format!("'there is no counter of {table}' AS problem");
    let below = of.above().map(|above| {
        // Between a place and its first child there is no identifier: `/` is the byte before `0`.
        let first = if of.counts_itself { ">= g.uid" } else { "> g.uid || '/'" };
        let has_some = if of.counts_itself && of.noun == above.noun {
            String::new()
        } else {
            format!("EXISTS (SELECT 1 FROM {table} t WHERE t.uid {first} AND t.uid < g.uid || '0') AND ")
        };
        format!(
            "SELECT 'counts ' || uid AS place, {missing} FROM {} g WHERE {has_some}\
             NOT EXISTS (SELECT 1 FROM counts c WHERE c.prefix = g.uid AND c.noun = '{noun}') UNION ALL ",
            above.table
        )
    });
    rules.push(rule(
        "counters",
        "counts",
        format!(
            "{}SELECT 'counts /' AS place, {missing} WHERE EXISTS (SELECT 1 FROM {table}) \
             AND NOT EXISTS (SELECT 1 FROM counts c WHERE c.prefix = '/' AND c.noun = '{noun}')",
            below.collect::<String>()
        ),
    ));
}

/// Everything lies in something that exists.
fn places(noun: &Declared) -> Probe {
    let (table, parents) = (noun.table, noun.lives_in.table);
    let home = if noun.shares_uid { "uid" } else { "parent" };
    rule(
        "places",
        table,
        format!(
            "SELECT '{table} ' || uid AS place, 'it lies in ' || {home} || ', which does not exist' AS problem FROM {table} t \
             WHERE {home} <> '/' AND NOT EXISTS (SELECT 1 FROM {parents} g WHERE g.uid = t.{home})"
        ),
    )
}

/// What has counters exists.
fn counted() -> Probe {
    let missing = |parent: &Declared| format!("NOT EXISTS (SELECT 1 FROM {} g WHERE g.uid = counted.prefix)", parent.table);
    let missing: Vec<_> = NOUNS.parents().map(missing).collect();
    let sql = format!(
        "SELECT 'counts ' || prefix AS place, 'it has counters and does not exist' AS problem FROM \
         (SELECT DISTINCT prefix FROM counts WHERE prefix <> '/') AS counted WHERE {}",
        missing.join(" AND ")
    );
    rule("places", "counts", sql)
}

/// Bindings bind what exists, sessions are of identities that do, identity providers and mappings of outside groups give roles that do, overlay bindings bind overlays that
/// do, words are of advisories that do, and service bindings name identities of the group that are these very parts of the platform.
fn links(rules: &mut Vec<Probe>) {
    let links = [
        ("role_bindings", "identity", "identities"),
        ("role_bindings", "role", "roles"),
        ("identity_providers", "default_role", "roles"),
        ("external_group_role_mappings", "role", "roles"),
        ("overlay_bindings", "overlay", "overlays"),
        ("sessions", "identity", "identities"),
    ];
    for (from, column, to) in links {
        rules.push(rule(
            "links",
            from,
            format!(
                "SELECT '{from} ' || uid AS place, 'its {column} ' || {column} || ' does not exist' AS problem \
                 FROM {from} t WHERE NOT EXISTS (SELECT 1 FROM {to} o WHERE o.uid = t.{column})"
            ),
        ));
    }
    rules.push(rule(
        "links",
        "advisory_words",
        "SELECT 'advisory_words ' || of_uid AS place, 'its advisory does not exist' AS problem FROM advisory_words t \
         WHERE NOT EXISTS (SELECT 1 FROM advisories o WHERE o.uid = t.of_uid)"
            .to_owned(),
    ));
    rules.push(rule(
        "links",
        "advisory_parts",
        "SELECT 'advisory_parts ' || advisory AS place, 'its advisory does not exist' AS problem FROM advisory_parts t \
         WHERE NOT EXISTS (SELECT 1 FROM advisories o WHERE o.uid = t.advisory)"
            .to_owned(),
    ));
    // Both engines read the stored forms as texts: a binding begins with the number of the part and the identity, and no identity is
    // two parts.
    let number = "replace(replace(i.relationship, '{\"type\":\"service_principal\",\"principal\":', ''), '}', '')";
    rules.push(rule(
        "links",
        "account_associations",
        format!(
            "SELECT 'account_associations ' || uid AS place, 'it has ' || bound || ' service bindings, and ' || there || \
             ' of them are of service principals in its group' AS problem FROM \
             (SELECT uid, (length(service_bindings) - length(replace(service_bindings, '\"identity\":', ''))) / 11 AS bound, \
             (SELECT count(*) FROM identities i WHERE i.parent = t.uid AND i.relationship_type = 'service_principal' \
             AND t.service_bindings LIKE '%\"' || {number} || '\":{{\"identity\":\"' || i.uid || '\"%') AS there \
             FROM account_associations t WHERE service_bindings IS NOT NULL) AS linked WHERE bound <> there"
        ),
    ));
}

/// The number of the last commit is one.
fn one_number() -> Probe {
    let problem = "'it has ' || count(*) || ' rows, and there is one last commit' AS problem";
    rule("revisions", "revision", format!("SELECT 'revision' AS place, {problem} FROM revision HAVING count(*) <> 1"))
}

/// Rows are not newer than the last commit, and the feed tells of the commit that each of them comes from.
fn revisions(of: &Told, last: Revision, rules: &mut Vec<Probe>) {
    let Told { noun, table, key } = of;
    rules.push(newest(table, &format!("'{table} ' || {key}"), "revisions", last));
    rules.push(rule(
        "revisions",
        table,
        format!(
            "SELECT '{table} ' || {key} AS place, 'it has revision ' || revision || ', where the feed does not tell of it' AS problem \
             FROM {table} t WHERE NOT EXISTS (SELECT 1 FROM changes c WHERE c.revision = t.revision AND c.noun = '{}' \
             AND c.uid = t.{key} AND c.op <> 'deleted')",
            noun.as_str()
        ),
    ));
}

/// The feed tells of each row where it stands in lists. Programs that do not know how wrote nothing about that.
fn moves(noun: &Declared) -> Probe {
    let (table, key, name) = (noun.table, "uid", if noun.is_named() { "t.name" } else { "''" });
    rule(
        "feed",
        table,
        format!(
            "SELECT '{table} ' || t.{key} AS place, 'the feed tells that its name is \"' || c.to_name || '\" and its time ' \
             || c.to_created_at || ', and they are \"' || {name} || '\" and ' || t.created_at AS problem \
             FROM {table} t JOIN changes c ON c.revision = t.revision AND c.noun = '{}' AND c.uid = t.{key} \
             WHERE c.to_name <> {name} OR c.to_created_at <> t.created_at",
            noun.noun.as_str()
        ),
    )
}

/// What the feed tells last of anything is so: it is gone, or it is there, as that commit has left it.
fn told(of: &Told, rules: &mut Vec<Probe>) {
    let (noun, Told { table, key, .. }) = (of.noun.as_str(), of);
    rules.push(rule(
        "feed",
        table,
        format!(
            "SELECT '{table} ' || told.uid AS place, 'the feed tells in commit ' || told.revision || ' that it was ' || op || ', and ' || \
             CASE WHEN t.{key} IS NULL THEN 'it does not exist' WHEN op = 'deleted' THEN 'it exists' \
             ELSE 'it has revision ' || t.revision END AS problem FROM \
             (SELECT uid, revision, op, row_number() OVER (PARTITION BY uid ORDER BY revision DESC, ordinal DESC) AS back \
             FROM changes WHERE noun = '{noun}' AND op <> 'rebound') AS told LEFT JOIN {table} t ON t.{key} = told.uid \
             WHERE back = 1 AND told.revision > {FLOOR} AND CASE op WHEN 'deleted' THEN t.{key} IS NOT NULL \
             ELSE t.{key} IS NULL OR t.revision <> told.revision END"
        ),
    ));
}

fn feed(last: Revision, rules: &mut Vec<Probe>) {
    rules.push(newest("changes", "'changes ' || revision", "feed", last));
    rules.push(rule(
        "feed",
        "changes",
        "SELECT 'changes ' || revision AS place, 'its ' || count(*) || ' rows are not numbered from 0' AS problem FROM changes \
         GROUP BY revision HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1"
            .to_owned(),
    ));
    // Programs that do not know where rows stand told neither.
    rules.push(rule(
        "feed",
        "changes",
        format!(
            "SELECT 'changes ' || revision AS place, 'it tells that ' || noun || ' ' || uid || ' stood at \"' || from_name || '\" and ' \
         || from_created_at || ', and the change before it ' || CASE WHEN before_name IS NULL THEN 'that it was not there' \
         ELSE 'at \"' || before_name || '\" and ' || before_at END AS problem FROM \
         (SELECT revision, noun, uid, op, from_name, from_created_at, lag(op) OVER told AS before_op, \
         lag(to_name) OVER told AS before_name, lag(to_created_at) OVER told AS before_at FROM changes WHERE op <> 'rebound' \
         AND revision > {FLOOR} WINDOW told AS (PARTITION BY noun, uid ORDER BY revision, ordinal)) AS moves \
         WHERE from_name <> before_name OR from_created_at <> before_at \
         OR (from_name IS NOT NULL AND (op = 'created' OR before_op = 'deleted'))"
        ),
    ));
    rules.push(unaudited("changes", "feed"));
}

/// Whoever is bound otherwise is told of with the binding: what is remembered of rights follows that.
fn rebound(rules: &mut Vec<Probe>) {
    rules.push(rule(
        "feed",
        "role_bindings",
        "SELECT 'role_bindings ' || uid AS place, 'its commit ' || revision || ' does not tell of the identity that it binds' AS problem \
         FROM role_bindings t WHERE NOT EXISTS (SELECT 1 FROM changes c WHERE c.revision = t.revision AND c.noun = 'identity' \
         AND c.uid = t.identity)"
            .to_owned(),
    ));
    rules.push(rule(
        "feed",
        "changes",
        "SELECT DISTINCT 'changes ' || revision AS place, 'it tells of role bindings and of no identity that is bound otherwise' AS problem \
         FROM changes t WHERE noun = 'role_binding' AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.revision = t.revision \
         AND c.noun = 'identity')"
            .to_owned(),
    ));
}

fn audit(last: Revision, rules: &mut Vec<Probe>) {
    rules.push(newest("audit", "'audit ' || id", "audit", last));
    rules.push(rule(
        "audit",
        "audit",
        "SELECT 'audit' AS place, 'the commit ' || revision || ' has ' || count(*) || ' rows' AS problem FROM audit \
         WHERE revision IS NOT NULL GROUP BY revision HAVING count(*) > 1"
            .to_owned(),
    ));
    rules.push(rule(
        "audit",
        "audit",
        "SELECT 'audit ' || id AS place, 'it has revision ' || revision || ', and the row before it ' || before AS problem FROM \
         (SELECT id, revision, lag(revision) OVER (ORDER BY id) AS before FROM audit WHERE revision IS NOT NULL) AS ordered \
         WHERE revision < before"
            .to_owned(),
    ));
    rules.push(rule(
        "audit",
        "audit",
        "SELECT 'audit ' || id AS place, 'it tells that ' || noun || ' ' || subject || ' was ' || op || ' in commit ' || revision \
         || ', and the feed does not' AS problem FROM audit a WHERE revision IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM changes c WHERE c.revision = a.revision AND c.noun = a.noun AND c.uid = a.subject AND c.op = a.op) \
         AND noun IS NOT NULL"
            .to_owned(),
    ));
}

fn outbox(last: Revision, rules: &mut Vec<Probe>) {
    rules.push(newest("outbox", "'outbox ' || revision || ' ' || ordinal", "outbox", last));
    rules.push(unaudited("outbox", "outbox"));
    rules.push(unaudited("spent_events", "outbox"));
    rules.push(rule(
        "outbox",
        "spent_events",
        "SELECT 'outbox ' || revision || ' ' || ordinal AS place, 'it is there, and marked as gone' AS problem \
         FROM outbox JOIN spent_events USING (revision, ordinal)"
            .to_owned(),
    ));
}

fn newest(table: &str, place: &str, check: &'static str, last: Revision) -> Probe {
    let problem = format!("'it has revision ' || revision || ', and the last commit is {}'", last.0);
    let sql = format!("SELECT {place} AS place, {problem} AS problem FROM {table} WHERE revision > {}", last.0);
    rule(check, table, sql)
}

/// Every commit was audited.
fn unaudited(table: &str, check: &'static str) -> Probe {
    let sql = format!(
        "SELECT '{table} ' || revision AS place, 'the commit has no audit row' AS problem FROM \
         (SELECT revision FROM {table} EXCEPT SELECT revision FROM audit) AS unaudited"
    );
    rule(check, table, sql)
}
