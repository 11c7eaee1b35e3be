//! Many clients that change one resource at once.

use contract::{
    chainguard::platform::iam::v2beta1::{
        GetGroupRequest, Group, UpdateGroupRequest,
        rpc::{GetGroup, UpdateGroup},
    },
    prost_types::FieldMask,
};
use domain::Revision;
use store::{Store, outbox};
use tokio::task::JoinSet;

use crate::{Actor, Transport};

/// Lets as many clients as there are actors change the group at once, each `rounds` times: half of them its name, the others its
/// description. Nobody may be refused, and each must have changed what the one before has left. `store` tells in which order.
///
/// Panics when a change was refused or is lost.
pub async fn change_at_once(store: &Store, actors: Vec<Actor>, uid: &str, rounds: usize) {
    let reader = actors.first().expect("somebody").clone();
    let before = Group { uid: uid.to_owned(), ..reader.must::<GetGroup>(get(uid)).await };
    let earlier = told(store, uid).await.len();
    let mut clients = JoinSet::new();
    for (number, actor) in actors.into_iter().enumerate() {
        clients.spawn(changes(actor, before.clone(), number, rounds));
    }
    let mut answers: Vec<_> = clients.join_all().await.into_iter().flatten().collect();
    let mut last = (before.name, before.description);
    let changes = told(store, uid).await.split_off(earlier);
    for change in &changes {
        let differs = (change.0 != last.0, change.1 != last.1);
        assert!(matches!(differs, (true, false) | (false, true)), "a change is lost: {last:?} became {change:?}");
        last = change.clone();
    }
    let now = reader.must::<GetGroup>(get(uid)).await;
    assert_eq!((now.name, now.description), last);
    let mut written = changes;
    answers.sort();
    written.sort();
    assert_eq!(answers, written, "what was answered is what was written");
}

/// What the group was after each of its changes: its name and its description.
async fn told(store: &Store, uid: &str) -> Vec<(String, String)> {
    let mut reader = store.reader().await.expect("a reader");
    let events = outbox::pending(&mut reader, Revision::default(), u32::MAX).await.expect("events");
    let group = |event: &outbox::Event| -> domain::iam::Group { serde_json::from_str(&event.snapshot).expect("a group") };
    let groups = events.iter().filter(|event| event.subject == uid).map(group);
    groups.map(|group| (group.spec.name.to_string(), group.spec.description.to_string())).collect()
}

async fn changes(actor: Actor, group: Group, number: usize, rounds: usize) -> Vec<(String, String)> {
    let mut answers = Vec::new();
    for round in 0..rounds {
        let text = format!("{number}-{round}");
        let path = if number.is_multiple_of(2) { "name" } else { "description" };
        let group = Some(Group { name: text.clone(), description: text.clone(), ..group.clone() });
        let request = UpdateGroupRequest { group, update_mask: Some(FieldMask { paths: vec![path.to_owned()] }) };
        let changed: Group = actor.call::<UpdateGroup>(Transport::Grpc, request).await.ok();
        assert_eq!(text, if path == "name" { &*changed.name } else { &*changed.description });
        answers.push((changed.name, changed.description));
    }
    answers
}

fn get(uid: &str) -> GetGroupRequest {
    GetGroupRequest { uid: uid.to_owned() }
}
