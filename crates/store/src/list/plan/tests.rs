//! Filters at a place, as SQLite means to walk through their indexes. It takes the index that it is told to, so no number of rows
//! changes that.

use domain::{
    Order, Timestamp, Uidp,
    events::Subscription,
    iam::RoleBinding,
    registry::Tag,
    vulnerabilities::{Advisory, EventType},
};

use super::{super::keys::Keys, *};
use crate::{
    StoreConfig, events::subscriptions::SubscriptionFilter, iam::role_bindings::RoleBindingFilter, list::Filter,
    registry::tags::TagFilter, still::open, table::Entity, vulnerabilities::advisories::AdvisoryFilter,
};

/// The statements of a page and of its total in every order, each with its plan.
async fn plans<E: Entity>(reader: &mut Reader, stream: &Stream, filter: &impl Filter) -> Vec<String> {
    let mut plans = Vec::new();
    for field in [OrderField::Uid, OrderField::CreatedAt] {
        let order = Order { field, descending: false };
        let keys = Keys::new(E::declared(), order, None, filter.terms());
        let plan = plan(keys.declared, reader, stream, field, &keys.terms, 20).await.expect("a plan");
        for columns in ["uid", "count(*)"] {
            let mut sql = keys.select(reader, columns, plan);
            keys.conditions(&mut sql, stream, plan);
            if columns == "uid" {
                keys.order_and_limit(&mut sql, plan, 20, 0);
            }
            let explain = format!("EXPLAIN QUERY PLAN {}", sql.text);
            let lines = reader.query_map(&explain, &sql.params, |row| row.string(3)).await.expect("is explained");
            plans.push(lines.join("\n"));
        }
    }
    plans
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn filters_begin_and_end_where_their_place_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&StoreConfig::sqlite(folder.path())).await;
    let mut reader = store.reader().await.expect("reads");
    let place = Uidp::root_from([1; 20]).child([1; 8]);
    let since = TagFilter { updated_since: Some(Timestamp(1)), ..TagFilter::default() };
    let digest = TagFilter { digest: Some("a".to_owned()), ..TagFilter::default() };
    for stream in [Stream::Children(place.clone()), Stream::Below(place.clone()), Stream::ProperlyBelow(place.clone())] {
        for plan in plans::<Tag>(&mut reader, &stream, &digest).await {
            assert!(plan.contains("tags_digest (digest=? AND uid>? AND uid<?)"), "{stream:?}: {plan}");
        }
        for plan in plans::<Tag>(&mut reader, &stream, &since).await {
            assert!(plan.contains("tags_org_updated_at (org=? AND updated_at>?)"), "{stream:?}: {plan}");
        }
        let role = RoleBindingFilter { role: Some(place.clone()), ..RoleBindingFilter::default() };
        for plan in plans::<RoleBinding>(&mut reader, &stream, &role).await {
            assert!(plan.contains("role_bindings_role (role=? AND <expr>>? AND <expr><?)"), "{stream:?}: {plan}");
        }
    }
    drop(reader);
    store.close().await;
}

/// Of several values each is walked from where the place begins; words find rows one by one, whatever else narrows the list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_and_words_are_walked_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&StoreConfig::sqlite(folder.path())).await;
    let mut reader = store.reader().await.expect("reads");
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let names = AdvisoryFilter {
        artifact_names: texts(&["a", "b"]),
        latest_event_type: Some(EventType::Fixed),
        ..AdvisoryFilter::default()
    };
    let words =
        AdvisoryFilter { aliases: texts(&["CVE-1", "CVE-2"]), artifact_names: texts(&["a"]), ..AdvisoryFilter::default() };
    let ids = AdvisoryFilter { advisory_ids: texts(&["x"]), aliases: texts(&["CVE-1"]), ..AdvisoryFilter::default() };
    let place = Uidp::root_from([1; 20]).child([1; 8]);
    for stream in [Stream::Children(place.clone()), Stream::Below(place.clone()), Stream::ProperlyBelow(place)] {
        for plan in plans::<Advisory>(&mut reader, &stream, &names).await {
            assert!(plan.contains("advisories_artifact_name (artifact_name=? AND uid>? AND uid<?)"), "{stream:?}: {plan}");
        }
        for plan in plans::<Advisory>(&mut reader, &stream, &words).await {
            assert!(plan.contains("sqlite_autoindex_advisories_1 (uid=?)"), "{stream:?}: {plan}");
            assert!(plan.contains("(kind=? AND word=?)"), "{stream:?}: {plan}");
        }
        for plan in plans::<Advisory>(&mut reader, &stream, &ids).await {
            assert!(plan.contains("advisories_advisory_id_key (advisory_id=?)"), "{stream:?}: {plan}");
        }
    }
    drop(reader);
    store.close().await;
}

/// Of a noun that has two indexes: what begins where its place does is walked, and what is not in order is sorted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_indexes_serve_every_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&StoreConfig::sqlite(folder.path())).await;
    let mut reader = store.reader().await.expect("reads");
    let org = Uidp::root_from([1; 20]);
    let (by_parent, by_time) = ("subscriptions_parent (parent=?", "subscriptions_org_created_at (org=?)");
    let by_uid = "sqlite_autoindex_subscriptions_1";
    let sorted = "USE TEMP B-TREE FOR ORDER BY";
    for (stream, [in_order, as_made], sorts) in [
        (Stream::Children(org.clone()), [by_parent, by_parent], true),
        (Stream::Roots, [by_parent, by_parent], true),
        (Stream::Below(org.clone()), [by_uid, by_time], false),
        (Stream::Below(org.child([1; 8])), [by_uid, by_uid], true),
        (Stream::All, [by_uid, by_uid], true),
    ] {
        let plans = plans::<Subscription>(&mut reader, &stream, &SubscriptionFilter).await;
        let [page, total, made, _] = &plans[..] else { panic!("{plans:?}") };
        for (plan, index) in [(page, in_order), (total, in_order), (made, as_made)] {
            assert!(plan.contains(index), "{stream:?}: {plan}");
        }
        assert_eq!((page.contains(sorted), made.contains(sorted)), (false, sorts), "{stream:?}: {page}, {made}");
    }
    drop(reader);
    store.close().await;
}
