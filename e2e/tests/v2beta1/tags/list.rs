use contract::{
    chainguard::platform::{
        common::UidpFilter,
        registry::v2beta1::{
            ListTagsRequest, ListTagsResponse,
            rpc::{CreateTag, ListTags},
        },
    },
    prost_types::Timestamp,
};
use testkit::scenario;

use super::{digest, make_repo, new_tag};

/// The names on the page and how many there are in all.
fn line(page: &ListTagsResponse) -> String {
    let names: Vec<_> = page.tags.iter().map(|tag| tag.name.as_str()).collect();
    format!("{} ({} in all)", names.join(" "), page.total_count())
}

#[tokio::test]
async fn hides_what_nobody_asked_for() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (app, other) = (make_repo(s, &admin, "app").await, make_repo(s, &admin, "other").await);
        let mut made = None;
        for (n, name) in (0..).zip(["latest", "1.2", "1.2-r3", "1.2-20240131", "sha256-0a.sig", "sha256-0a-r1"]) {
            s.server.clock().advance_seconds(1);
            let tag = admin.must::<CreateTag>(new_tag(&app.uid, name, n)).await;
            made = tag.update_time;
        }
        admin.must::<CreateTag>(new_tag(&other.uid, "latest", 0)).await;
        let since = made.map(|Timestamp { seconds, .. }| Timestamp { seconds: seconds - 3, nanos: 0 });

        let by_name = ListTagsRequest { order_by: "name".into(), ..ListTagsRequest::default() };
        let of_app = UidpFilter { children_of: app.uid.clone(), ..UidpFilter::default() };
        let all = ListTagsRequest { include_referrers: true, include_dates: true, include_epochs: true, ..by_name.clone() };
        for (title, request) in [
            ("everywhere", by_name.clone()),
            ("in one repo", ListTagsRequest { uidp: Some(of_app.clone()), ..by_name.clone() }),
            ("builds too", ListTagsRequest { include_epochs: true, ..by_name.clone() }),
            ("days too", ListTagsRequest { include_dates: true, ..by_name.clone() }),
            ("referrers too", ListTagsRequest { include_referrers: true, ..by_name.clone() }),
            ("all", all.clone()),
            ("all, the newest first", ListTagsRequest { order_by: "created_at desc".into(), ..all.clone() }),
            ("by name", ListTagsRequest { name: "latest".into(), ..by_name.clone() }),
            ("by a name that is hidden", ListTagsRequest { name: "1.2-r3".into(), ..by_name.clone() }),
            ("by digest", ListTagsRequest { digest: digest(0), ..by_name.clone() }),
            ("by digest in one repo", ListTagsRequest { digest: digest(0), uidp: Some(of_app), ..by_name.clone() }),
            ("what is new", ListTagsRequest { updated_since: since, ..all.clone() }),
        ] {
            let page: ListTagsResponse = s.quietly::<ListTags>(&admin, request).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }

        let (mut walked, mut request) = (Vec::new(), ListTagsRequest { page_size: 2, ..all });
        loop {
            let page: ListTagsResponse = s.quietly::<ListTags>(&admin, request.clone()).await.ok();
            walked.extend(page.tags.into_iter().map(|tag| tag.name));
            if page.next_page_token.is_empty() {
                break;
            }
            request.page_token = page.next_page_token;
        }
        s.transcript.line(&format!("two by two: {}", walked.join(" ")));
        let mixed = ListTagsRequest { include_dates: false, ..request };
        s.call::<ListTags>("the token of another list", &admin, mixed).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
