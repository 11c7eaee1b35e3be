//! The tables of limits in docs/security.md name each setting of `[limits]`, `[patterns]` and `[sessions]`, with its default and a reason, and
//! fixed limits as the program has them.

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

/// The constants that rows of the table of fixed limits speak of: the row, how it begins to say the number, and the constant.
const FIXED: [(&str, &str, &str); 56] = [
    ("elements of all lists and maps of a request", "20,000", "ELEMENTS: u32 = 20_000;"),
    ("fields of a request, repeated and unknown ones included", "60,000", "FIELDS: u32 = 3 * ELEMENTS;"),
    ("items of a list of v1, which has no pages", "10,000", "WHOLE_ITEMS: u64 = 10_000;"),
    ("streams of one address that watch health or ask for reflection", "16", "WATCHES: usize = 16;"),
    ("refusals of one address that are not sent yet", "64", "REFUSALS: usize = 64;"),
    ("health answers on one connection", "8", "HEALTH: usize = 8;"),
    ("connections to the listener of metrics", "64", "OPERATIONS: usize = 64;"),
    ("window of a stream over HTTP/2", "256 KiB", "STREAM_WINDOW: u32 = 256 << 10;"),
    ("windows of all streams of a connection over HTTP/2", "512 KiB", "CONNECTION_WINDOW: u32 = 512 << 10;"),
    ("writes that wait for the writer", "1,024", "QUEUE: usize = 1024;"),
    ("time on the writer without the database", "50 ms", "BUSY: Duration = Duration::from_millis(50);"),
    ("steps of matching the patterns of an identity against a token", "50,000,000", "MATCHING: u64 = 50_000_000;"),
    ("age of a request that an AWS principal has signed", "15 min", "LIFETIME: i64 = 15 * 60;"),
    ("headers of such a request", "32", "MAX_HEADERS: usize = 32;"),
    ("an answer of AWS", "64 KiB", "MAX_ANSWER: usize = 64 * 1024;"),
    ("time for which a refresh token that was replaced is taken once more", "60 s", "GRACE_SECONDS: i64 = 60;"),
    ("time that a login waits for its session", "2 s", "START: Duration = Duration::from_secs(2);"),
    ("steps of matching where requests are answered", "2,000,000", "AT_ONCE: u64 = 2_000_000;"),
    (
        "mappings of outside groups of an identity provider",
        "1,000",
        "for ExternalGroupRoleMapping {\n    const MOST: u64 = 1_000;",
    ),
    ("mappings of outside groups in a batch", "100", "BATCH_MAX: usize = 100;"),
    ("invites of a group", "500", "for GroupInvite {\n    const MOST: u64 = 500;"),
    ("access requests of an organization", "1,000", "for AccessRequest {\n    const MOST: u64 = 1_000;"),
    ("overlay bindings of a repository", "100", "for OverlayBinding {\n    const MOST: u64 = 100;"),
    ("events of an advisory", "100", "MAX_EVENTS: usize = 100;"),
    ("bytes of the events of an advisory", "64 KiB", "MAX_BYTES: usize = 64 << 10;"),
    ("aliases of an advisory", "50", "MAX_ALIASES: usize = 50;"),
    ("values of a filter of advisories", "100", "VALUES: usize = 100;"),
    ("advisories, or vulnerabilities, that go with their group", "5,000", "GO_TOGETHER: u64 = 5_000;"),
    ("a document that is imported", "512 KiB", "LONGEST: usize = 512 << 10;"),
    ("advisories of a document", "200", "PARTS: usize = 200;"),
    ("documents that are appended in a call", "100", "DOCUMENTS: usize = 100;"),
    ("advisories that a call writes before it takes no further document", "50", "ADVISORIES: usize = 50;"),
    ("imports that a group keeps", "10", "KEPT: i64 = 10;"),
    ("rejected documents that an import keeps", "500", "REJECTIONS: i64 = 500;"),
    ("what an archive unpacks to", "1 GiB", "UNPACKED: u64 = 1 << 30;"),
    ("entries of an archive or folder that is imported", "200,000", "ENTRIES: usize = 200_000;"),
    ("records, or statements, of a feed", "1,000,000", "RECORDS: u64 = 1_000_000;"),
    ("an archive of a feed", "2 GiB", "BYTES: u64 = 2 << 30;"),
    ("feeds that are kept", "256", "FEEDS: usize = 256;"),
    ("feeds that are made at once", "2", "AT_ONCE: usize = 2;"),
    ("time to make feeds of an organization", "30 s", "BURST: Duration = Duration::from_secs(30);"),
    ("requests of an organization that wait for a feed", "64", "WAITING: usize = 64;"),
    ("questions in a batch", "1,000", "QUESTIONS: usize = 1_000;"),
    ("advisories that are looked at for questions of a request", "1,000", "LOOKED_AT: usize = 1_000;"),
    ("the body of a question", "256 KiB", "BODY: usize = 256 << 10;"),
    ("published advisories in one answer", "2,000", "MOST: u64 = 2_000;"),
    ("bytes of a readme", "65,536", "MAX_LEN: usize = 64 * 1024;"),
    (
        "users that an identity looks for in a minute, by rehearsed or refused bindings, or by asking",
        "120",
        "USERS_PER_MINUTE: u32 = 120;",
    ),
    ("a certificate or its key", "1 MiB", "LONGEST: u64 = 1 << 20;"),
    ("groups of an organization that are public by themselves", "100", "PUBLIC_GROUPS: u64 = 100;"),
    ("subscriptions of a group", "100", "for Subscription {\n    const MOST: u64 = 100;"),
    ("custom claims, and as many patterns, of an identity", "32", "MAX_CLAIMS: usize = 32;"),
    ("tries of an update whose resource others change", "20", "TRIES: usize = 20;"),
    ("a transaction on PostgreSQL that does nothing", "3 s", "SET idle_in_transaction_session_timeout = '3s';"),
    ("an error over gRPC", "8 KiB", "GRPC: usize = 8 << 10;"),
    ("an error as JSON", "64 KiB", "JSON: usize = 64 << 10;"),
];

