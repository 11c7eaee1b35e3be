//! Something of every noun to change, make and delete.

use contract::chainguard::{
    capabilities::Capability,
    platform::{
        common::UidpFilter,
        iam::v2beta1::{
            CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest, CreateRoleRequest, Group, Identity,
            ListGroupsRequest, ListIdentitiesRequest, ListRoleBindingsRequest, ListRolesRequest, Role, RoleBinding,
            identity::Relationship,
            rpc::{
                CreateGroup, CreateIdentity, CreateRole, CreateRoleBinding, ListGroups, ListIdentities, ListRoleBindings,
                ListRoles,
            },
        },
        registry::v2beta1::{
            CreateRepoRequest, ListReposRequest, Repo,
            rpc::{CreateRepo, ListRepos},
        },
    },
};
use serde_json::Value;
use testkit::{Actor, Transport};

/// A group with one thing of every noun in it, an empty group among them.
pub(super) struct Target {
    pub(super) organization: String,
    pub(super) group: String,
    pub(super) empty: String,
    pub(super) identity: String,
    pub(super) role: String,
    pub(super) binding: String,
    pub(super) repo: String,
    pub(super) viewer: String,
}

impl Target {
    pub(super) async fn make(admin: &Actor, organization: &str) -> Self {
        let group = make_group(admin, organization, "target").await;
        let parent = group.clone();
        let relationship = Some(Relationship::ServicePrincipal(1));
        let identity = Identity { name: "workload".into(), relationship, ..Identity::default() };
        let request = CreateIdentityRequest { parent: parent.clone(), identity: Some(identity) };
        let identity = admin.must::<CreateIdentity>(request).await.uid;
        let role = Role { name: "custom".into(), capabilities: vec![Capability::CapApkList.into()], ..Role::default() };
        let role = admin.must::<CreateRole>(CreateRoleRequest { parent: parent.clone(), role: Some(role) }).await.uid;
        let viewer = domain::iam::role::built_in_uid("viewer").to_string();
        let binding = RoleBinding { identity_uid: identity.clone(), role_uid: viewer.clone(), ..RoleBinding::default() };
        let request = CreateRoleBindingRequest { parent: parent.clone(), role_binding: Some(binding) };
        let binding = admin.must::<CreateRoleBinding>(request).await.uid;
        let repo = Repo { name: "app".into(), ..Repo::default() };
        let repo = admin.must::<CreateRepo>(CreateRepoRequest { parent, repo: Some(repo) }).await.uid;
        let empty = make_group(admin, &group, "empty").await;
        Self { organization: organization.to_owned(), group, empty, identity, role, binding, repo, viewer }
    }

    /// All that is at and below the target.
    pub(super) async fn everything(&self, admin: &Actor) -> Vec<Value> {
        let uidp = Some(UidpFilter { descendants_of: self.group.clone(), ..UidpFilter::default() });
        let grpc = Transport::Grpc;
        let groups = ListGroupsRequest { uidp: uidp.clone(), ..ListGroupsRequest::default() };
        let identities = ListIdentitiesRequest { uidp: uidp.clone(), ..ListIdentitiesRequest::default() };
        let roles = ListRolesRequest { uidp: uidp.clone(), ..ListRolesRequest::default() };
        let bindings = ListRoleBindingsRequest { uidp: uidp.clone(), ..ListRoleBindingsRequest::default() };
        let repos = ListReposRequest { uidp, ..ListReposRequest::default() };
        let lists = [
            admin.call::<ListGroups>(grpc, groups).await,
            admin.call::<ListIdentities>(grpc, identities).await,
            admin.call::<ListRoles>(grpc, roles).await,
            admin.call::<ListRoleBindings>(grpc, bindings).await,
            admin.call::<ListRepos>(grpc, repos).await,
        ];
        assert!(lists.iter().all(|list| list.code == "OK"), "{lists:#?}");
        lists.into_iter().map(|list| list.body).collect()
    }
}

async fn make_group(admin: &Actor, parent: &str, name: &str) -> String {
    let group = Group { name: name.into(), ..Group::default() };
    admin.must::<CreateGroup>(CreateGroupRequest { parent: parent.into(), group: Some(group) }).await.uid
}
