//! Steps as calls of the API.

use client::Options;
use contract::{
    Rpc,
    chainguard::{
        capabilities::Capability,
        platform::{
            iam::v2beta1::{
                BatchCreateRoleBindingsRequest, CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest,
                CreateRoleRequest, DeleteGroupRequest, DeleteIdentityRequest, DeleteRoleBindingRequest, DeleteRoleRequest,
                GetGroupRequest, GetIdentityRequest, GetRoleBindingRequest, GetRoleRequest, Group, Identity, Role, RoleBinding,
                UpdateGroupRequest, UpdateIdentityRequest, UpdateRoleBindingRequest, UpdateRoleRequest,
                identity::{
                    ClaimMatch, Relationship,
                    claim_match::{Iss, Sub},
                },
                rpc,
            },
            oidc::{ExchangeRequest, rpc::Exchange},
            registry::v2beta1::{
                CreateRepoRequest, CreateTagRequest, DeleteRepoRequest, DeleteTagRequest, GetRepoRequest, GetTagRequest, Repo,
                Tag, UpdateRepoRequest, rpc as registry,
            },
        },
    },
    prost_types::FieldMask,
};
use serde_json::json;
use testkit::{Actor, Outcome};

use super::Driver;
use crate::model::{
    history::{Action, Match, Narrowing, Noun, Proof, Ref, Step, Wish},
    state::digest_text,
};

impl Driver {
    /// Makes the step's call.
    pub(super) async fn call(&mut self, step: &Step) -> Outcome {
        let actor = self.actor(step.caller);
        match &step.action {
            Action::Operate => {
                let token = self.server.operator().await.token.expect("operators have a token");
                Outcome { code: "OK".into(), body: json!({"token": token.expose()}), etag: None, warning: None }
            }
            Action::Exchange { subject, identity, narrowing } => {
                let upstream = self.server.mint(subject, self.server.base_url(), json!({})).await;
                let request = ExchangeRequest { identity: self.optional(identity.as_ref()), ..self.exchange(narrowing) };
                self.server.bearer(&upstream).call::<Exchange>(step.transport, request).await
            }
            Action::Narrow { narrowing } => actor.call::<Exchange>(step.transport, self.exchange(narrowing)).await,
            Action::Create { parent, wish } => self.create(step, &actor, self.optional(parent.as_ref()), wish).await,
            Action::Batch { parent, role, entries } => {
                let requests = entries.iter().map(|(identity, role)| CreateRoleBindingRequest {
                    parent: String::new(),
                    role_binding: Some(RoleBinding {
                        identity_uid: self.state.uid(identity),
                        role_uid: self.optional(role.as_ref()),
                        ..RoleBinding::default()
                    }),
                });
                let (requests, role_uid) = (requests.collect(), self.optional(role.as_ref()));
                let request = BatchCreateRoleBindingsRequest { parent: self.state.uid(parent), requests, role_uid };
                self.send::<rpc::BatchCreateRoleBindings>(step, &actor, request).await
            }
            Action::Get { noun, uid } => {
                let uid = self.state.uid(uid);
                match noun {
                    Noun::Group => self.send::<rpc::GetGroup>(step, &actor, GetGroupRequest { uid }).await,
                    Noun::Identity => self.send::<rpc::GetIdentity>(step, &actor, GetIdentityRequest { uid }).await,
                    Noun::Role => self.send::<rpc::GetRole>(step, &actor, GetRoleRequest { uid }).await,
                    Noun::Binding => self.send::<rpc::GetRoleBinding>(step, &actor, GetRoleBindingRequest { uid }).await,
                    Noun::Repo => self.send::<registry::GetRepo>(step, &actor, GetRepoRequest { uid }).await,
                    Noun::Tag => self.send::<registry::GetTag>(step, &actor, GetTagRequest { uid }).await,
                }
            }
            Action::Update { uid, wish, mask } => self.update(step, &actor, self.state.uid(uid), wish, mask).await,
            Action::Delete { noun, uid } => {
                let uid = self.state.uid(uid);
                match noun {
                    Noun::Group => self.send::<rpc::DeleteGroup>(step, &actor, DeleteGroupRequest { uid }).await,
                    Noun::Identity => self.send::<rpc::DeleteIdentity>(step, &actor, DeleteIdentityRequest { uid }).await,
                    Noun::Role => self.send::<rpc::DeleteRole>(step, &actor, DeleteRoleRequest { uid }).await,
                    Noun::Binding => self.send::<rpc::DeleteRoleBinding>(step, &actor, DeleteRoleBindingRequest { uid }).await,
                    Noun::Repo => self.send::<registry::DeleteRepo>(step, &actor, DeleteRepoRequest { uid }).await,
                    Noun::Tag => self.send::<registry::DeleteTag>(step, &actor, DeleteTagRequest { uid }).await,
                }
            }
            Action::List(list) => self.list(step, &actor, list).await,
        }
    }

