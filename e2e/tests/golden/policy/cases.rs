//! How each served method is called at a place. Writes are rehearsed only, so that one place serves every role.

use client::Options;
use contract::{
    BoxFuture, Rpc,
    chainguard::{
        capabilities::Capability,
        platform::{
            auth::rpc::Validate,
            common::UidpFilter,
            iam::v2beta1::{
                BatchCreateRoleBindingsRequest, CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest,
                CreateRoleRequest, DeleteGroupRequest, DeleteIdentityRequest, DeleteRoleBindingRequest, DeleteRoleRequest,
                GetGroupRequest, GetIdentityRequest, GetRoleBindingRequest, GetRoleRequest, Group, Identity, ListGroupsRequest,
                ListIdentitiesRequest, ListRoleBindingsRequest, ListRolesRequest, LookupIdentityRequest, Role, RoleBinding,
                UpdateGroupRequest, UpdateIdentityRequest, UpdateRoleBindingRequest, UpdateRoleRequest, identity,
                rpc::{
                    BatchCreateRoleBindings, CreateGroup, CreateIdentity, CreateRole, CreateRoleBinding, DeleteGroup,
                    DeleteIdentity, DeleteRole, DeleteRoleBinding, GetGroup, GetIdentity, GetRole, GetRoleBinding, ListGroups,
                    ListIdentities, ListRoleBindings, ListRoles, LookupIdentity, UpdateGroup, UpdateIdentity, UpdateRole,
                    UpdateRoleBinding,
                },
            },
            oidc::{ExchangeRequest, rpc::Exchange},
            ping,
            registry::v2beta1::{
                CreateRepoRequest, DeleteRepoRequest, GetRepoRequest, ListReposRequest, Repo, UpdateRepoRequest,
                rpc::{CreateRepo, DeleteRepo, GetRepo, ListRepos, UpdateRepo},
            },
        },
    },
};
use testkit::{Actor, Transport};

use super::place::{Place, claim_match};

type Call = Box<dyn for<'a> Fn(&'a Actor, &'a Place) -> BoxFuture<'a, bool> + Send + Sync>;

/// A served method and how it is called.
pub(crate) struct Case {
    pub(crate) path: &'static str,
    pub(crate) aims_at_a_place: bool,
    call: Call,
}

impl Case {
    /// Whether `actor` gets through at `place`.
    pub(crate) async fn allowed(&self, actor: &Actor, place: &Place) -> bool {
        (self.call)(actor, place).await
    }

    /// The method as the matrix shows it: its name, and the version where v1 and v2beta1 have the same.
    pub(crate) fn label(&self) -> String {
        let (service, method) = self.path.trim_start_matches('/').split_once('/').unwrap_or_default();
        let version = if service.contains(".v2beta1.") { "" } else { " (v1)" };
        format!("{method}{version}")
    }
}

/// Allowed means: answered with anything but a refusal of the caller.
fn at<R: Rpc>(request: impl Fn(&Place) -> R::Request + Send + Sync + 'static) -> Case {
    let call: Call = Box::new(move |actor, place| {
        let request = request(place);
        Box::pin(async move {
            // A secret is not rehearsed.
            let rehearsed = Options { validate_only: !R::METHOD.secret_response, ..Options::default() };
            let outcome = actor.call_with::<R>(Transport::Grpc, request, &rehearsed).await;
            assert_ne!(outcome.code, "INTERNAL", "{}", outcome.body);
            !matches!(outcome.code.as_str(), "PERMISSION_DENIED" | "UNAUTHENTICATED")
        })
    });
    Case { path: R::METHOD.path, aims_at_a_place: true, call }
}

fn nowhere<R: Rpc>(request: impl Fn(&Place) -> R::Request + Send + Sync + 'static) -> Case {
    Case { aims_at_a_place: false, ..at::<R>(request) }
}

/// Allowed means: the place's own item is among the answers.
fn list<R: Rpc>(
    request: impl Fn(UidpFilter) -> R::Request + Send + Sync + 'static,
    id: fn(&Place) -> &str,
    found: fn(R::Response) -> usize,
) -> Case {
    let call: Call = Box::new(move |actor, place| {
        let request = request(UidpFilter { ids: vec![id(place).to_owned()], ..UidpFilter::default() });
        Box::pin(async move {
            let outcome = actor.call::<R>(Transport::Grpc, request).await;
            outcome.code == "OK" && found(outcome.ok()) == 1
        })
    });
    Case { path: R::METHOD.path, aims_at_a_place: true, call }
}

fn group(place: &Place) -> Group {
    Group { uid: place.group.to_string(), name: "renamed".into(), ..Group::default() }
}

fn identity(place: &Place) -> Identity {
    let relationship = Some(identity::Relationship::ClaimMatch(claim_match("https://elsewhere.example.com")));
    Identity { uid: place.identity.clone(), name: "renamed".into(), relationship, ..Identity::default() }
}

