//! A place to aim at.

use std::collections::BTreeMap;

use client::Options;
use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
use domain::{Uidp, iam::role::built_in_uid};
use serde_json::Value;

use super::{Noun, make, nouns};
use crate::{Actor, Transport};

/// A group with one thing of every noun in it; the group among them is empty.
#[derive(Clone, Debug)]
pub struct Place {
    /// The group.
    pub at: Uidp,
    things: BTreeMap<&'static str, String>,
}

impl Place {
    /// What a noun is made in that is made in groups.
    pub(super) const AT: &str = "place";

    /// Makes a place in the group `parent`; at the top where it is empty.
    pub async fn make(admin: &Actor, parent: &str, name: &str) -> Self {
        let group = Group { name: name.into(), ..Group::default() };
        let made = admin.must::<CreateGroup>(CreateGroupRequest { parent: parent.into(), group: Some(group) }).await;
        let mut place = Self::empty(made.uid.parse().expect("a UIDP"));
        for Noun { name, lives_in, body, make: send, .. } in nouns::all() {
            let mut body = body(&place);
            // The sample that makes another one has its own.
            if let Some(name) = body.get_mut("name") {
                *name = "first".into();
            }
            let made = send(admin, Transport::Grpc, make(lives_in, &place, name, body), &Options::default()).await;
            assert_eq!(made.code, "OK", "a {name}: {:#}", made.body);
            place.put(name, made.body["uid"].as_str().expect("it has an identifier"));
        }
        place
    }

    /// A group that has nothing yet.
    #[must_use]
    pub fn empty(at: Uidp) -> Self {
        Self { at, things: BTreeMap::new() }
    }

    /// Remembers what it has of this noun.
    pub fn put(&mut self, noun: &'static str, uid: &str) {
        self.things.insert(noun, uid.to_owned());
    }

    /// What there is of this noun.
    #[must_use]
    pub fn of(&self, noun: &str) -> &str {
        if noun == Self::AT { self.at.as_str() } else { &self.things[noun] }
    }

    /// A role that everybody who may bind roles at all holds completely.
    pub(super) fn bindable() -> Value {
        built_in_uid("apk.pull").to_string().into()
    }
}
