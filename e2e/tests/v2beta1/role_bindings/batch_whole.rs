//! A batch is written as a whole or not at all: rows, counters, feed, events and audit log.

use client::Options;
use contract::chainguard::platform::iam::v2beta1::{
    BatchCreateRoleBindingsRequest, BatchCreateRoleBindingsResponse, CreateRoleBindingRequest, Group,
    rpc::{BatchCreateRoleBindings, CreateGroup, CreateIdentity},
};
use domain::{Op, Revision};
use store::{
    audit::{self, AuditEntry},
    changes::{self, Change},
    check::{Means, check},
    outbox::{self, Event},
};
use testkit::{Outcome, Scenario, TestServer, scenario};

use super::new_binding;
use crate::v2beta1::{
    absent, built_in,
    groups::new_group,
    identities::{ci, new_identity},
};

const MOST: usize = 25;

/// What writes leave behind, in the order of commits.
#[derive(Debug, PartialEq)]
struct Behind {
    changes: Vec<Change>,
    events: Vec<Event>,
    /// What succeeded.
    audited: Vec<AuditEntry>,
}

/// Looks behind the API, where everything has to agree with everything else, counters included.
async fn behind(server: &TestServer) -> Behind {
    let report = check(server.store(), &Means::default(), |_, _| ()).await.expect("looks");
    assert_eq!(report.findings, []);
    let mut reader = server.store().reader().await.expect("a snapshot");
    let written = |entry: &AuditEntry| entry.revision.is_some();
    Behind {
        changes: changes::since(&mut reader, Revision(0), u32::MAX).await.expect("the feed"),
        events: outbox::pending(&mut reader, Revision(0), u32::MAX).await.expect("the events"),
        audited: audit::newest(&mut reader, u32::MAX).await.expect("the log").into_iter().filter(written).rev().collect(),
    }
}

/// A group and identities for a whole batch.
struct World {
    group: String,
    identities: Vec<String>,
}

impl World {
    async fn make(s: &Scenario) -> Self {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let group: Group = admin.must::<CreateGroup>(new_group(&org, "team-a")).await;
        let mut identities = Vec::new();
        for n in 0..MOST {
            identities.push(admin.must::<CreateIdentity>(new_identity(&org, &format!("ci-{n}"), Some(ci()))).await.uid);
        }
        Self { group: group.uid, identities }
    }

    fn batch(&self) -> BatchCreateRoleBindingsRequest {
        let requests = self.identities.iter().map(|identity| new_binding("", identity, "")).collect();
        BatchCreateRoleBindingsRequest { parent: self.group.clone(), requests, role_uid: built_in("viewer") }
    }

    fn batch_with(&self, at: usize, bad: CreateRoleBindingRequest) -> BatchCreateRoleBindingsRequest {
        let mut batch = self.batch();
        batch.requests[at] = bad;
        batch
    }
}

async fn send(s: &Scenario, batch: BatchCreateRoleBindingsRequest, options: &Options) -> Outcome {
    s.quietly_with::<BatchCreateRoleBindings>(&s.server.admin(), batch, options).await
}

fn keyed(key: &str) -> Options {
    Options { idempotency_key: Some(key.to_owned()), ..Options::default() }
}

/// The fields that a refusal names.
fn fields(outcome: &Outcome) -> Vec<&str> {
    let details = outcome.body["details"].as_array().expect("details");
    let violations = details.iter().filter_map(|detail| detail["fieldViolations"].as_array()).flatten();
    violations.filter_map(|violation| violation["field"].as_str()).collect()
}

#[tokio::test]
async fn one_bad_binding_among_25_leaves_nothing() {
    scenario(async |s| {
        let world = World::make(s).await;
        let before = behind(&s.server).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        for at in [0, 12, MOST - 1] {
            let nobody = new_binding("", &absent(&world.group), "");
            let no_role = new_binding("", &world.identities[at], &built_in("viewer").replace(char::is_numeric, "0"));
            for (bad, field) in [(nobody, "identity_uid"), (no_role, "role_uid")] {
                for options in [&Options::default(), &rehearsal, &keyed("again"), &keyed("again")] {
                    let refused = send(s, world.batch_with(at, bad.clone()), options).await;
                    assert_eq!(refused.code, "INVALID_ARGUMENT", "{:#}", refused.body);
                    assert_eq!(fields(&refused), [format!("requests[{at}].role_binding.{field}")], "{:#}", refused.body);
                    assert_eq!(behind(&s.server).await, before, "nothing was written");
                }
            }
        }
        // A refusal has not taken the key.
        let bound = send(s, world.batch(), &keyed("again")).await;
        assert_eq!(bound.code, "OK", "{:#}", bound.body);
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_one_commit_and_one_event() {
    scenario(async |s| {
        let world = World::make(s).await;
        let before = behind(&s.server).await;
        let rehearsed = send(s, world.batch(), &Options { validate_only: true, ..Options::default() }).await;
        assert_eq!(rehearsed.ok::<BatchCreateRoleBindingsResponse>().role_bindings.len(), MOST);
        assert_eq!(behind(&s.server).await, before, "it was a rehearsal");

        let first = send(s, world.batch(), &keyed("once")).await;
        let bound: Vec<_> =
            first.ok::<BatchCreateRoleBindingsResponse>().role_bindings.into_iter().map(|made| made.uid).collect();
        let after = behind(&s.server).await;
        let (changes, audited) = (&after.changes[before.changes.len()..], &after.audited[before.audited.len()..]);
        let commit = changes[0].revision;
        assert!(changes.iter().all(|change| change.revision == commit), "{changes:?}");
        let made: Vec<_> = changes.iter().filter(|change| change.op == Op::Created).map(|change| &change.uid).collect();
        assert_eq!(made, bound.iter().collect::<Vec<_>>());
        assert_eq!(audited.iter().map(|entry| entry.revision).collect::<Vec<_>>(), [Some(commit)]);
        let events = &after.events[before.events.len()..];
        assert_eq!(events.iter().map(|event| (event.revision, &*event.subject)).collect::<Vec<_>>(), [(commit, &*world.group)]);

        let again = send(s, world.batch(), &keyed("once")).await;
        assert_eq!(again, first);
        assert_eq!(behind(&s.server).await, after, "it was applied once");
    })
    .await;
}
