use client::Options;
use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
use serde_json::{Value, json};
use testkit::{Actor, Does, Place, Sample, Transport, samples, scenario};

use super::{parent_of, rule};

/// How many there are of each noun where the lists look.
const ALL: usize = 6;

/// Lists that have pages, and those that have none.
fn lists() -> (Vec<Sample>, Vec<Sample>) {
    let lists = samples::all().into_iter().filter(|sample| matches!(sample.does, Does::List(_)));
    let (with_pages, whole): (Vec<_>, Vec<_>) = lists.partition(|sample| sample.method.service.contains(".v2beta1."));
    assert!(!with_pages.is_empty() && !whole.is_empty(), "both versions have lists");
    (with_pages, whole)
}

/// What makes one of the noun.
fn maker(noun: &'static str) -> Sample {
    samples::all().into_iter().find(|sample| sample.does == Does::Make(noun)).expect("every noun is made")
}

/// Whether a group has one of the noun at most.
fn is_one_per_group(noun: &str) -> bool {
    noun == "account_association"
}

/// Whether lists that ask for no order begin with what was made last, and not with the first identifier.
fn comes_newest_first(noun: &str) -> bool {
    noun == "group_invite"
}

async fn folder(admin: &Actor, parent: &str, name: &str) -> String {
    let group = Group { name: name.into(), ..Group::default() };
    admin.must::<CreateGroup>(CreateGroupRequest { parent: parent.into(), group: Some(group) }).await.uid
}

/// A place with five more of the noun, or beside others that have one each; of which identifiers in the order in which they were made.
async fn crowded(admin: &Actor, noun: &'static str, tick: impl Fn()) -> (Place, Vec<String>) {
    let place = Place::apart(admin, &format!("{}-place", noun.replace('_', "-"))).await;
    let maker = maker(noun);
    let mut made = vec![place.of(noun).to_owned()];
    for name in ["e", "d", "c", "b", "a"] {
        tick();
        let mut request = maker.request(&place);
        if let Some(body) = request.get_mut(noun) {
            samples::rename(body, name);
        }
        if is_one_per_group(noun) {
            request["parent"] = folder(admin, place.at.root_text(), name).await.into();
        }
        let outcome = maker.call_as(admin, Transport::Grpc, request, &Options::default()).await;
        assert_eq!(outcome.code, "OK", "{:#}", outcome.body);
        made.push(identifier(&outcome.body).to_owned());
    }
    (place, made)
}

fn identifier(item: &Value) -> &str {
    item.get("uid").or_else(|| item.get("id")).and_then(Value::as_str).expect("it has an identifier")
}

/// The identifiers on all pages of a list, with its exact total on each.
async fn walk(list: &Sample, admin: &Actor, transport: Transport, mut request: Value) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        let page = list.call_as(admin, transport, request.clone(), &Options::default()).await;
        assert_eq!(page.code, "OK", "{:#}", page.body);
        assert_eq!(page.body["totalCount"], ALL.to_string(), "{}", list.method.path);
        seen.extend(samples::items(&page).iter().map(|item| identifier(item).to_owned()));
        let token = page.body["nextPageToken"].clone();
        if token == "" {
            return seen;
        }
        request["page_token"] = token;
    }
}

