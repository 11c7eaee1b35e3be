//! One catalogue of sample calls: how each served method is called, at any place. Whatever holds for all methods is proved with it:
//! who may call them, what conditions mean, and that the documented examples are true.

mod nouns;
mod place;

use client::Options;
use contract::{
    BoxFuture, Method, Rpc,
    chainguard::platform::{
        iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup},
        registry::v2beta1::{CreateOverlayRequest, CustomOverlay, Overlay, custom_overlay::ImageContents, rpc::CreateOverlay},
    },
};
use domain::iam::TermsDocument;
use prost_reflect::DynamicMessage;
use serde_json::{Map, Value, json};

pub use place::Place;

use crate::{Actor, Outcome, Transport, transport::message};

/// A call with a request that is made for a place.
pub struct Sample {
    /// What is called.
    pub method: &'static Method,
    /// What it does.
    pub does: Does,
    request: Box<dyn Fn(&Place) -> Value + Send + Sync>,
    send: Sender,
}

/// The document that samples accept, which every server knows and no method needs.
#[must_use]
pub fn document() -> TermsDocument {
    TermsDocument {
        id: "skills-tos.v1".to_owned(),
        label: "Terms of the skills".to_owned(),
        url: "https://example.com/terms/skills".to_owned(),
        methods: Vec::new(),
    }
}

