use contract::chainguard::platform::registry::{
    CreateTagRequest, DeleteTagRequest, EolTagFilter, EolTagList, GetRepoTagsSummaryRequest, RepoTagsSummary, Tag, TagFilter,
    TagHistoryFilter, TagHistoryList, TagList,
    rpc::{CreateTag, DeleteTag, GetRepoTagsSummary, ListEolTags, ListTagHistory, ListTags, UpdateTag},
    v2beta1::{self, GetTagRequest, rpc::GetTag},
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use super::below;
use crate::v2beta1::{
    absent,
    tags::{digest, make_repo},
};

fn new_tag(repo: &str, name: &str) -> CreateTagRequest {
    CreateTagRequest { repo_id: repo.into(), tag: Some(Tag { name: name.into(), ..Tag::default() }) }
}

#[tokio::test]
async fn are_the_tags_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await.uid;
        let made = s.call::<CreateTag>("a tag without a digest", &admin, new_tag(&repo, "latest")).await;
        let tag: Tag = made.ok();
        s.name(&tag.id, "tag");
        s.server.clock().advance_seconds(60);
        assert_eq!(s.quietly::<CreateTag>(&admin, new_tag(&repo, "latest")).await, made, "the same values change nothing");
        let whole = Tag { digest: digest(1), bundles: vec!["base".into(), "ai".into()], ..tag.clone() };
        s.call::<UpdateTag>("with its digest", &admin, whole.clone()).await;
        let read: v2beta1::Tag = s.quietly::<GetTag>(&admin, GetTagRequest { uid: tag.id.clone() }).await.ok();
        assert_eq!((read.digest, read.bundles), (digest(1), whole.bundles.clone()), "it is the tag of v2beta1");
        let bare = Tag { id: tag.id.clone(), deprecated: true, ..Tag::default() };
        s.call::<UpdateTag>("a digest that is not given stays, bundles go", &admin, bare).await;
        let again = s.quietly::<CreateTag>(&admin, new_tag(&repo, "latest")).await.ok::<Tag>();
        assert_eq!((again.id, again.digest, again.deprecated), (tag.id.clone(), digest(1), false), "it is changed");

        let by_id = TagFilter { id: tag.id.clone(), ..TagFilter::default() };
        s.call::<ListTags>("by its identifier", &admin, by_id.clone()).await;
        s.call::<DeleteTag>("it goes", &admin, DeleteTagRequest { id: tag.id.clone() }).await;
        s.call::<DeleteTag>("and is gone", &admin, DeleteTagRequest { id: tag.id.clone() }).await;
        s.call::<ListTags>("which a list says by being empty", &admin, by_id).await;

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == tag.id).collect();
        let kinds: Vec<_> =
            told.iter().map(|event| event.kind.trim_start_matches("dev.chainguard.api.platform.registry.")).collect();
        let expected = ["tag.created.v1", "tag.updated.v1", "tag.updated.v1", "tag.created.v1", "tag.deleted.v1"];
        assert_eq!(kinds, expected);
        let organization = s.server.organization().as_str();
        assert!(told.iter().all(|event| event.group == organization && event.api_version == "v1"), "{told:?}");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn show_what_is_not_left_out() {
    scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await.uid;
        for name in ["latest", "1.2-r3", "1.2-20240131", "sha256-0a.sig", "sha256-0a-r1"] {
            s.server.clock().advance_seconds(1);
            admin.must::<CreateTag>(new_tag(&repo, name)).await;
        }
        for (referrers, dates, epochs, expected, latest) in [
            (false, false, false, 5, "sha256-0a-r1"),
            (true, false, false, 3, "1.2-20240131"),
            (true, true, false, 2, "1.2-r3"),
            (true, true, true, 1, "latest"),
            (false, false, true, 3, "sha256-0a.sig"),
        ] {
            let filter = TagFilter {
                uidp: Some(below(&repo)),
                exclude_referrers: referrers,
                exclude_dates: dates,
                exclude_epochs: epochs,
                ..TagFilter::default()
            };
            let listed: TagList = s.quietly::<ListTags>(&admin, filter).await.ok();
            let request = GetRepoTagsSummaryRequest {
                repo_id: repo.clone(),
                exclude_referrers: referrers,
                exclude_dates: dates,
                exclude_epochs: epochs,
            };
            let summary: RepoTagsSummary = s.quietly::<GetRepoTagsSummary>(&admin, request).await.ok();
            assert_eq!((listed.items.len(), summary.tag_count.to_string()), (expected, expected.to_string()));
            let newest = summary.latest_tag.expect("there is one");
            assert_eq!((newest.name.as_str(), newest.last_updated), (latest, summary.last_updated));
            assert!(listed.items.contains(&newest));
        }
        let none = make_repo(s, &admin, "none").await.uid;
        let request = GetRepoTagsSummaryRequest { repo_id: none.clone(), ..GetRepoTagsSummaryRequest::default() };
        let summary: RepoTagsSummary = s.quietly::<GetRepoTagsSummary>(&admin, request).await.ok();
        assert_eq!(summary, RepoTagsSummary { id: none, ..RepoTagsSummary::default() });
    })
    .await;
}