/// The sources that have them.
const SOURCES: [&str; 37] = [
    include_str!("../../../../api/src/list.rs"),
    include_str!("../../../src/documents.rs"),
    include_str!("../../../../contract/src/bounds/mod.rs"),
    include_str!("../../../../api/src/feeds/osv.rs"),
    include_str!("../../../../formats/src/archive.rs"),
    include_str!("../../../../formats/src/lib.rs"),
    include_str!("../../../../gateway/src/budget/load.rs"),
    include_str!("../../../../gateway/src/server/accept.rs"),
    include_str!("../../../../gateway/src/server/connection.rs"),
    include_str!("../../../../gateway/src/status/room.rs"),
    include_str!("../../../../domain/src/registry/readme.rs"),
    include_str!("../../../../services/src/events/subscriptions.rs"),
    include_str!("../../../../services/src/iam/external_group_role_mappings/batch_delete.rs"),
    include_str!("../../../../services/src/iam/external_group_role_mappings.rs"),
    include_str!("../../../../services/src/iam/access_requests.rs"),
    include_str!("../../../../services/src/iam/group_invites.rs"),
    include_str!("../../../../services/src/iam/lookups.rs"),
    include_str!("../../../../services/src/registry/overlay_bindings.rs"),
    include_str!("../../../../services/src/registry/visibility.rs"),
    include_str!("../../../../services/src/update.rs"),
    include_str!("../../../../services/src/vulnerabilities/advisories/rules.rs"),
    include_str!("../../../../services/src/vulnerabilities/feeds/kept.rs"),
    include_str!("../../../../services/src/vulnerabilities/feeds/osv.rs"),
    include_str!("../../../../services/src/vulnerabilities/feeds/query.rs"),
    include_str!("../../../../services/src/vulnerabilities/feeds/turns.rs"),
    include_str!("../../../../services/src/vulnerabilities/imports/append.rs"),
    include_str!("../../../../services/src/vulnerabilities/publications.rs"),
    include_str!("../../../../store/src/vulnerabilities.rs"),
    include_str!("../../../../store/src/vulnerabilities/imports.rs"),
    include_str!("../../../../database/src/postgres/connector.rs"),
    include_str!("../../../../database/src/queue.rs"),
    include_str!("../../../../server/src/tls.rs"),
    include_str!("../../../../sts/src/aws/caller.rs"),
    include_str!("../../../../sts/src/aws/request.rs"),
    include_str!("../../../../sts/src/claims/text.rs"),
    include_str!("../../../../sts/src/exchange/compiled.rs"),
    include_str!("../../../../sts/src/sessions.rs"),
];

/// Name and number of each row of the section's table.
fn rows(heading: &str) -> BTreeMap<String, String> {
    let page = include_str!("../../../../../docs/security.md");
    let (_, text) = page.split_once(heading).expect("the section");
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
    for section in ["limits", "patterns", "sessions"] {
        assert_eq!(rows(&format!("### `[{section}]`")), settings(section), "[{section}]");
    }
}

#[test]
fn fixed_ones_are_those_of_the_program() {
    let rows = rows("## Limits that are fixed");
    for (row, number, constant) in FIXED {
        assert!(rows.get(row).is_some_and(|cell| cell.starts_with(number)), "{row}: {:?}, not {number}", rows.get(row));
        assert!(SOURCES.iter().any(|source| source.contains(constant)), "{row}: {constant} is not in the program any more");
    }
}
