//! Advisories: what finds them, in which orders, and what goes with them.

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    OrderField, Rule, Scopes, Timestamp, Uidp, UidpFilter,
    iam::Group,
    list::ParentFilter,
    vulnerabilities::{Advisory, Detection, EventKind, EventType, ReviewState, Severity, SeveritySystem},
};
use store::{
    ListQuery, Store, rows,
    vulnerabilities::{
        GO_TOGETHER,
        advisories::{self, ALIASES, AdvisoryFilter, UPDATED_AT, WITHDRAWN_AT},
        known,
    },
};

use super::{Engine, kit};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The last numbers of the identifiers that a query finds, in its order, page by page.
async fn numbers(store: &Store, mut query: ListQuery<AdvisoryFilter>) -> Vec<u64> {
    query.page_size = 2;
    let mut found = Vec::new();
    loop {
        let mut reader = store.reader().await.expect("reads");
        let page = rows::list(&mut reader, &query).await.expect("lists");
        let number = |row: &Advisory| u64::from_str_radix(&row.uid.as_str()[row.uid.as_str().len() - 16..], 16).expect("hex");
        found.extend(page.items.iter().map(number));
        query.cursor = page.next;
        if query.cursor.is_none() {
            assert_eq!(page.total, found.len() as u64, "{query:?}");
            return found;
        }
    }
}

pub(crate) async fn advisories_are_kept_with_their_events(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let made = kit::add(&store, kit::advisory(kit::child(&org.uid, 1), "openssl")).await;
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::get::<Advisory>(&mut reader, &made.uid).await.expect("reads"), Some(made.clone()));
    drop(reader);
    let mut wish = made.clone();
    wish.withdrawn_at = Some(kit::NOW);
    wish.spec.component_name = None;
    wish.events.push(kit::advisory_event(&made.uid, 2, EventKind::Detection(Detection::Manual), ReviewState::Pending));
    let from = made.clone();
    let changed = kit::write(&store, |tx| Box::pin(async move { rows::update(tx, &from, &wish).await })).await.expect("changes");
    assert_eq!((changed.events.len(), changed.withdrawn_at), (2, Some(kit::NOW)));
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::get::<Advisory>(&mut reader, &made.uid).await.expect("reads"), Some(changed));
}

/// Four advisories that differ in everything that filters ask for.
async fn four(store: &Store, org: &Group) -> Vec<Advisory> {
    let names = ["openssl", "zlib", "curl", "zlib"];
    let mut all = Vec::new();
    for (n, name) in (1..).zip(names) {
        let mut row = kit::advisory(kit::child(&org.uid, n), name);
        row.spec.artifact_type = format!("type{n}");
        row.spec.artifact_architecture = format!("arch{n}");
        row.spec.component_name = (n != 4).then(|| format!("Component{n}"));
        row.spec.component_type = Some(format!("kind{n}"));
        row.spec.component_location = Some(format!("usr/lib/{n}"));
        row.spec.aliases = texts(&[&format!("CVE-2024-000{n}"), "GHSA-shared"]);
        row.spec.legacy_id = Some(format!("OLD-{n}"));
        let fixed = row.events.remove(0);
        let reviews = [ReviewState::Approved, ReviewState::Pending, ReviewState::RequestChanges, ReviewState::Rejected];
        let review = reviews[usize::try_from(n).expect("small") - 1];
        let author = format!("author{n}");
        let mut found = kit::advisory_event(&row.uid, 1, EventKind::Detection(Detection::Manual), ReviewState::Approved);
        found.author = author;
        let mut last = fixed;
        (last.uid, last.at, last.review) = (kit::child(&row.uid, 2), kit::NOW.plus_seconds(2), review);
        last.reviewer = format!("reviewer{n}");
        row.events = vec![found, last];
        row.withdrawn_at = (n == 2).then_some(kit::NOW);
        all.push(kit::add(store, row).await);
    }
    all
}

