//! How many instructions it takes to bind a request, and to write an answer in JSON: `cargo xtask counts`.

#![expect(missing_docs, reason = "the macros write modules and functions of their own")]
#![expect(clippy::expect_used, reason = "a bench of a method that the contract lacks has nothing to measure")]

use std::hint::black_box;

use contract::{
    HttpRule, METHODS, Message, Method,
    chainguard::platform::iam::v2beta1::{Group, Identity, ListGroupsResponse},
    prost_types::Timestamp,
    wire::{Document, Request},
};
use gungraun::{library_benchmark, library_benchmark_group, main};
use prost::Message as _;

const ORGANIZATION: &str = "3f0c1de2ab4459b87c6d5e4f30211203fedcba98";
const FOLDER: &str = "3f0c1de2ab4459b87c6d5e4f30211203fedcba98/89abcdef01234567";
const IDENTITY: &str = r#"{
    "name": "release", "description": "Signs what the main branch of the widget repository releases.",
    "claimMatch": {
        "issuer": "https://token.actions.example.com", "subjectPattern": "repo:widgets/.*:ref:refs/heads/main",
        "audience": "https://provost.example.com", "claims": {"environment": "release", "runner": "hosted"}
    }
}"#;

/// The pieces of an HTTP request, as the router gives them.
struct Pieces {
    method: &'static Method,
    rule: &'static HttpRule,
    path: &'static [(&'static str, &'static str)],
    query: &'static [(&'static str, &'static str)],
    body: &'static str,
}

impl Pieces {
    fn of(
        method: &str,
        path: &'static [(&'static str, &'static str)],
        query: &'static [(&'static str, &'static str)],
        body: &'static str,
    ) -> Self {
        let method = METHODS.iter().find(|known| known.path.ends_with(method)).expect("a method of the contract");
        let pieces = Self { method, rule: method.http.first().expect("a binding"), path, query, body };
        // What is prepared for the first request is there, as for any later one.
        pieces.bind();
        pieces
    }

    fn bind(&self) -> Vec<u8> {
        let mut request = Request::new(self.method, self.rule);
        for (variable, value) in self.path {
            request.path(variable, value).expect("the path fits");
        }
        request.query(self.query.iter().copied()).expect("the query fits");
        request.body(self.body.as_bytes()).expect("the body fits");
        request.finish()
    }
}

#[library_benchmark(setup = Pieces::of)]
#[bench::of_a_path("v2beta1.GroupsService/GetGroup", &[("uid", FOLDER)], &[], "")]
#[bench::of_a_query(
    "v2beta1.GroupsService/ListGroups",
    &[],
    &[("uidp.descendants_of", ORGANIZATION), ("page_size", "50"), ("skip", "1000"), ("order_by", "name desc")],
    ""
)]
#[bench::of_an_update("v2beta1.GroupsService/UpdateGroup", &[("group.uid", FOLDER)], &[], r#"{"description": "new"}"#)]
#[bench::of_a_body("v2beta1.IdentitiesService/CreateIdentity", &[("parent", FOLDER)], &[], IDENTITY)]
fn binder(pieces: Pieces) -> Vec<u8> {
    black_box(&pieces).bind()
}

/// A page of a list as long as lists are when nobody says how long.
fn groups() -> ListGroupsResponse {
    let time = Timestamp { seconds: 1_760_000_000, nanos: 123_000_000 };
    let group = |number: usize| Group {
        uid: format!("{ORGANIZATION}/{number:016x}"),
        name: format!("team-{number}"),
        description: "Builds \"widgets\", and\nwhat goes with them.".to_owned(),
        create_time: Some(time),
        update_time: Some(time),
        ..Group::default()
    };
    ListGroupsResponse {
        groups: (0..50).map(group).collect(),
        next_page_token: "AbCd".repeat(40),
        total_count: Some(1_000_000),
        skipped: 1_000,
    }
}

fn identity() -> Identity {
    let document = Document::parse(IDENTITY.as_bytes()).expect("JSON");
    let descriptor = contract::message_descriptor(Identity::NAME).expect("a message of the contract");
    let mut wire = Vec::new();
    document.append(&mut wire, &descriptor, contract::Body::All).expect("an identity");
    Identity::decode(wire.as_slice()).expect("what was read decodes")
}

#[library_benchmark]
#[bench::of_50_groups(groups())]
#[bench::of_an_identity(identity())]
fn json_writer<M: Message>(message: M) -> (String, M) {
    let mut text = String::new();
    black_box(&message).write_json(&mut text);
    (text, message)
}

library_benchmark_group!(name = codec, benchmarks = [binder, json_writer]);
main!(library_benchmark_groups = codec);
