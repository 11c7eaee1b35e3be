//! Lists over several pages, and the tokens that lead from one to the next.

use domain::{Kind, ListRequest, Rule, Uidp, UidpFilter};
use proptest::prelude::*;
use services::iam::groups::GroupFilter;

use crate::world::{World, name, refused, uids};

fn page(token: &str, order_by: &str, skip: i32) -> ListRequest {
    ListRequest::parse(UidpFilter::default(), 2, token, order_by, skip).unwrap()
}

async fn five_groups(world: &World) -> (Uidp, Vec<Uidp>) {
    let (organization, alice) = world.organization("alice").await;
    let mut all = vec![organization.clone()];
    for called in ["b", "a", "d", "c"] {
        all.push(world.folder(&organization, called).await);
    }
    (alice, all)
}

#[tokio::test]
async fn pages_together_are_the_whole_list() {
    let world = World::new().await;
    let (alice, mut all) = five_groups(&world).await;
    let ctx = world.by(&alice, &["groups.list"]).await;
    for order in ["", "name desc", "created_at", "uid desc"] {
        let (mut seen, mut token) = (Vec::new(), String::new());
        loop {
            let page = world.groups.list(&ctx, page(&token, order, 0), GroupFilter::default()).await.unwrap();
            assert_eq!(page.total, 5);
            seen.extend(uids(&page.items));
            token = page.next_page_token;
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(seen.len(), 5, "{order}");
        seen.sort();
        all.sort();
        assert_eq!(seen, all, "{order}");
    }
    let skipped = world.groups.list(&ctx, page("", "name", 3), GroupFilter::default()).await.unwrap();
    let names: Vec<_> = skipped.items.iter().map(|group| group.spec.name.clone()).collect();
    assert_eq!((names, skipped.skipped), (vec![name("c"), name("d")], 3));
}

#[tokio::test]
async fn a_token_belongs_to_its_list() {
    let world = World::new().await;
    let (alice, _) = five_groups(&world).await;
    let ctx = world.by(&alice, &["groups.list"]).await;
    let first = world.groups.list(&ctx, page("", "name", 0), GroupFilter::default()).await.unwrap();
    let token = first.next_page_token;
    let mismatch = (Kind::InvalidArgument, Rule::PageTokenMismatch);

    let ordered = world.groups.list(&ctx, page(&token, "name desc", 0), GroupFilter::default()).await;
    assert_eq!(refused(ordered), mismatch);
    let named = GroupFilter { name: Some("a".into()) };
    assert_eq!(refused(world.groups.list(&ctx, page(&token, "name", 0), named).await), mismatch);
    let mut inside = page(&token, "name", 0);
    inside.uidp.in_root = true;
    assert_eq!(refused(world.groups.list(&ctx, inside, GroupFilter::default()).await), mismatch);
    let mut elsewhere = ctx.clone();
    elsewhere.method = "/test.Service/Other";
    assert_eq!(refused(world.groups.list(&elsewhere, page(&token, "name", 0), GroupFilter::default()).await), mismatch);

    let mut larger = page(&token, "name", 0);
    larger.page_size = 200;
    let rest = world.groups.list(&ctx, larger, GroupFilter::default()).await.unwrap();
    assert_eq!((rest.items.len(), rest.next_page_token.as_str()), (3, ""), "the size of a page may change on the way");
}

#[tokio::test]
async fn an_expired_token_starts_again() {
    let world = World::new().await;
    let (alice, _) = five_groups(&world).await;
    let ctx = world.by(&alice, &["groups.list"]).await;
    let first = world.groups.list(&ctx, page("", "", 0), GroupFilter::default()).await.unwrap();
    world.wait(services::page_tokens::LIFETIME_SECONDS);
    let ctx = world.by(&alice, &["groups.list"]).await;
    let second = world.groups.list(&ctx, page(&first.next_page_token, "", 0), GroupFilter::default()).await.unwrap();
    assert_ne!(uids(&second.items), uids(&first.items), "still good in its last second");
    world.wait(1);
    let ctx = world.by(&alice, &["groups.list"]).await;
    let again = world.groups.list(&ctx, page(&first.next_page_token, "", 0), GroupFilter::default()).await.unwrap();
    assert_eq!(uids(&again.items), uids(&first.items));
}

#[test]
fn an_altered_token_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let world = runtime.block_on(World::new());
    let (alice, _) = runtime.block_on(five_groups(&world));
    let ctx = runtime.block_on(world.by(&alice, &["groups.list"]));
    let list = |token: &str| runtime.block_on(world.groups.list(&ctx, page(token, "", 0), GroupFilter::default()));
    let token = list("").unwrap().next_page_token;
    let malformed = (Kind::InvalidArgument, Rule::PageToken);
    proptest!(|(at in 0..token.len(), other in "[A-Za-z0-9_-]")| {
        let mut altered = token.clone();
        altered.replace_range(at..=at, &other);
        prop_assume!(altered != token);
        prop_assert_eq!(refused(list(&altered)), malformed);
    });
    proptest!(|(foreign in "\\PC{1,200}")| {
        prop_assert_eq!(refused(list(&foreign)), malformed);
    });
    for cut in 1..token.len() {
        assert_eq!(refused(list(&token[..cut])), malformed);
    }
}