/// Each filter alone, and which of the four it finds.
fn filters(all: &[Advisory]) -> Vec<(AdvisoryFilter, Vec<u64>)> {
    let none = AdvisoryFilter::default;
    let id = |n: usize| all[n - 1].public_id().to_string();
    let both = EventType::Detection.bit() | EventType::Patched.bit();
    vec![
        (none(), vec![1, 2, 3, 4]),
        (AdvisoryFilter { advisory_ids: vec![id(3)], ..none() }, vec![3]),
        (AdvisoryFilter { advisory_ids: vec![id(4), id(1), "CGA-none".to_owned()], ..none() }, vec![1, 4]),
        (AdvisoryFilter { legacy_ids: texts(&["OLD-2", "OLD-4"]), ..none() }, vec![2, 4]),
        (AdvisoryFilter { aliases: texts(&["GHSA-shared"]), ..none() }, vec![1, 2, 3, 4]),
        (AdvisoryFilter { aliases: texts(&["CVE-2024-0003", "CVE-2024-0001"]), ..none() }, vec![1, 3]),
        (AdvisoryFilter { artifact_names: texts(&["zlib"]), ..none() }, vec![2, 4]),
        (AdvisoryFilter { artifact_names: texts(&["zlib", "openssl", "none"]), ..none() }, vec![1, 2, 4]),
        (AdvisoryFilter { artifact_types: texts(&["type1", "type4"]), ..none() }, vec![1, 4]),
        (AdvisoryFilter { artifact_architectures: texts(&["arch2"]), ..none() }, vec![2]),
        (AdvisoryFilter { component_names: texts(&["Component1", "Component3"]), ..none() }, vec![1, 3]),
        (AdvisoryFilter { component_types: texts(&["kind4"]), ..none() }, vec![4]),
        (AdvisoryFilter { component_locations: texts(&["usr/lib/3"]), ..none() }, vec![3]),
        (AdvisoryFilter { event_authors: texts(&["author2", "scanner"]), ..none() }, vec![1, 2, 3, 4]),
        (AdvisoryFilter { event_authors: texts(&["author2"]), ..none() }, vec![2]),
        (AdvisoryFilter { not_event_authors: texts(&["author2", "author3"]), ..none() }, vec![1, 4]),
        (AdvisoryFilter { event_reviewers: texts(&["reviewer4"]), ..none() }, vec![4]),
        (AdvisoryFilter { event_types: both, ..none() }, vec![1, 2, 3, 4]),
        (AdvisoryFilter { event_types: EventType::Patched.bit(), ..none() }, vec![]),
        (AdvisoryFilter { review_states: ReviewState::Pending.bit() | ReviewState::Rejected.bit(), ..none() }, vec![2, 4]),
        (AdvisoryFilter { latest_event_type: Some(EventType::Fixed), ..none() }, vec![1]),
        (AdvisoryFilter { latest_event_type: Some(EventType::Detection), ..none() }, vec![2, 3, 4]),
        (AdvisoryFilter { query: "OPENss".to_owned(), ..none() }, vec![1]),
        (AdvisoryFilter { query: "component".to_owned(), ..none() }, vec![1, 2, 3]),
        (AdvisoryFilter { query: "cve-2024-000".to_owned(), ..none() }, vec![1, 2, 3, 4]),
        (AdvisoryFilter { query: "100%_'".to_owned(), ..none() }, vec![]),
        (AdvisoryFilter { published: true, ..none() }, vec![1, 3, 4]),
        (
            AdvisoryFilter {
                aliases: texts(&["GHSA-shared"]),
                artifact_names: texts(&["zlib", "curl"]),
                latest_event_type: Some(EventType::Detection),
                not_event_authors: texts(&["author4"]),
                ..none()
            },
            vec![2, 3],
        ),
    ]
}

pub(crate) async fn every_filter_finds_what_it_names(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let all = four(&store, &org).await;
    for (filter, expected) in filters(&all) {
        assert_eq!(numbers(&store, kit::everything(filter.clone())).await, expected, "{filter:?}");
    }
}

