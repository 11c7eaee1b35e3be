//! What is there: what the lists say, and what lies behind them.

use std::{collections::BTreeSet, sync::Arc};

use client::Client;
use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        ListGroupsRequest, ListIdentitiesRequest, ListRoleBindingsRequest,
        rpc::{ListGroups, ListIdentities, ListRoleBindings},
    },
    registry::v2beta1::{
        ListReposRequest, ListTagsRequest,
        rpc::{ListRepos, ListTags},
    },
};
use domain::{Noun, Op, Revision};
use server::{SystemClock, SystemEntropy};
use store::{
    Store, StoreConfig, audit, changes,
    check::{Means, check},
};

use crate::rows::{self, Rows};

/// The largest page.
const PAGE: i32 = 200;

/// Everything that is listed in the organization, which is what lies behind the API.
pub(crate) async fn everything(client: &Client, organization: &str, behind: &BTreeSet<String>) -> Rows {
    let found = listed(client, organization).await;
    // What has no parent belongs to no organization, but for the organization itself.
    assert!(found.keys().filter(|uid| uid.contains('/')).eq(behind), "the lists and the feed agree");
    found
}

/// Everything that is listed in the organization. The kept totals equal what is there.
pub(crate) async fn listed(client: &Client, organization: &str) -> Rows {
    let below = || Some(UidpFilter { descendants_of: organization.to_owned(), ..UidpFilter::default() });
    let groups = pages(async |page_token| {
        let request = ListGroupsRequest { uidp: below(), page_size: PAGE, page_token, ..ListGroupsRequest::default() };
        let page = client.call::<ListGroups>(request).await.expect("a page");
        (page.groups, page.next_page_token, page.total_count)
    });
    let identities = pages(async |page_token| {
        let request = ListIdentitiesRequest { uidp: below(), page_size: PAGE, page_token, ..ListIdentitiesRequest::default() };
        let page = client.call::<ListIdentities>(request).await.expect("a page");
        (page.identities, page.next_page_token, page.total_count)
    });
    let bindings = pages(async |page_token| {
        let request =
            ListRoleBindingsRequest { uidp: below(), page_size: PAGE, page_token, ..ListRoleBindingsRequest::default() };
        let page = client.call::<ListRoleBindings>(request).await.expect("a page");
        (page.role_bindings, page.next_page_token, page.total_count)
    });
    let repos = pages(async |page_token| {
        let request = ListReposRequest { uidp: below(), page_size: PAGE, page_token, ..ListReposRequest::default() };
        let page = client.call::<ListRepos>(request).await.expect("a page");
        (page.repos, page.next_page_token, page.total_count)
    });
    let tags = pages(async |page_token| {
        let request = ListTagsRequest { uidp: below(), page_size: PAGE, page_token, ..ListTagsRequest::default() };
        let page = client.call::<ListTags>(request).await.expect("a page");
        (page.tags, page.next_page_token, page.total_count)
    });
    let (groups, identities, bindings, repos, tags) =
        tokio::join!(Box::pin(groups), Box::pin(identities), Box::pin(bindings), Box::pin(repos), Box::pin(tags));
    let groups = groups.into_iter().map(rows::of_group);
    let identities = identities.into_iter().map(rows::of_identity);
    let bindings = bindings.into_iter().map(rows::of_binding);
    let registry = repos.into_iter().map(rows::of_repo).chain(tags.into_iter().map(rows::of_tag));
    groups.chain(identities).chain(bindings).chain(registry).collect()
}

/// All rows of a list, from pages with the token of the next one and the total.
async fn pages<T>(page: impl AsyncFn(String) -> (Vec<T>, String, Option<i64>)) -> Vec<T> {
    let (mut rows, mut token) = (Vec::new(), String::new());
    loop {
        let (items, next, total) = page(token).await;
        rows.extend(items);
        if next.is_empty() {
            let total = total.and_then(|total| usize::try_from(total).ok());
            assert_eq!(total, Some(rows.len()), "the counter agrees with the rows");
            return rows;
        }
        token = next;
    }
}

/// What the feed of changes says is there. Every commit in it has its audit row, and nothing disagrees with anything.
pub(crate) async fn behind_the_api(config: &StoreConfig) -> BTreeSet<String> {
    let store = Store::open(config, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await.expect("the folder is free");
    assert_eq!(check(&store, &Means::default(), |_, _| ()).await.expect("looks").findings, []);
    let mut reader = store.reader().await.expect("a snapshot");
    let entries = audit::newest(&mut reader, u32::MAX).await.expect("the audit log");
    let audited: BTreeSet<_> = entries.into_iter().filter_map(|entry| entry.revision).collect();
    let mut there = BTreeSet::new();
    for change in changes::since(&mut reader, Revision(0), u32::MAX).await.expect("the feed") {
        assert!(audited.contains(&change.revision), "{change:?} has no audit row");
        let listed = matches!(change.noun, Noun::Group | Noun::Identity | Noun::RoleBinding | Noun::Repo | Noun::Tag)
            && change.uid.contains('/');
        match change.op {
            Op::Created if listed => assert!(there.insert(change.uid.clone()), "{change:?} was made before"),
            Op::Deleted if listed => assert!(there.remove(&change.uid), "{change:?} was not there"),
            _ => {}
        }
    }
    drop(reader);
    store.close().await;
    there
}
