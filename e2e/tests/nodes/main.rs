//! Two nodes on one database: what one has acknowledged holds for the next request to the other.
//!
//! These tests are about PostgreSQL, whatever engine the others run on.

mod crowd;
mod deliveries;
mod held;
mod keys;
mod rights;
mod sessions;
mod shared;
mod start;
mod terms;
mod trust;
mod writes;

use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, CreateRoleBindingRequest, Group, RoleBinding,
    rpc::{CreateGroup, CreateRoleBinding},
};
use domain::iam::role::built_in_uid;
use testkit::{Actor, Setup, TestServer};

/// Two nodes on one database.
pub(crate) struct Nodes {
    pub(crate) one: TestServer,
    pub(crate) other: TestServer,
}

impl Nodes {
    /// Starts both. `None` where there is no PostgreSQL, after saying so.
    pub(crate) async fn start() -> Option<Self> {
        Some(Self::on(pgcluster::shared()?.database()).await)
    }

    /// The same on a database that the test looks into.
    pub(crate) async fn on(database: pgcluster::Database) -> Self {
        Self::of(Setup { database: Some(database), ..Setup::default() }).await
    }

    /// The same, special in some way.
    pub(crate) async fn of(setup: Setup) -> Self {
        let one = TestServer::start_with(setup).await;
        let other = one.second_node().await;
        Self { one, other }
    }

    /// The node that writes in this round, and the one that is asked then.
    pub(crate) fn in_turn(&self, round: u64) -> (&TestServer, &TestServer) {
        if turned(round) { (&self.other, &self.one) } else { (&self.one, &self.other) }
    }

    pub(crate) async fn stop(self) {
        self.other.stop().await;
        self.one.stop().await;
    }
}

/// Whether the nodes change their parts in this round: no pattern, and the same on every run.
fn turned(round: u64) -> bool {
    round.wrapping_mul(0x9e37_79b9_7f4a_7c15).count_ones().is_multiple_of(2)
}

/// The same person at another node: the same token.
pub(crate) fn at(node: &TestServer, actor: &Actor) -> Actor {
    let token = actor.token.as_ref().expect("an actor with a token");
    Actor { identity: actor.identity.clone(), ..node.bearer(token.expose()) }
}

/// A folder of this name.
pub(crate) fn folder(parent: &str, name: &str) -> CreateGroupRequest {
    CreateGroupRequest { parent: parent.to_owned(), group: Some(Group { name: name.into(), ..Group::default() }) }
}

/// Makes a folder and answers its UID.
pub(crate) async fn make_folder(actor: &Actor, parent: &str, name: &str) -> String {
    actor.must::<CreateGroup>(folder(parent, name)).await.uid
}

/// Binds an identity to a built-in role and answers the binding's UID.
pub(crate) async fn bind(actor: &Actor, parent: &str, identity: &str, role: &str) -> String {
    let role_uid = built_in_uid(role).to_string();
    let binding = RoleBinding { identity_uid: identity.to_owned(), role_uid, ..RoleBinding::default() };
    let request = CreateRoleBindingRequest { parent: parent.to_owned(), role_binding: Some(binding) };
    actor.must::<CreateRoleBinding>(request).await.uid
}
