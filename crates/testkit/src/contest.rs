//! Many clients that change one resource at once.

use client::Options;
use contract::{
    chainguard::platform::iam::v2beta1::{
        GetGroupRequest, Group, UpdateGroupRequest,
        rpc::{GetGroup, UpdateGroup},
    },
    prost_types::FieldMask,
};
use tokio::task::JoinSet;

use crate::{Actor, Transport};

/// What a client was answered: the entity tag as a number, which grows with the order of writes, and the group.
type Answered = (u64, Group);

/// Lets as many clients as there are actors change the group at once, each `rounds` times: half of them its name, the others its
/// description. Nobody may be refused, and each must have changed what the one before has left.
///
/// Panics when a change was refused or is lost.
pub async fn change_at_once(actors: Vec<Actor>, uid: &str, rounds: usize) {
    let reader = actors.first().expect("somebody").clone();
    let before = Group { uid: uid.to_owned(), ..reader.must::<GetGroup>(get(uid)).await };
    let mut clients = JoinSet::new();
    for (number, actor) in actors.into_iter().enumerate() {
        clients.spawn(changes(actor, before.clone(), number, rounds));
    }
    let mut answers: Vec<_> = clients.join_all().await.into_iter().flatten().collect();
    answers.sort_by_key(|(tag, _)| *tag);
    let mut last = before;
    for (tag, group) in &answers {
        let changed = (group.name != last.name, group.description != last.description);
        assert!(matches!(changed, (true, false) | (false, true)), "{tag:x} lost a change: {last:?} became {group:?}");
        last = group.clone();
    }
    assert!(answers.windows(2).all(|pair| pair[0].0 < pair[1].0), "two changes in one write");
    let now = reader.must::<GetGroup>(get(uid)).await;
    assert_eq!((now.name, now.description), (last.name, last.description));
}

async fn changes(actor: Actor, group: Group, number: usize, rounds: usize) -> Vec<Answered> {
    let mut answers = Vec::new();
    for round in 0..rounds {
        let text = format!("{number}-{round}");
        let path = if number.is_multiple_of(2) { "name" } else { "description" };
        let group = Some(Group { name: text.clone(), description: text.clone(), ..group.clone() });
        let request = UpdateGroupRequest { group, update_mask: Some(FieldMask { paths: vec![path.to_owned()] }) };
        let answer = actor.call_with::<UpdateGroup>(Transport::Grpc, request, &Options::default()).await;
        let changed: Group = answer.ok();
        assert_eq!(text, if path == "name" { &*changed.name } else { &*changed.description });
        let tag = answer.etag.as_deref().map(|tag| u64::from_str_radix(tag.trim_matches('"'), 16));
        answers.push((tag.expect("a tag").expect("a number"), changed));
    }
    answers
}

fn get(uid: &str) -> GetGroupRequest {
    GetGroupRequest { uid: uid.to_owned() }
}