#[tokio::test]
async fn tell_what_they_stood_for() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await.uid;
        let tag: Tag = s.quietly::<CreateTag>(&admin, new_tag(&repo, "latest")).await.ok();
        let mut moved = Vec::new();
        for n in [1, 2, 1] {
            s.server.clock().advance_seconds(60);
            let tag = Tag { digest: digest(n), ..tag.clone() };
            moved.extend(s.quietly::<UpdateTag>(&admin, tag).await.ok::<Tag>().last_updated);
        }
        let all = TagHistoryFilter { parent_id: tag.id.clone(), ..TagHistoryFilter::default() };
        s.call::<ListTagHistory>("the newest first", &admin, all.clone()).await;
        let between = TagHistoryFilter { start: moved.get(1).copied(), end: moved.get(2).copied(), ..all.clone() };
        let found: TagHistoryList = s.quietly::<ListTagHistory>(&admin, between).await.ok();
        assert_eq!(found.items.into_iter().map(|item| item.digest).collect::<Vec<_>>(), [digest(2)], "the end is not in it");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn tell_which_are_kept_up_page_by_page() {
    scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await.uid;
        for (name, deprecated) in [("1", false), ("2", true), ("3", false), ("3-r1", false)] {
            let tag = Tag { name: name.into(), deprecated, ..Tag::default() };
            admin.must::<CreateTag>(CreateTagRequest { repo_id: repo.clone(), tag: Some(tag) }).await;
        }
        let mut request =
            EolTagFilter { uidp: Some(below(&repo)), page_size: 2, exclude_epochs: true, ..EolTagFilter::default() };
        let mut found = Vec::new();
        loop {
            let page: EolTagList = s.quietly::<ListEolTags>(&admin, request.clone()).await.ok();
            found.extend(page.items.into_iter().map(|tag| (tag.name, tag.tag_status)));
            if page.next_page_token.is_empty() {
                break;
            }
            request.page_token = page.next_page_token;
        }
        found.sort();
        assert_eq!(found, [("1".to_owned(), 0), ("2".to_owned(), 2), ("3".to_owned(), 0)]);
        let wrong = EolTagFilter { page_size: i64::MIN, ..EolTagFilter::default() };
        assert_eq!(s.quietly::<ListEolTags>(&admin, wrong).await.code, "INVALID_ARGUMENT");
    })
    .await;
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await.uid;
        let tag: Tag = s.quietly::<CreateTag>(&admin, new_tag(&repo, "latest")).await.ok();
        s.call::<CreateTag>("no name", &admin, new_tag(&repo, "")).await;
        s.call::<CreateTag>("in no repo", &admin, new_tag(&absent(&repo), "latest")).await;
        let wrong = Tag { digest: "sha256:0".into(), bundles: vec!["none".into()], ..tag.clone() };
        s.call::<UpdateTag>("a digest that is none", &admin, wrong).await;
        s.call::<UpdateTag>("another name", &admin, Tag { name: "other".into(), ..tag.clone() }).await;
        s.call::<UpdateTag>("a bundle that there is not", &admin, Tag { bundles: vec!["none".into()], ..tag }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