fn role(place: &Place) -> Role {
    Role { uid: place.role.clone(), name: "renamed".into(), capabilities: vec![Capability::CapApkList.into()], ..Role::default() }
}

fn binding(place: &Place) -> RoleBinding {
    RoleBinding {
        uid: place.binding.clone(),
        identity_uid: place.identity.clone(),
        role_uid: place.bindable.clone(),
        ..RoleBinding::default()
    }
}

fn repo(place: &Place) -> Repo {
    Repo { uid: place.repo.clone(), name: "renamed".into(), ..Repo::default() }
}

/// Every served method.
pub(crate) fn cases() -> Vec<Case> {
    let parent = |place: &Place| place.group.to_string();
    vec![
        nowhere::<ping::rpc::Ping>(|_| ping::PingRequest {}),
        nowhere::<ping::v2beta1::rpc::Ping>(|_| ping::v2beta1::PingRequest {}),
        nowhere::<Validate>(|_| ()),
        nowhere::<Exchange>(|_| ExchangeRequest::default()),
        at::<CreateGroup>(move |p| CreateGroupRequest { parent: parent(p), group: Some(group(p)) }),
        at::<GetGroup>(|p| GetGroupRequest { uid: p.group.to_string() }),
        list::<ListGroups>(
            |uidp| ListGroupsRequest { uidp: Some(uidp), ..ListGroupsRequest::default() },
            |p| p.group.as_str(),
            |answer| answer.groups.len(),
        ),
        at::<UpdateGroup>(|p| UpdateGroupRequest { group: Some(group(p)), update_mask: None }),
        at::<DeleteGroup>(|p| DeleteGroupRequest { uid: p.group.to_string() }),
        at::<CreateIdentity>(move |p| CreateIdentityRequest { parent: parent(p), identity: Some(identity(p)) }),
        at::<GetIdentity>(|p| GetIdentityRequest { uid: p.identity.clone() }),
        list::<ListIdentities>(
            |uidp| ListIdentitiesRequest { uidp: Some(uidp), ..ListIdentitiesRequest::default() },
            |p| p.identity.as_str(),
            |answer| answer.identities.len(),
        ),
        at::<UpdateIdentity>(|p| UpdateIdentityRequest { identity: Some(identity(p)), update_mask: None }),
        at::<DeleteIdentity>(|p| DeleteIdentityRequest { uid: p.identity.clone() }),
        nowhere::<LookupIdentity>(|_| LookupIdentityRequest {
            issuer: "https://issuer.example.com".into(),
            subject: "someone".into(),
        }),
        at::<CreateRole>(move |p| CreateRoleRequest { parent: parent(p), role: Some(role(p)) }),
        at::<GetRole>(|p| GetRoleRequest { uid: p.role.clone() }),
        list::<ListRoles>(
            |uidp| ListRolesRequest { uidp: Some(uidp), ..ListRolesRequest::default() },
            |p| p.role.as_str(),
            |answer| answer.roles.len(),
        ),
        at::<UpdateRole>(|p| UpdateRoleRequest { role: Some(role(p)), update_mask: None }),
        at::<DeleteRole>(|p| DeleteRoleRequest { uid: p.role.clone() }),
        at::<CreateRoleBinding>(move |p| CreateRoleBindingRequest { parent: parent(p), role_binding: Some(binding(p)) }),
        at::<BatchCreateRoleBindings>(move |p| BatchCreateRoleBindingsRequest {
            parent: parent(p),
            requests: vec![CreateRoleBindingRequest { parent: parent(p), role_binding: Some(binding(p)) }],
            ..BatchCreateRoleBindingsRequest::default()
        }),
        at::<GetRoleBinding>(|p| GetRoleBindingRequest { uid: p.binding.clone() }),
        list::<ListRoleBindings>(
            |uidp| ListRoleBindingsRequest { uidp: Some(uidp), ..ListRoleBindingsRequest::default() },
            |p| p.binding.as_str(),
            |answer| answer.role_bindings.len(),
        ),
        at::<UpdateRoleBinding>(|p| UpdateRoleBindingRequest { role_binding: Some(binding(p)), update_mask: None }),
        at::<DeleteRoleBinding>(|p| DeleteRoleBindingRequest { uid: p.binding.clone() }),
        at::<CreateRepo>(move |p| CreateRepoRequest { parent: parent(p), repo: Some(repo(p)) }),
        at::<GetRepo>(|p| GetRepoRequest { uid: p.repo.clone() }),
        list::<ListRepos>(
            |uidp| ListReposRequest { uidp: Some(uidp), ..ListReposRequest::default() },
            |p| p.repo.as_str(),
            |answer| answer.repos.len(),
        ),
        at::<UpdateRepo>(|p| UpdateRepoRequest { repo: Some(repo(p)), update_mask: None }),
        at::<DeleteRepo>(|p| DeleteRepoRequest { uid: p.repo.clone() }),
    ]
}