#[tokio::test]
async fn pages_lead_through_everything_once() {
    scenario(async |s| {
        let admin = s.server.admin();
        let (with_pages, whole) = lists();
        for list in with_pages {
            let noun = list.does.noun().expect("it lists a noun");
            let (place, made) = crowded(&admin, noun, || s.server.clock().advance_seconds(1)).await;
            let below = json!({ "children_of": parent_of(&place, noun) });
            let request = |order: &str| json!({ "uidp": below, "page_size": 4, "order_by": order });
            let of = async |order: &str| walk(&list, &admin, s.transport, request(order)).await;

            let mut sorted = made.clone();
            sorted.sort();
            let backwards = |uids: &[String]| uids.iter().rev().cloned().collect::<Vec<_>>();
            let usual = if comes_newest_first(noun) { backwards(&made) } else { sorted.clone() };
            assert_eq!(of("").await, usual, "{}: in the usual order", list.method.path);
            assert_eq!(of("uid").await, sorted, "{}: by identifier", list.method.path);
            assert_eq!(of("uid desc").await, backwards(&sorted), "{}", list.method.path);
            assert_eq!(of("created_at").await, made, "{}: as they were made", list.method.path);
            assert_eq!(of("createTime desc").await, backwards(&made), "{}: the newest first", list.method.path);
            if maker(noun).request(&place)[noun].get("name").is_some() {
                // They were named against the order of their creation, after one with another name.
                let by_name = of("name").await;
                let position = |uid: &String| by_name.iter().position(|other| other == uid);
                assert!(made[1..].windows(2).all(|pair| position(&pair[0]) > position(&pair[1])), "{}", list.method.path);
                assert_eq!(of("name desc").await, backwards(&by_name), "{}", list.method.path);
            }
            for (skip, left) in [(1, 4), (4, 2), (ALL, 0), (100, 0)] {
                let mut skipping = request("");
                skipping["skip"] = skip.into();
                let page = list.call_as(&admin, s.transport, skipping, &Options::default()).await;
                let shown: Vec<_> = samples::items(&page).iter().map(identifier).collect();
                assert_eq!(shown, usual.iter().skip(skip).take(4).collect::<Vec<_>>(), "{}", list.method.path);
                assert_eq!((shown.len(), &page.body["totalCount"]), (left, &json!(ALL.to_string())), "{}", list.method.path);
                assert_eq!(page.body["skipped"], json!(skip), "{}", list.method.path);
            }
            // What has pages in an order of its own is told with its noun.
            let of_noun = |list: &&Sample| list.does == Does::List(noun) && list.takes("uidp") && !list.takes("page_token");
            for list in whole.iter().filter(of_noun) {
                let all = list.call_as(&admin, s.transport, json!({ "uidp": below }), &Options::default()).await;
                let shown: Vec<_> = samples::items(&all).iter().map(identifier).collect();
                assert_eq!(shown, sorted, "{}: without pages", list.method.path);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn tokens_belong_to_their_list_for_three_days() {
    scenario(async |s| {
        let (with_pages, _) = lists();
        for list in with_pages {
            let admin = s.server.admin_again().await;
            let noun = list.does.noun().expect("it lists a noun");
            let (place, _) = crowded(&admin, noun, || ()).await;
            let request = json!({ "uidp": { "children_of": parent_of(&place, noun) }, "page_size": 2 });
            let ask = async |change: Value| {
                let mut request = request.clone();
                request.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
                list.call_as(&admin, s.transport, request, &Options::default()).await
            };
            let first = ask(json!({})).await;
            let token = first.body["nextPageToken"].as_str().expect("there are more").to_owned();
            let altered: String = token.chars().rev().collect();
            for (change, expected) in [
                (json!({ "page_token": altered }), "PAGE_TOKEN"),
                (json!({ "page_token": "bm9uc2Vuc2U" }), "PAGE_TOKEN"),
                (json!({ "page_token": token, "order_by": "created_at" }), "PAGE_TOKEN_MISMATCH"),
                (json!({ "page_token": token, "uidp": {} }), "PAGE_TOKEN_MISMATCH"),
            ] {
                let refused = ask(change.clone()).await;
                assert_eq!(rule(&refused), expected, "{}, {change}: {:#}", list.method.path, refused.body);
            }
            let second = ask(json!({ "page_token": token })).await;
            assert_ne!(samples::items(&second), samples::items(&first), "{}", list.method.path);
            s.server.clock().advance_seconds(3 * 24 * 3600 + 1);
            let admin = s.server.admin_again().await;
            let mut expired = request.clone();
            expired["page_token"] = token.into();
            let again = list.call_as(&admin, s.transport, expired, &Options::default()).await;
            assert_eq!(samples::items(&again), samples::items(&first), "{}: it begins again", list.method.path);
        }
    })
    .await;
}
