//! What is there when the outage is over.

use std::collections::{BTreeMap, BTreeSet};

use contract::{
    Rpc,
    chainguard::platform::{
        common::UidpFilter,
        iam::v2beta1::{
            ListGroupsRequest,
            rpc::{CreateGroup, ListGroups},
        },
    },
};
use domain::{Noun, Op, Revision};
use store::{
    audit, changes,
    check::{Means, check as agree},
};
use testkit::TestServer;

use crate::load::{Attempt, Outcome, Told};

/// Checks that every acknowledged folder is there exactly once, that no folder is there by half, and that totals, feed,
/// audit log and revision agree with the folders, and everything with everything else.
pub(crate) async fn check(story: &str, server: &TestServer, told: &Told) {
    let (folders, total) = folders(server).await;
    assert_eq!(total, folders.len(), "{story}: the kept total equals the rows");

    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (uid, name) in &folders {
        by_name.entry(name).or_default().push(uid);
    }
    let tried: BTreeSet<_> = told.attempts.iter().map(|attempt| attempt.name.as_str()).collect();
    for (name, uids) in &by_name {
        assert_eq!(uids.len(), 1, "{story}: {name} is there once");
        assert!(tried.contains(name), "{story}: somebody has asked for {name}");
    }
    for Attempt { name, outcome } in &told.attempts {
        let there = by_name.get(name.as_str()).and_then(|uids| uids.first());
        match outcome {
            Outcome::Made(uid) => assert_eq!(there, Some(&uid.as_str()), "{story}: {name} was acknowledged"),
            Outcome::Applied => assert!(there.is_some(), "{story}: {name} was told to be applied"),
            Outcome::Failed(_) => {}
        }
    }

    let report = agree(server.store(), &Means::default(), |_, _| ()).await.expect("looks");
    assert_eq!(report.findings, [], "{story}: everything agrees with everything else");
    let mut reader = server.store().reader().await.expect("a snapshot");
    let changes = changes::since(&mut reader, Revision(0), u32::MAX).await.expect("the feed");
    let entries = audit::newest(&mut reader, u32::MAX).await.expect("the audit log");
    drop(reader);
    let is_folder = |uid: &str| uid.starts_with(server.organization().as_str()) && uid.contains('/');
    let fed = changes.iter().filter(|change| change.noun == Noun::Group && change.op == Op::Created);
    let fed: BTreeSet<_> = fed.map(|change| change.uid.as_str()).filter(|uid| is_folder(uid)).collect();
    assert_eq!(fed, folders.keys().map(String::as_str).collect(), "{story}: the feed and the folders agree");
    let audited = entries.iter().filter(|entry| entry.method == CreateGroup::METHOD.path && entry.outcome == audit::OK);
    let audited: Vec<_> = audited.filter_map(|entry| entry.subject.as_deref()).filter(|uid| is_folder(uid)).collect();
    assert_eq!(audited.len(), folders.len(), "{story}: each folder has one audit row");
    assert_eq!(audited.into_iter().collect::<BTreeSet<_>>(), fed, "{story}: the audit log and the folders agree");
    let revisions: BTreeSet<_> = entries.iter().filter_map(|entry| entry.revision).collect();
    for change in &changes {
        assert!(revisions.contains(&change.revision), "{story}: {change:?} has no audit row");
    }
    println!("{story}: {} folders, {} revisions", folders.len(), revisions.len());
}

/// Every folder of the organization by UID, with its name, page by page, and the total that the pages told.
async fn folders(server: &TestServer) -> (BTreeMap<String, String>, usize) {
    let admin = server.admin();
    let (mut folders, mut page_token) = (BTreeMap::new(), String::new());
    loop {
        let uidp = Some(UidpFilter { children_of: server.organization().to_string(), ..UidpFilter::default() });
        let request = ListGroupsRequest { uidp, page_size: 200, page_token, ..ListGroupsRequest::default() };
        let page = admin.must::<ListGroups>(request).await;
        let total = usize::try_from(page.total_count()).expect("a count");
        let before = folders.len();
        let listed = page.groups.len();
        folders.extend(page.groups.into_iter().map(|group| (group.uid, group.name)));
        assert_eq!(folders.len(), before + listed, "no folder is listed twice");
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return (folders, total);
        }
    }
}