/// What a sample call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Makes something of this noun.
    Make(&'static str),
    /// Reads what the place has of this noun.
    Read(&'static str),
    /// Lists what the place has of this noun.
    List(&'static str),
    /// Changes what the place has of this noun.
    Change(&'static str),
    /// Deletes what the place has of this noun.
    Delete(&'static str),
    /// Does something else with what the place has of this noun, which takes that it went through other calls.
    Act(&'static str),
    /// Something that acts on no place.
    Other,
}

/// A noun in sample calls.
struct Noun {
    name: &'static str,
    lives_in: &'static str,
    /// Where a place has its first one.
    first_in: &'static str,
    /// The field of what it is made in.
    parent: &'static str,
    body: fn(&Place) -> Value,
    make: Sender,
    samples: Vec<Sample>,
}

/// Sends a request that is JSON.
type Sender = for<'a> fn(&'a Actor, Transport, Value, &'a Options) -> BoxFuture<'a, Outcome>;

/// A sample of every served method.
#[must_use]
pub fn all() -> Vec<Sample> {
    nouns::all().into_iter().flat_map(|noun| noun.samples).chain(nouns::others()).collect()
}

impl Does {
    /// The noun that the call is about.
    #[must_use]
    pub fn noun(self) -> Option<&'static str> {
        match self {
            Self::Make(noun)
            | Self::Read(noun)
            | Self::List(noun)
            | Self::Change(noun)
            | Self::Delete(noun)
            | Self::Act(noun) => Some(noun),
            Self::Other => None,
        }
    }
}

impl Sample {
    fn new<R: Rpc>(does: Does, request: impl Fn(&Place) -> Value + Send + Sync + 'static) -> Self {
        Self { method: R::METHOD, does, request: Box::new(request), send: send::<R> }
    }

    /// The request at this place, as JSON.
    #[must_use]
    pub fn request(&self, place: &Place) -> Value {
        (self.request)(place)
    }

    /// Whether its request has this field.
    #[must_use]
    pub fn takes(&self, field: &str) -> bool {
        contract::message_descriptor(self.method.request).is_some_and(|request| request.get_field_by_name(field).is_some())
    }

    /// Whether no built-in role lets its holder call the method: operators call it, and perhaps who has a role that was made for it.
    #[must_use]
    pub fn is_for_operators(&self) -> bool {
        matches!(self.method.name, "UpdateRepoReadme" | "UpdateRegistrySettings" | "SetResourceLimits")
    }

    /// Makes the call.
    pub async fn call(&self, actor: &Actor, transport: Transport, place: &Place, options: &Options) -> Outcome {
        self.call_as(actor, transport, self.request(place), options).await
    }

    /// Calls the same method with another request.
    pub async fn call_as(&self, actor: &Actor, transport: Transport, request: Value, options: &Options) -> Outcome {
        (self.send)(actor, transport, request, options).await
    }
}

impl Noun {
    /// A noun that is made in one of `lives_in`, with the methods that every noun has.
    fn new<Create: Rpc, Get: Rpc, List: Rpc, Delete: Rpc>(
        name: &'static str,
        lives_in: &'static str,
        body: fn(&Place) -> Value,
    ) -> Self {
        let samples = vec![
            Sample::new::<Create>(Does::Make(name), move |place| make("parent", place.of(lives_in), name, &body(place))),
            Sample::new::<Get>(Does::Read(name), move |place| json!({ "uid": place.of(name) })),
            Sample::new::<List>(Does::List(name), move |place| json!({ "uidp": { "ids": [place.of(name)] } })),
            Sample::new::<Delete>(Does::Delete(name), move |place| json!({ "uid": place.of(name) })),
        ];
        Self { name, lives_in, first_in: lives_in, parent: "parent", body, make: send::<Create>, samples }
    }

    /// A noun that v1 makes, in one of `lives_in`, which the field `parent` names.
    fn made_by_old<Create: Rpc>(
        name: &'static str,
        lives_in: &'static str,
        parent: &'static str,
        body: fn(&Place) -> Value,
    ) -> Self {
        let request = move |place: &Place| make(parent, place.of(lives_in), name, &body(place));
        let samples = vec![Sample::new::<Create>(Does::Make(name), request)];
        Self { name, lives_in, first_in: lives_in, parent, body, make: send::<Create>, samples }
    }

    /// The same noun, of which a place has its first one elsewhere than where the samples make another.
    fn first_in(self, first_in: &'static str) -> Self {
        Self { first_in, ..self }
    }

    /// The same noun, with further methods.
    fn with(mut self, samples: Vec<Sample>) -> Self {
        self.samples.extend(samples);
        self
    }

    /// The same noun, which can be changed.
    fn changed<Update: Rpc>(mut self, change: fn(&Place) -> Value) -> Self {
        let name = self.name;
        let request = move |place: &Place| {
            let mut wish = change(place);
            wish["uid"] = place.of(name).into();
            json!({ (name): wish })
        };
        let last = self.samples.len() - 1;
        self.samples.insert(last, Sample::new::<Update>(Does::Change(name), request));
        self
    }
}

impl Noun {
    /// The same noun, with one more way to look at it, which is shown before it goes.
    fn looked_at<Look: Rpc>(mut self, request: fn(&Place) -> Value) -> Self {
        let last = self.samples.len() - 1;
        self.samples.insert(last, Sample::new::<Look>(Does::Read(self.name), request));
        self
    }
}

/// How a noun is called in v1.
struct Old {
    /// The field of what it is made in.
    parent: &'static str,
    /// What is made.
    body: fn(&Place) -> Value,
    /// What a change makes of it: all that callers may set.
    whole: fn(&Place) -> Value,
}

impl Noun {
    /// The same noun, with its methods of v1.
    fn old<Create: Rpc, Update: Rpc, List: Rpc, Delete: Rpc>(self, old: Old) -> Self {
        let (name, Old { parent, body, whole }) = (self.name, old);
        let mut noun = self.old_unchanged::<Create, List, Delete>(parent, body);
        let change = move |place: &Place| {
            let mut wish = whole(place);
            wish["id"] = place.of(name).into();
            wish
        };
        // Behind the one that makes it.
        let behind = noun.samples.len() - 2;
        noun.samples.insert(behind, Sample::new::<Update>(Does::Change(name), change));
        noun
    }

    /// The same noun, with its methods of v1, of which none changes it. `parent` is the field of what it is made in, `body` what is made.
    fn old_unchanged<Create: Rpc, List: Rpc, Delete: Rpc>(mut self, parent: &'static str, body: fn(&Place) -> Value) -> Self {
        let (name, lives_in) = (self.name, self.lives_in);
        self.samples.extend([
            Sample::new::<Create>(Does::Make(name), move |place| json!({ (parent): place.of(lives_in), (name): body(place) })),
            Sample::new::<List>(Does::List(name), move |place| json!({ "id": place.of(name) })),
            Sample::new::<Delete>(Does::Delete(name), move |place| json!({ "id": place.of(name) })),
        ]);
        self
    }
}

impl Noun {
    /// The same noun, with its methods of v1, whose messages name the group beside all else.
    fn old_of_group<Create: Rpc, Update: Rpc, List: Rpc, Delete: Rpc>(
        mut self,
        body: fn(&Place) -> Value,
        whole: fn(&Place) -> Value,
    ) -> Self {
        let (name, lives_in) = (self.name, self.lives_in);
        let of_group = |group: &str, mut rest: Value| {
            rest["group"] = group.into();
            rest
        };
        self.samples.extend([
            Sample::new::<Create>(Does::Make(name), move |place| of_group(place.of(lives_in), body(place))),
            Sample::new::<Update>(Does::Change(name), move |place| of_group(place.of(name), whole(place))),
            Sample::new::<List>(Does::List(name), move |place| of_group(place.of(name), json!({}))),
            Sample::new::<Delete>(Does::Delete(name), move |place| of_group(place.of(name), json!({}))),
        ]);
        self
    }
}

impl Noun {
    /// The same noun, with its methods of v1, of which none changes it. Two make it, whose messages name the group beside all else.
    fn old_made_twice<Create: Rpc, CreateToo: Rpc, List: Rpc, Delete: Rpc>(mut self, body: fn(&Place) -> Value) -> Self {
        let (name, lives_in) = (self.name, self.lives_in);
        let create = move |place: &Place| {
            let mut request = body(place);
            request["group"] = place.of(lives_in).into();
            request
        };
        self.samples.extend([
            Sample::new::<Create>(Does::Make(name), create),
            Sample::new::<CreateToo>(Does::Make(name), create),
            Sample::new::<List>(Does::List(name), move |place| json!({ "id": place.of(name) })),
            Sample::new::<Delete>(Does::Delete(name), move |place| json!({ "id": place.of(name) })),
        ]);
        self
    }
}

fn make(parent: &str, home: &str, name: &str, body: &Value) -> Value {
    // What is bound stands beside the place.
    if name == "overlay_binding" {
        let mut request = body.clone();
        request[parent] = home.into();
        return request;
    }
    json!({ (parent): home, (name): body })
}

fn send<'a, R: Rpc>(actor: &'a Actor, transport: Transport, request: Value, options: &'a Options) -> BoxFuture<'a, Outcome> {
    Box::pin(async move { actor.call_with::<R>(transport, message(request), options).await })
}

impl Place {
    /// Makes a place in an organization that has nothing else.
    pub async fn apart(admin: &Actor, name: &str) -> Self {
        let organization = Group { name: name.into(), ..Group::default() };
        let made = admin.must::<CreateGroup>(CreateGroupRequest { parent: String::new(), group: Some(organization) }).await;
        Self::make(admin, &made.uid, name).await
    }

    /// Makes a place in the group `parent`; at the top where it is empty.
    pub async fn make(admin: &Actor, parent: &str, name: &str) -> Self {
        let group = Group { name: name.into(), ..Group::default() };
        let made = admin.must::<CreateGroup>(CreateGroupRequest { parent: parent.into(), group: Some(group) }).await;
        let mut place = Self::empty(made.uid.parse().expect("a UIDP"));
        let contents = ImageContents { packages: vec!["bash".into()], ..ImageContents::default() };
        let config = Some(CustomOverlay { contents: Some(contents), ..CustomOverlay::default() });
        let name = format!("of {}", place.at.as_str().rsplit('/').next().unwrap_or_default());
        let overlay = CreateOverlayRequest {
            parent: place.at.root_text().into(),
            overlay: Some(Overlay { name, config, ..Overlay::default() }),
        };
        place.put(Self::BOUND, &admin.must::<CreateOverlay>(overlay).await.uid);
        for Noun { name, first_in, parent, body, make: send, .. } in nouns::all() {
            let mut body = body(&place);
            // The sample that makes another one has its own.
            rename(&mut body, "first");
            let request = make(parent, place.of(first_in), name, &body);
            let made = send(admin, Transport::Grpc, request, &Options::default()).await;
            assert_eq!(made.code, "OK", "a {name}: {:#}", made.body);
            let uid = made.body.get("uid").or_else(|| made.body.get("id"));
            place.put(name, uid.and_then(Value::as_str).expect("it has an identifier"));
        }
        place
    }
}

/// Gives a body another name, or whatever else it shares with no other.
pub fn rename(body: &mut Value, name: &str) {
    for field in ["name", "external_group_id"] {
        if let Some(own) = body.get_mut(field) {
            *own = name.into();
        }
    }
}

/// The items of a list's answer.
///
/// Panics when it has none.
#[must_use]
pub fn items(listed: &Outcome) -> &[Value] {
    listed.body.as_object().and_then(|fields| fields.values().find_map(Value::as_array)).expect("a list has items")
}

/// The paths among these that have no sample.
#[must_use]
pub fn missing(served: &[&'static str]) -> Vec<&'static str> {
    let samples = all();
    served.iter().copied().filter(|path| !samples.iter().any(|sample| sample.method.path == *path)).collect()
}

/// A request as proto3 JSON writes it, with the JSON names of its fields.
#[must_use]
pub fn canonical(method: &Method, request: Value) -> Map<String, Value> {
    let descriptor = contract::message_descriptor(method.request).expect("a message of the contract");
    let message = DynamicMessage::deserialize(descriptor, request).expect("a request of the method");
    match serde_json::to_value(&message) {
        Ok(Value::Object(fields)) => fields,
        other => panic!("a message is a JSON object: {other:?}"),
    }
}
