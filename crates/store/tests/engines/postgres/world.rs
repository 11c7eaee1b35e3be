//! A database with many rows, unevenly spread, written by SQL: two organizations, a large folder, many small ones with folders of
//! their own, names and times that many rows share.

use domain::Uidp;

use super::kit;

/// Rows of the large folder.
pub(crate) const LARGE: u32 = 20_000;
/// Small folders of the first organization.
pub(crate) const SMALL: u64 = 200;

/// Where the rows are.
pub(crate) struct World {
    pub(crate) org: Uidp,
    pub(crate) other: Uidp,
    pub(crate) large: Uidp,
    pub(crate) small: Vec<Uidp>,
}

/// Fills a database that has one row of each noun: those of `kit::bound`, and a repository.
pub(crate) fn fill(database: &pgcluster::Database) -> World {
    let (org, other) = (kit::root(101), kit::root(102));
    let large = kit::child(&org, 500);
    let small: Vec<_> = (1..=SMALL).map(|n| kit::child(&org, n)).collect();
    // The uid of a child by its number, as in `kit::child`.
    let child = |parent: &str, n: &str| format!("{parent} || '/' || lpad(to_hex({n}), 16, '0')");
    let folders = format!(
        "SELECT '{org}' AS uid, '/' AS parent, 0 AS n UNION ALL SELECT '{other}', '/', 1 \
         UNION ALL SELECT '{large}', '{org}', 2 \
         UNION ALL SELECT {small}, '{org}', n FROM generate_series(1, {SMALL}) n \
         UNION ALL SELECT {other_small}, '{other}', n FROM generate_series(1, 20) n \
         UNION ALL SELECT {deep}, {small}, n FROM generate_series(1, 50) n",
        small = child(&format!("'{org}'"), "n"),
        other_small = child(&format!("'{other}'"), "n"),
        deep = child(&child(&format!("'{org}'"), "n"), "9999"),
    );
    let times = "1700000000000 + n % 1000, 1700000000000, 1";
    let name = |word: &str| format!("'{word}' || (n * 7919::bigint % 10007)");
    let statements = [
        format!(
            "INSERT INTO groups SELECT f.uid, f.parent, left(f.uid, 40), {}, description, verified, kind, status, {times} \
             FROM ({folders}) f, (SELECT description, verified, kind, status FROM groups LIMIT 1) one",
            name("folder")
        ),
        format!(
            "INSERT INTO repos SELECT {uid}, parent, left(parent, 40), {name} || '-' || n, description, catalog_tier, bundles, aliases, \
               active_tags, sync_config, custom_overlay, {times} \
             FROM (SELECT description, catalog_tier, bundles, aliases, active_tags, sync_config, custom_overlay FROM repos LIMIT 1) one, (SELECT '{large}' AS parent, n FROM generate_series(1, {LARGE}) n \
                   UNION ALL SELECT uid, n FROM groups, generate_series(20001, 20030) n WHERE parent <> '/' AND uid <> '{large}') p",
            uid = child("parent", "n"),
            name = name("repo"),
        ),
        format!(
            "INSERT INTO roles SELECT {uid}, '{org}', '{org}', {name}, description, capabilities, {times} \
             FROM (SELECT description, capabilities FROM roles LIMIT 1) one, generate_series(30001, 30300) n",
            uid = child(&format!("'{org}'"), "n"),
            name = name("role"),
        ),
        format!(
            "INSERT INTO identities SELECT {uid}, uid, left(uid, 40), {name}, description, company, email, email_unverified, \
               relationship_type, relationship, 1, 0, {times} \
             FROM (SELECT description, company, email, email_unverified, relationship_type, relationship FROM identities LIMIT 1) one, \
               (SELECT uid FROM groups) g, generate_series(40001, 40020) n",
            uid = child("uid", "n"),
            name = name("robot"),
        ),
        format!(
            "INSERT INTO role_bindings SELECT {uid}, i.parent, left(i.uid, 40), i.uid, r.uid, {times} \
             FROM (SELECT uid, parent, 50000 + row_number() OVER (ORDER BY uid) AS n FROM identities) i \
             JOIN (SELECT uid, row_number() OVER (ORDER BY uid) AS m FROM roles) r ON r.m = i.n % 300 + 1",
            uid = child("i.parent", "n"),
        ),
        "TRUNCATE counts".to_owned(),
        counts(),
        "INSERT INTO changes (revision, ordinal, noun, uid, op, from_name, from_created_at, to_name, to_created_at) \
         SELECT n, 0, 'repo', 'x', 'updated', 'a', 0, 'a', 0 FROM generate_series(1000, 30000) n"
            .to_owned(),
        "UPDATE revision SET n = 30000".to_owned(),
    ];
    for statement in statements {
        database.sql(&statement);
    }
    database.sql("VACUUM ANALYZE");
    World { org, other, large, small }
}

/// The counters of all rows.
pub(crate) fn counts() -> String {
    let nouns = [
        ("group", "groups"),
        ("identity", "identities"),
        ("role", "roles"),
        ("role_binding", "role_bindings"),
        ("repo", "repos"),
        ("tag", "tags"),
        ("group_invite", "group_invites"),
        ("subscription", "subscriptions"),
    ];
    let rows: Vec<_> = nouns.iter().map(|(noun, table)| format!("SELECT '{noun}' AS noun, uid, parent FROM {table}")).collect();
    format!(
        "INSERT INTO counts (prefix, noun, n, children) \
         SELECT prefix, noun, count(*), count(*) FILTER (WHERE prefix = parent) FROM \
         (SELECT '/' AS prefix, noun, parent FROM ({rows}) a UNION ALL \
          SELECT left(uid, l), noun, parent FROM ({rows}) b, generate_series(40, length(uid), 17) l \
          WHERE l < length(uid) OR noun = 'group') c GROUP BY 1, 2",
        rows = rows.join(" UNION ALL ")
    )
}
