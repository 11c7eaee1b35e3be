//! A place to aim at: a group with one thing of every noun in it.

use contract::chainguard::{
    capabilities::Capability,
    platform::{
        iam::v2beta1::{
            CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest, CreateRoleRequest, Group, Identity, Role,
            RoleBinding, identity,
            rpc::{CreateGroup, CreateIdentity, CreateRole, CreateRoleBinding},
        },
        registry::v2beta1::{CreateRepoRequest, Repo, rpc::CreateRepo},
    },
};
use domain::{Uidp, iam::role::built_in_uid};
use testkit::{Actor, TestServer};

/// A group with one thing of every noun in it.
pub(crate) struct Place {
    pub(crate) group: Uidp,
    pub(crate) identity: String,
    pub(crate) role: String,
    pub(crate) binding: String,
    pub(crate) repo: String,
    /// A role that everybody who may bind at all holds completely.
    pub(crate) bindable: String,
}

impl Place {
    /// A group, its parent, its sibling, and a group of another organization.
    pub(crate) async fn all(server: &TestServer) -> [Self; 4] {
        let admin = server.admin();
        let parent = group(&admin, server.organization().as_str(), "parent").await;
        let own = group(&admin, parent.as_str(), "own").await;
        let sibling = group(&admin, parent.as_str(), "sibling").await;
        let other = group(&admin, "", "other").await;
        [
            Self::at(&admin, own).await,
            Self::at(&admin, parent).await,
            Self::at(&admin, sibling).await,
            Self::at(&admin, other).await,
        ]
    }

    async fn at(admin: &Actor, group: Uidp) -> Self {
        let parent = group.to_string();
        let bindable = built_in_uid("apk.pull").to_string();
        let identity = Identity {
            name: "workload".into(),
            relationship: Some(identity::Relationship::ClaimMatch(claim_match("https://issuer.example.com"))),
            ..Identity::default()
        };
        let identity =
            admin.must::<CreateIdentity>(CreateIdentityRequest { parent: parent.clone(), identity: Some(identity) }).await.uid;
        let role = Role { name: "custom".into(), capabilities: vec![Capability::CapApkList.into()], ..Role::default() };
        let role = admin.must::<CreateRole>(CreateRoleRequest { parent: parent.clone(), role: Some(role) }).await.uid;
        let binding = RoleBinding { identity_uid: identity.clone(), role_uid: bindable.clone(), ..RoleBinding::default() };
        let binding = CreateRoleBindingRequest { parent: parent.clone(), role_binding: Some(binding) };
        let binding = admin.must::<CreateRoleBinding>(binding).await.uid;
        let repo = Repo { name: "app".into(), ..Repo::default() };
        let repo = admin.must::<CreateRepo>(CreateRepoRequest { parent, repo: Some(repo) }).await.uid;
        Self { group, identity, role, binding, repo, bindable }
    }
}

/// A claim match that no token of these tests satisfies.
pub(crate) fn claim_match(issuer: &str) -> identity::ClaimMatch {
    identity::ClaimMatch {
        iss: Some(identity::claim_match::Iss::Issuer(issuer.into())),
        sub: Some(identity::claim_match::Sub::Subject("nobody".into())),
        ..identity::ClaimMatch::default()
    }
}

async fn group(admin: &Actor, parent: &str, name: &str) -> Uidp {
    let group = Group { name: name.into(), ..Group::default() };
    let made = admin.must::<CreateGroup>(CreateGroupRequest { parent: parent.into(), group: Some(group) }).await;
    made.uid.parse().expect("a UIDP")
}