/// The same whatever part of the tree is asked for, in every order, and beside others that have the same.
pub(crate) async fn filters_of_advisories_find_the_same_in_every_way(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (org, other) = (kit::org(&store, 1).await, kit::org(&store, 2).await);
    let all = four(&store, &org).await;
    four(&store, &other).await;
    let parts = [
        UidpFilter { children_of: Some(ParentFilter::At(org.uid.clone())), ..UidpFilter::default() },
        UidpFilter { descendants_of: Some(org.uid.clone()), ..UidpFilter::default() },
        UidpFilter { ids: all.iter().map(|row| row.uid.clone()).collect(), ..UidpFilter::default() },
    ];
    let fields = [OrderField::Uid, OrderField::CreatedAt, OrderField::Own(UPDATED_AT), OrderField::Own(WITHDRAWN_AT)];
    for (filter, expected) in filters(&all) {
        for uidp in &parts {
            for field in fields {
                let mut query = ListQuery { uidp: uidp.clone(), ..kit::everything(filter.clone()) };
                query.order.field = field;
                let mut found = numbers(&store, query.clone()).await;
                found.sort_unstable();
                assert_eq!(found, expected, "{query:?}");
            }
        }
        let scopes = Arc::new(Scopes::Subtrees(vec![org.uid.clone()]));
        let query = ListQuery { scopes, ..kit::everything(filter) };
        assert_eq!(numbers(&store, query).await, expected);
    }
}

pub(crate) async fn advisories_have_orders_of_their_own(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    for (n, aliases, updated_at, withdrawn_at) in [
        (1, &["CVE-3"][..], 30, None),
        (2, &["CVE-1", "GHSA-1"], 10, Some(7)),
        (3, &[], 20, Some(3)),
        (4, &["CVE-1"], 10, None),
        (5, &["CVE-2"], 40, None),
    ] {
        let mut row = kit::advisory(kit::child(&org.uid, n), "a");
        row.spec.aliases = texts(aliases);
        row.updated_at = Timestamp(updated_at);
        row.withdrawn_at = withdrawn_at.map(Timestamp);
        kit::add(&store, row).await;
    }
    let places = [
        UidpFilter::default(),
        UidpFilter { children_of: Some(ParentFilter::At(org.uid.clone())), ..UidpFilter::default() },
        UidpFilter { descendants_of: Some(org.uid.clone()), ..UidpFilter::default() },
    ];
    for (column, expected) in [(UPDATED_AT, [2, 4, 3, 1, 5]), (WITHDRAWN_AT, [1, 4, 5, 3, 2]), (ALIASES, [2, 4, 5, 1, 3])] {
        for uidp in &places {
            let mut query = ListQuery { uidp: uidp.clone(), ..kit::everything(AdvisoryFilter::default()) };
            query.order.field = OrderField::Own(column);
            assert_eq!(numbers(&store, query.clone()).await, expected, "{column}");
            query.order.descending = true;
            let mut backwards = expected;
            backwards.reverse();
            assert_eq!(numbers(&store, query).await, backwards, "{column}");
        }
    }
    let mut query = kit::everything(AdvisoryFilter::default());
    query.order.field = OrderField::Name;
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::list(&mut reader, &query).await.expect_err("is refused").rule(), Rule::OrderBy);
}

pub(crate) async fn words_follow_their_advisory(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let made = kit::add(&store, kit::advisory(kit::child(&org.uid, 1), "openssl")).await;
    let by = |alias: &str, author: &str| AdvisoryFilter {
        aliases: texts(&[alias]),
        event_authors: texts(&[author]),
        ..AdvisoryFilter::default()
    };
    assert_eq!(numbers(&store, kit::everything(by("CVE-2024-0001", "scanner"))).await, [1]);
    let mut wish = made.clone();
    wish.spec.aliases = texts(&["CVE-2024-0002", "GHSA-aaaa-bbbb-cccc"]);
    "ben".clone_into(&mut wish.events[0].author);
    kit::write(&store, |tx| Box::pin(async move { rows::update(tx, &made, &wish).await })).await.expect("changes");
    assert!(numbers(&store, kit::everything(by("CVE-2024-0001", "scanner"))).await.is_empty());
    assert_eq!(numbers(&store, kit::everything(by("CVE-2024-0002", "ben"))).await, [1]);
    assert_eq!(numbers(&store, kit::everything(by("GHSA-aaaa-bbbb-cccc", "ben"))).await, [1]);
    let gone = kit::child(&org.uid, 1);
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Advisory>(tx, &gone).await })).await.expect("goes"));
    // The same identifier again, with the same words: none of the old ones are left.
    kit::add(&store, kit::advisory(kit::child(&org.uid, 1), "openssl")).await;
}

