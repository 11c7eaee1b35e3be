use client::Options;
use contract::Access;
use serde_json::json;
use testkit::{Does, Place, samples, scenario};

use super::{fields, parent_of, rule};
use crate::v2beta1::absent;

#[tokio::test]
async fn lists_name_what_is_wrong() {
    scenario(async |s| {
        let admin = s.server.admin();
        for list in samples::all().iter().filter(|sample| matches!(sample.does, Does::List(_))) {
            let pages = [
                (json!({ "page_size": -1 }), "PAGE_SIZE", "page_size"),
                (json!({ "skip": -1 }), "SKIP", "skip"),
                (json!({ "order_by": "size" }), "ORDER_BY", "order_by"),
                (json!({ "order_by": "uid up" }), "ORDER_BY", "order_by"),
            ];
            let parts = [
                (json!({ "uidp": { "descendants_of": "x" } }), "FIELD", "uidp.descendants_of"),
                (json!({ "uidp": { "children_of": "x" } }), "FIELD", "uidp.children_of"),
                (json!({ "uidp": { "ancestors_of": "x" } }), "FIELD", "uidp.ancestors_of"),
                (json!({ "uidp": { "ids": ["x"] } }), "FIELD", "uidp.ids[0]"),
            ];
            let has_pages = list.method.service.contains(".v2beta1.");
            let has_parts = list.takes("uidp");
            let wrong = pages.into_iter().filter(|_| has_pages).chain(parts.into_iter().filter(|_| has_parts));
            for (request, expected, field) in wrong {
                let refused = list.call_as(&admin, s.transport, request.clone(), &Options::default()).await;
                assert_eq!(refused.code, "INVALID_ARGUMENT", "{}, {request}: {:#}", list.method.path, refused.body);
                assert_eq!((rule(&refused), fields(&refused)), (expected, vec![field]), "{}, {request}", list.method.path);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_made_has_a_place_and_a_name() {
    scenario(async |s| {
        let admin = s.server.admin();
        let place = Place::make(&admin, s.server.organization().as_str(), "place").await;
        for make in samples::all().iter().filter(|sample| matches!(sample.does, Does::Make(_))) {
            let noun = make.does.noun().expect("it makes a noun");
            let whole = make.request(&place);
            let parent = make.method.scope.last().map_or("parent", |field| field.name);
            let mut wrong = vec![("nonsense", "FIELD")];
            // A group without a parent is an organization, what the gate does not ask the use case does, and the path of an identity of
            // v1 is then another method's.
            if matches!(make.method.access, Access::Scoped(_)) && parent != "parent_id" {
                wrong.push(("", "REQUIRED"));
            }
            for (at, expected) in wrong {
                let mut request = whole.clone();
                request[parent] = at.into();
                let refused = make.call_as(&admin, s.transport, request, &Options::default()).await;
                assert_eq!(refused.code, "INVALID_ARGUMENT", "{}, {at:?}: {:#}", make.method.path, refused.body);
                assert_eq!(rule(&refused), expected, "{}: {:#}", make.method.path, refused.body);
                assert_eq!(fields(&refused), [parent], "{}, {at:?}", make.method.path);
            }
            let mut request = whole.clone();
            request[parent] = absent(parent_of(&place, noun)).into();
            // What a batch repeats for its entries, too.
            if request.get("requests").is_some() {
                request["requests"][0]["parent"] = request[parent].clone();
            }
            let refused = make.call_as(&admin, s.transport, request, &Options::default()).await;
            assert_eq!(rule(&refused), "NO_SUCH_RESOURCE", "{}: {:#}", make.method.path, refused.body);
            let name_of = if whole.get("name").is_some() { "/name".to_owned() } else { format!("/{noun}/name") };
            if whole.pointer(&name_of).is_some() {
                for name in ["", "a\nb", "Not A Name!"] {
                    let mut request = whole.clone();
                    *request.pointer_mut(&name_of).expect("it is there") = name.into();
                    let refused = make.call_as(&admin, s.transport, request, &Options::default()).await;
                    assert_eq!(refused.code, "INVALID_ARGUMENT", "{}, {name:?}: {:#}", make.method.path, refused.body);
                    assert_eq!(fields(&refused), ["name"], "{}, {name:?}", make.method.path);
                }
            }
        }
    })
    .await;
}
