//! Requests that make rows. They can be sent again.

use client::{Client, Error, Options};
use contract::chainguard::platform::{
    iam::v2beta1::{
        BatchCreateRoleBindingsRequest, CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest, Group, Identity,
        RoleBinding,
        identity::{ClaimMatch, Relationship, claim_match},
        rpc::{BatchCreateRoleBindings, CreateGroup, CreateIdentity},
    },
    registry::v2beta1::{
        CreateRepoRequest, CreateTagRequest, Repo, Tag,
        rpc::{CreateRepo, CreateTag},
    },
};
use domain::iam::role::built_in_uid;

use crate::rows::{self, Rows};

/// A request to make something in a group.
#[derive(Clone, Debug)]
pub(crate) struct Creation {
    pub(crate) parent: String,
    pub(crate) what: What,
    /// The key under which it is applied once, however often it is sent.
    pub(crate) key: Option<String>,
}

/// What is made.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A group of this name.
    Group(String),
    /// An identity of this name.
    Identity(String),
    /// Bindings of one identity, in one request.
    Bindings { identity: String, count: usize },
    /// A repository of this name.
    Repo(String),
    /// A tag of this name, with the first digest.
    Tag(String),
}

impl Creation {
    /// Sends it, and answers what it has made.
    pub(crate) async fn send(&self, client: &Client) -> Result<Rows, Error> {
        let (parent, options) = (self.parent.clone(), Options { idempotency_key: self.key.clone(), ..Options::default() });
        let rows: Rows = match &self.what {
            What::Group(name) => {
                let group = Some(Group { name: name.clone(), ..Group::default() });
                let request = CreateGroupRequest { parent, group };
                Rows::from([rows::of_group(client.call_with::<CreateGroup>(request, &options).await?.message)])
            }
            What::Identity(name) => {
                let rule = ClaimMatch {
                    iss: Some(claim_match::Iss::Issuer("https://issuer.example".into())),
                    sub: Some(claim_match::Sub::Subject(name.clone())),
                    ..ClaimMatch::default()
                };
                let relationship = Some(Relationship::ClaimMatch(rule));
                let identity = Some(Identity { name: name.clone(), relationship, ..Identity::default() });
                let request = CreateIdentityRequest { parent, identity };
                Rows::from([rows::of_identity(client.call_with::<CreateIdentity>(request, &options).await?.message)])
            }
            What::Bindings { identity, count } => {
                let binding = RoleBinding { identity_uid: identity.clone(), ..RoleBinding::default() };
                let entry = CreateRoleBindingRequest { parent: String::new(), role_binding: Some(binding) };
                let requests = vec![entry; *count];
                let request = BatchCreateRoleBindingsRequest { parent, requests, role_uid: viewer() };
                let made = client.call_with::<BatchCreateRoleBindings>(request, &options).await?.message;
                made.role_bindings.into_iter().map(rows::of_binding).collect()
            }
            What::Repo(name) => {
                let repo = Some(Repo { name: name.clone(), ..Repo::default() });
                let request = CreateRepoRequest { parent, repo };
                Rows::from([rows::of_repo(client.call_with::<CreateRepo>(request, &options).await?.message)])
            }
            What::Tag(name) => {
                let request = tagging(&parent, name, 1);
                Rows::from([rows::of_tag(client.call_with::<CreateTag>(request, &options).await?.message)])
            }
        };
        let as_asked = rows.len() == self.size() && rows.iter().all(|(uid, row)| self.makes(uid, row));
        assert!(as_asked, "{self:?} is answered with {rows:?}");
        Ok(rows)
    }

    /// How many rows it makes.
    pub(crate) fn size(&self) -> usize {
        match &self.what {
            What::Group(_) | What::Identity(_) | What::Repo(_) | What::Tag(_) => 1,
            What::Bindings { count, .. } => *count,
        }
    }

    /// Whether it makes such a row.
    pub(crate) fn makes(&self, uid: &str, row: &str) -> bool {
        let here = uid.rsplit_once('/').is_some_and(|(parent, _)| parent == self.parent);
        here && match &self.what {
            What::Group(name) => row == rows::group(name, ""),
            What::Identity(name) => row == rows::identity(name, ""),
            What::Bindings { identity, .. } => row == rows::binding(identity, &viewer()),
            What::Repo(name) => row == rows::repo(name),
            What::Tag(name) => row == rows::tag(name, &rows::digest(1)),
        }
    }
}

/// A request that puts a tag at a digest, whether or not the tag is there.
pub(crate) fn tagging(repo: &str, name: &str, digest: usize) -> CreateTagRequest {
    let tag = Tag { name: name.to_owned(), digest: rows::digest(digest), ..Tag::default() };
    CreateTagRequest { parent: repo.to_owned(), tag: Some(tag) }
}

/// The role that is given.
pub(crate) fn viewer() -> String {
    built_in_uid("viewer").to_string()
}