pub(crate) async fn advisories_go_with_their_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await.uid;
    kit::add(&store, kit::advisory(kit::child(&org, 1), "openssl")).await;
    kit::add(&store, kit::vulnerability(kit::child(&org, 2), "CVE-2024-0001")).await;
    let group = org.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &group).await })).await.expect("goes"));
    assert!(numbers(&store, kit::everything(AdvisoryFilter::default())).await.is_empty());

    let org = kit::org(&store, 2).await;
    let many = org.clone();
    let fill = kit::write(&store, |tx| {
        Box::pin(async move {
            for n in 0..=GO_TOGETHER {
                rows::insert_in(tx, &many, &kit::vulnerability(kit::child(&many.uid, n), &format!("CVE-{n}"))).await?;
            }
            Ok(())
        })
    });
    fill.await.expect("fills");
    let group = org.uid.clone();
    let kept = kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &group).await })).await;
    assert_eq!(kept.expect_err("is refused").rule(), Rule::NotEmpty);
}

pub(crate) async fn vulnerabilities_tell_how_bad_they_are(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (org, other) = (kit::org(&store, 1).await.uid, kit::org(&store, 2).await.uid);
    let rated = |mut row: domain::vulnerabilities::Vulnerability, system, score: &str| {
        row.spec.severities.push(Severity { system, score: score.to_owned() });
        row
    };
    kit::add(&store, kit::vulnerability(kit::child(&org, 1), "CVE-2024-0001")).await;
    let ghsa = kit::vulnerability(kit::child(&org, 2), "GHSA-aaaa-bbbb-cccc");
    kit::add(&store, rated(ghsa, SeveritySystem::CvssV4, "CVSS:4.0/x")).await;
    kit::add(&store, rated(kit::vulnerability(kit::child(&other, 1), "CVE-2024-0001"), SeveritySystem::CvssV2, "elsewhere"))
        .await;
    let made = kit::add(&store, kit::advisory(kit::child(&org, 3), "openssl")).await;
    let mut reader = store.reader().await.expect("reads");
    let view = advisories::get_view(&mut reader, &made.uid).await.expect("reads").expect("is there");
    let systems: Vec<_> = view.severities.iter().map(|severity| severity.system).collect();
    assert_eq!(systems, [SeveritySystem::CvssV3, SeveritySystem::CvssV4], "each once, and those of no other organization");
    let listed = advisories::list_views(&mut reader, &kit::everything(AdvisoryFilter::default())).await.expect("lists");
    assert_eq!(listed.items, [view]);
    let unknown = known::severities(&mut reader, &org, &BTreeSet::from(["CVE-none".to_owned()])).await.expect("reads");
    assert!(unknown.is_empty());
    drop(reader);
    let twin = kit::vulnerability(kit::child(&org, 4), "CVE-2024-0001");
    let refused = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &twin).await })).await;
    assert_eq!(refused.expect_err("is refused").rule(), Rule::NameTaken);
}

pub(crate) async fn what_is_fixed_is_found_by_its_artifact(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 99), "folder")).await.uid;
    let above = kit::add(&store, kit::advisory(kit::child(&org.uid, 1), "nginx")).await;
    let own = kit::add(&store, kit::advisory(kit::child(&folder, 1), "nginx")).await;
    kit::add(&store, kit::advisory(kit::child(&org.uid, 2), "curl")).await;
    let mut withdrawn = kit::advisory(kit::child(&org.uid, 3), "nginx");
    withdrawn.withdrawn_at = Some(kit::NOW);
    kit::add(&store, withdrawn).await;
    let mut open = kit::advisory(kit::child(&org.uid, 4), "nginx");
    let reopened = EventKind::TruePositiveDetermination { note: String::new() };
    open.events.push(kit::advisory_event(&open.uid, 5, reopened, ReviewState::Approved));
    kit::add(&store, open).await;
    let fixed = async |groups: &[Uidp], most| {
        let mut reader = store.reader().await.expect("reads");
        let fixed = advisories::fixed(&mut reader, groups, "nginx", most).await.expect("reads");
        fixed.into_iter().map(|one| (one.advisory, one.fixed_at)).collect::<Vec<_>>()
    };
    let at = kit::NOW.plus_seconds(1);
    assert_eq!(fixed(std::slice::from_ref(&org.uid), 9).await, [(above.uid.clone(), at)]);
    assert_eq!(fixed(&[folder, org.uid.clone()], 9).await, [(above.uid, at), (own.uid, at)]);
    assert_eq!(fixed(&[org.uid], 0).await, []);
}
