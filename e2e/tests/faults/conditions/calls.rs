//! How each mutation is called, and how what it changes is read.

use client::Options;
use contract::{
    BoxFuture, Rpc,
    chainguard::{
        capabilities::Capability,
        platform::{
            iam::v2beta1::{
                BatchCreateRoleBindingsRequest, CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest,
                CreateRoleRequest, DeleteGroupRequest, DeleteIdentityRequest, DeleteRoleBindingRequest, DeleteRoleRequest,
                GetGroupRequest, GetIdentityRequest, GetRoleBindingRequest, GetRoleRequest, Group, Identity, Role, RoleBinding,
                UpdateGroupRequest, UpdateIdentityRequest, UpdateRoleBindingRequest, UpdateRoleRequest, identity::Relationship,
                rpc,
            },
            registry::v2beta1::{CreateRepoRequest, DeleteRepoRequest, GetRepoRequest, Repo, UpdateRepoRequest, rpc as registry},
        },
    },
};
use testkit::{Actor, Outcome, Transport};

use super::target::Target;

type Call = Box<dyn for<'a> Fn(&'a Actor, Transport, &'a Target, &'a Options) -> BoxFuture<'a, Outcome> + Send + Sync>;
type Read = Box<dyn for<'a> Fn(&'a Actor, Transport, &'a str) -> BoxFuture<'a, Outcome> + Send + Sync>;

/// A mutation.
pub(super) struct Case {
    pub(super) path: &'static str,
    of: fn(&Target) -> &str,
    call: Call,
    read: Read,
}

impl Case {
    /// Makes the call.
    pub(super) async fn call(&self, actor: &Actor, transport: Transport, target: &Target, options: &Options) -> Outcome {
        (self.call)(actor, transport, target, options).await
    }

    /// Reads what the call changes.
    pub(super) async fn read(&self, actor: &Actor, transport: Transport, target: &Target) -> Outcome {
        self.read_uid(actor, transport, (self.of)(target)).await
    }

    /// Reads something of the same noun.
    pub(super) async fn read_uid(&self, actor: &Actor, transport: Transport, uid: &str) -> Outcome {
        (self.read)(actor, transport, uid).await
    }

    /// Whether the call makes something new.
    pub(super) fn makes(&self) -> bool {
        self.path.contains("/Create") || self.path.contains("/BatchCreate")
    }
}

/// The calls of one noun: `R` changes it, `G` reads it by its identifier.
fn case<R: Rpc, G: Rpc>(of: fn(&Target) -> &str, request: fn(&Target) -> R::Request, get: fn(String) -> G::Request) -> Case {
    let call: Call = Box::new(move |actor, transport, target, options| {
        Box::pin(async move { actor.call_with::<R>(transport, request(target), options).await })
    });
    let read: Read =
        Box::new(move |actor, transport, uid| Box::pin(async move { actor.call::<G>(transport, get(uid.to_owned())).await }));
    Case { path: R::METHOD.path, of, call, read }
}

fn group<R: Rpc>(request: fn(&Target) -> R::Request) -> Case {
    case::<R, rpc::GetGroup>(|t| &t.empty, request, |uid| GetGroupRequest { uid })
}

fn identity<R: Rpc>(request: fn(&Target) -> R::Request) -> Case {
    case::<R, rpc::GetIdentity>(|t| &t.identity, request, |uid| GetIdentityRequest { uid })
}

fn role<R: Rpc>(request: fn(&Target) -> R::Request) -> Case {
    case::<R, rpc::GetRole>(|t| &t.role, request, |uid| GetRoleRequest { uid })
}

fn binding<R: Rpc>(request: fn(&Target) -> R::Request) -> Case {
    case::<R, rpc::GetRoleBinding>(|t| &t.binding, request, |uid| GetRoleBindingRequest { uid })
}

fn repo<R: Rpc>(request: fn(&Target) -> R::Request) -> Case {
    case::<R, registry::GetRepo>(|t| &t.repo, request, |uid| GetRepoRequest { uid })
}

fn new_group(uid: &str) -> Group {
    Group { uid: uid.into(), name: "new".into(), ..Group::default() }
}

fn new_identity(uid: &str) -> Identity {
    let relationship = Some(Relationship::ServicePrincipal(2));
    Identity { uid: uid.into(), name: "new".into(), relationship, ..Identity::default() }
}

fn new_role(uid: &str) -> Role {
    Role { uid: uid.into(), name: "new".into(), capabilities: vec![Capability::CapRepoList.into()], ..Role::default() }
}

fn new_binding(t: &Target, uid: &str) -> RoleBinding {
    let (identity_uid, role_uid) = (t.identity.clone(), if uid.is_empty() { &t.viewer } else { &t.role }.clone());
    RoleBinding { uid: uid.into(), identity_uid, role_uid, ..RoleBinding::default() }
}

fn new_repo(uid: &str) -> Repo {
    Repo { uid: uid.into(), name: "new".into(), ..Repo::default() }
}

/// Every mutation, each with a request that succeeds.
pub(super) fn cases() -> Vec<Case> {
    vec![
        group::<rpc::CreateGroup>(|t| CreateGroupRequest { parent: t.group.clone(), group: Some(new_group("")) }),
        group::<rpc::UpdateGroup>(|t| UpdateGroupRequest { group: Some(new_group(&t.empty)), update_mask: None }),
        group::<rpc::DeleteGroup>(|t| DeleteGroupRequest { uid: t.empty.clone() }),
        identity::<rpc::CreateIdentity>(|t| CreateIdentityRequest { parent: t.group.clone(), identity: Some(new_identity("")) }),
        identity::<rpc::UpdateIdentity>(|t| UpdateIdentityRequest {
            identity: Some(new_identity(&t.identity)),
            update_mask: None,
        }),
        identity::<rpc::DeleteIdentity>(|t| DeleteIdentityRequest { uid: t.identity.clone() }),
        role::<rpc::CreateRole>(|t| CreateRoleRequest { parent: t.group.clone(), role: Some(new_role("")) }),
        role::<rpc::UpdateRole>(|t| UpdateRoleRequest { role: Some(new_role(&t.role)), update_mask: None }),
        role::<rpc::DeleteRole>(|t| DeleteRoleRequest { uid: t.role.clone() }),
        binding::<rpc::CreateRoleBinding>(|t| CreateRoleBindingRequest {
            parent: t.group.clone(),
            role_binding: Some(new_binding(t, "")),
        }),
        binding::<rpc::BatchCreateRoleBindings>(|t| BatchCreateRoleBindingsRequest {
            parent: t.group.clone(),
            requests: vec![CreateRoleBindingRequest { parent: String::new(), role_binding: Some(new_binding(t, "")) }],
            role_uid: String::new(),
        }),
        binding::<rpc::UpdateRoleBinding>(|t| UpdateRoleBindingRequest {
            role_binding: Some(new_binding(t, &t.binding)),
            update_mask: None,
        }),
        binding::<rpc::DeleteRoleBinding>(|t| DeleteRoleBindingRequest { uid: t.binding.clone() }),
        repo::<registry::CreateRepo>(|t| CreateRepoRequest { parent: t.group.clone(), repo: Some(new_repo("")) }),
        repo::<registry::UpdateRepo>(|t| UpdateRepoRequest { repo: Some(new_repo(&t.repo)), update_mask: None }),
        repo::<registry::DeleteRepo>(|t| DeleteRepoRequest { uid: t.repo.clone() }),
    ]
}