    async fn create(&self, step: &Step, actor: &Actor, parent: String, wish: &Wish) -> Outcome {
        match wish {
            Wish::Group { .. } => {
                let request = CreateGroupRequest { parent, group: Some(group(String::new(), wish)) };
                self.send::<rpc::CreateGroup>(step, actor, request).await
            }
            Wish::Identity { .. } => {
                let request = CreateIdentityRequest { parent, identity: Some(self.identity(String::new(), wish)) };
                self.send::<rpc::CreateIdentity>(step, actor, request).await
            }
            Wish::Role { .. } => {
                let request = CreateRoleRequest { parent, role: Some(role(String::new(), wish)) };
                self.send::<rpc::CreateRole>(step, actor, request).await
            }
            Wish::Binding { .. } => {
                let request = CreateRoleBindingRequest { parent, role_binding: Some(self.binding(String::new(), wish)) };
                self.send::<rpc::CreateRoleBinding>(step, actor, request).await
            }
            Wish::Repo { .. } => {
                let request = CreateRepoRequest { parent, repo: Some(repo(String::new(), wish)) };
                self.send::<registry::CreateRepo>(step, actor, request).await
            }
            Wish::Tag { name, digest, deprecated } => {
                let (name, digest) = (name.clone(), digest_text(*digest));
                let tag = Tag { name, digest, deprecated: *deprecated, ..Tag::default() };
                self.send::<registry::CreateTag>(step, actor, CreateTagRequest { parent, tag: Some(tag) }).await
            }
        }
    }

    async fn update(&self, step: &Step, actor: &Actor, uid: String, wish: &Wish, mask: &[&str]) -> Outcome {
        let paths: Vec<String> = mask.iter().map(|path| (*path).to_owned()).collect();
        let update_mask = (!paths.is_empty()).then_some(FieldMask { paths });
        match wish {
            Wish::Group { .. } => {
                let request = UpdateGroupRequest { group: Some(group(uid, wish)), update_mask };
                self.send::<rpc::UpdateGroup>(step, actor, request).await
            }
            Wish::Identity { .. } => {
                let request = UpdateIdentityRequest { identity: Some(self.identity(uid, wish)), update_mask };
                self.send::<rpc::UpdateIdentity>(step, actor, request).await
            }
            Wish::Role { .. } => {
                let request = UpdateRoleRequest { role: Some(role(uid, wish)), update_mask };
                self.send::<rpc::UpdateRole>(step, actor, request).await
            }
            Wish::Binding { .. } => {
                let request = UpdateRoleBindingRequest { role_binding: Some(self.binding(uid, wish)), update_mask };
                self.send::<rpc::UpdateRoleBinding>(step, actor, request).await
            }
            Wish::Repo { .. } => {
                let request = UpdateRepoRequest { repo: Some(repo(uid, wish)), update_mask };
                self.send::<registry::UpdateRepo>(step, actor, request).await
            }
            Wish::Tag { .. } => unreachable!("a tag is made again"),
        }
    }

    pub(super) async fn send<R: Rpc>(&self, step: &Step, actor: &Actor, request: R::Request) -> Outcome {
        let if_match = step.if_match.and_then(|wanted| match wanted {
            Match::Any => Some("*".to_owned()),
            Match::Other => Some("\"none\"".to_owned()),
            Match::Seen => {
                let uid = match &step.action {
                    Action::Update { uid, .. } | Action::Delete { uid, .. } => self.state.uid(uid),
                    _ => return None,
                };
                self.state.things.get(&uid)?.seen.as_ref().map(|(_, etag)| etag.clone())
            }
        });
        let options = Options { if_match, validate_only: step.validate_only, ..Options::default() };
        actor.call_with::<R>(step.transport, request, &options).await
    }

    fn exchange(&self, narrowing: &Narrowing) -> ExchangeRequest {
        ExchangeRequest {
            scopes: narrowing.scopes.iter().map(|scope| self.state.uid(scope)).collect(),
            cap: narrowing.capabilities.iter().map(|capability| (*capability).to_owned()).collect(),
            ..ExchangeRequest::default()
        }
    }

    pub(super) fn optional(&self, name: Option<&Ref>) -> String {
        name.map(|name| self.state.uid(name)).unwrap_or_default()
    }

    fn identity(&self, uid: String, wish: &Wish) -> Identity {
        let Wish::Identity { name, description, proof } = wish else { unreachable!("an identity's wish") };
        let relationship = match proof {
            Proof::Subject(subject) => Relationship::ClaimMatch(ClaimMatch {
                iss: Some(Iss::Issuer(self.state.issuer.clone())),
                sub: Some(Sub::Subject(subject.clone())),
                ..ClaimMatch::default()
            }),
            Proof::Principal(number) => Relationship::ServicePrincipal(*number),
        };
        let (name, description) = (name.clone(), description.clone());
        Identity { uid, name, description, relationship: Some(relationship), ..Identity::default() }
    }

    fn binding(&self, uid: String, wish: &Wish) -> RoleBinding {
        let Wish::Binding { identity, role } = wish else { unreachable!("a binding's wish") };
        RoleBinding { uid, identity_uid: self.state.uid(identity), role_uid: self.state.uid(role), ..RoleBinding::default() }
    }
}

fn group(uid: String, wish: &Wish) -> Group {
    let Wish::Group { name, description, verified, kind } = wish else { unreachable!("a group's wish") };
    let (name, description) = (name.clone(), description.clone());
    Group { uid, name, description, verified: *verified, kind: *kind as i32, ..Group::default() }
}

fn role(uid: String, wish: &Wish) -> Role {
    let Wish::Role { name, description, capabilities } = wish else { unreachable!("a role's wish") };
    let number = |name: &&str| Capability::from_str_name(name).expect("a capability of the contract").into();
    let capabilities = capabilities.iter().map(number).collect();
    Role { uid, name: name.clone(), description: description.clone(), capabilities, ..Role::default() }
}

fn repo(uid: String, wish: &Wish) -> Repo {
    let Wish::Repo { name, description, tier, tags } = wish else { unreachable!("a repository's wish") };
    let (name, description, active_tags) = (name.clone(), description.clone(), tags.clone());
    Repo { uid, name, description, catalog_tier: i32::try_from(*tier).expect("a small number"), active_tags, ..Repo::default() }
}
