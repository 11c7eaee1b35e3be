//! Writers: they make, change, move and delete, and remember what was acknowledged.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use client::{Client, Code, Error};
use contract::{
    Rpc,
    chainguard::platform::{
        iam::v2beta1::{
            DeleteGroupRequest, DeleteIdentityRequest, DeleteRoleBindingRequest, Group, Identity, RoleBinding,
            UpdateGroupRequest, UpdateIdentityRequest, UpdateRoleBindingRequest,
            rpc::{DeleteGroup, DeleteIdentity, DeleteRoleBinding, UpdateGroup, UpdateIdentity, UpdateRoleBinding},
        },
        registry::v2beta1::{
            DeleteRepoRequest,
            rpc::{CreateTag, DeleteRepo},
        },
    },
};

use crate::{
    creations::{Creation, What, tagging, viewer},
    known::{Known, Unanswered},
    rows::{self, Change, Rows},
};

/// Bindings of a batch: the most that one may have.
const BATCH: usize = 25;

/// What all writers have in common.
#[derive(Default)]
pub(crate) struct Shared {
    /// Requests that were acknowledged.
    pub(crate) acknowledged: AtomicUsize,
    pub(crate) stop: AtomicBool,
}

/// One of them.
pub(crate) struct Writer {
    client: Client,
    organization: String,
    /// No other writer has it.
    name: String,
    /// Whether what it makes has a key, so that it can be sent again.
    keyed: bool,
    creations: usize,
    /// The last of them that has a key and was answered.
    last: Option<(Creation, Rows)>,
    shared: Arc<Shared>,
    known: Known,
}

/// The answer did not come.
struct Silence;

impl Writer {
    pub(crate) fn new(client: Client, organization: &str, name: String, keyed: bool, shared: Arc<Shared>) -> Self {
        let organization = organization.to_owned();
        Self { client, organization, name, keyed, creations: 0, last: None, shared, known: Known::default() }
    }

    /// Writes until an answer does not come, or it is told to stop. `first` says what it begins with.
    pub(crate) async fn write(mut self, first: usize) -> Known {
        let mut number = first;
        while !self.shared.stop.load(Ordering::Relaxed) && self.live(number).await.is_ok() {
            number += 1;
        }
        if let Some((creation, made)) = self.last {
            self.known.answered(creation, made);
        }
        self.known
    }

    /// A group, an identity in it, and one of the things that may happen to them.
    async fn live(&mut self, number: usize) -> Result<(), Silence> {
        let (name, organization) = (format!("{}-{number}", self.name), self.organization.clone());
        let group = self.make_one(&organization, What::Group(name.clone())).await?;
        let robot = self.make_one(&group, What::Identity(name.clone())).await?;
        match number % 7 {
            // A batch is as much work as many others, so it is what a kill often hits.
            0 => self.bind(&group, &robot, BATCH).await.map(drop),
            1 => {
                self.rewrite_group(&group, &format!("{name}-a"), "once").await?;
                self.rewrite_identity(&robot, &format!("{name}-b"), "once").await?;
                self.rewrite_group(&group, &format!("{name}-c"), "twice").await
            }
            2 => {
                let other = self.make_one(&group, What::Identity(format!("{name}-other"))).await?;
                for binding in self.bind(&group, &robot, 2).await? {
                    self.give(&binding, &other).await?;
                }
                self.delete_identity(&robot, &[]).await
            }
            3 => {
                for binding in self.bind(&group, &robot, 2).await? {
                    self.delete_binding(&binding).await?;
                }
                self.delete_identity(&robot, &[]).await?;
                self.delete_group(&group, &[]).await
            }
            // What hangs on something goes with it, as a whole.
            4 => {
                let bindings = self.bind(&group, &robot, BATCH).await?;
                self.delete_identity(&robot, &bindings).await?;
                self.delete_group(&group, &[]).await
            }
            // Tags go with their repository, and every digest that they had with them.
            5 => {
                let repo = self.make_one(&group, What::Repo(name.clone())).await?;
                let (moved, left) = (format!("{name}-1"), format!("{name}-2"));
                let tags = [self.make_one(&repo, What::Tag(moved.clone())).await?, self.make_one(&repo, What::Tag(left)).await?];
                for digest in 2..6 {
                    self.move_tag(&repo, &tags[0], &moved, digest).await?;
                }
                if number.is_multiple_of(2) { self.delete_repo(&repo, &tags).await } else { Ok(()) }
            }
            _ => {
                let below = self.make_one(&group, What::Group(format!("{name}-below"))).await?;
                let bindings = self.bind(&below, &robot, 2).await?;
                self.delete_group(&below, &bindings).await
            }
        }
    }

    async fn bind(&mut self, group: &str, identity: &str, count: usize) -> Result<Vec<String>, Silence> {
        self.make(group, What::Bindings { identity: identity.to_owned(), count }).await
    }

    async fn make_one(&mut self, parent: &str, what: What) -> Result<String, Silence> {
        self.make(parent, what).await?.pop().ok_or(Silence)
    }

    async fn make(&mut self, parent: &str, what: What) -> Result<Vec<String>, Silence> {
        let key = self.keyed.then(|| format!("{}-{}", self.name, self.creations));
        self.creations += 1;
        let creation = Creation { parent: parent.to_owned(), what, key };
        match creation.send(&self.client).await {
            Ok(rows) => {
                let uids = rows.keys().cloned().collect();
                self.known.made(rows.clone());
                if self.keyed {
                    self.last = Some((creation, rows));
                }
                self.shared.acknowledged.fetch_add(1, Ordering::Relaxed);
                Ok(uids)
            }
            Err(error) => Err(self.unanswered(&error, Unanswered::Creation(creation))),
        }
    }

    async fn rewrite_group(&mut self, uid: &str, name: &str, description: &str) -> Result<(), Silence> {
        let change = vec![(uid.to_owned(), Some(rows::group(name, description)))];
        let (uid, name, description) = (uid.to_owned(), name.to_owned(), description.to_owned());
        let group = Some(Group { uid, name, description, ..Group::default() });
        self.change::<UpdateGroup>(UpdateGroupRequest { group, update_mask: None }, change).await
    }

    async fn rewrite_identity(&mut self, uid: &str, name: &str, description: &str) -> Result<(), Silence> {
        let change = vec![(uid.to_owned(), Some(rows::identity(name, description)))];
        let (uid, name, description) = (uid.to_owned(), name.to_owned(), description.to_owned());
        let identity = Some(Identity { uid, name, description, ..Identity::default() });
        self.change::<UpdateIdentity>(UpdateIdentityRequest { identity, update_mask: None }, change).await
    }

    /// Gives a binding to another identity.
    async fn give(&mut self, uid: &str, identity: &str) -> Result<(), Silence> {
        let change = vec![(uid.to_owned(), Some(rows::binding(identity, &viewer())))];
        let binding = RoleBinding { uid: uid.to_owned(), identity_uid: identity.to_owned(), ..RoleBinding::default() };
        let request = UpdateRoleBindingRequest { role_binding: Some(binding), update_mask: None };
        self.change::<UpdateRoleBinding>(request, change).await
    }

    async fn delete_binding(&mut self, uid: &str) -> Result<(), Silence> {
        self.change::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: uid.to_owned() }, gone(uid, &[])).await
    }

    async fn delete_identity(&mut self, uid: &str, bindings: &[String]) -> Result<(), Silence> {
        self.change::<DeleteIdentity>(DeleteIdentityRequest { uid: uid.to_owned() }, gone(uid, bindings)).await
    }

    async fn delete_group(&mut self, uid: &str, bindings: &[String]) -> Result<(), Silence> {
        self.change::<DeleteGroup>(DeleteGroupRequest { uid: uid.to_owned() }, gone(uid, bindings)).await
    }

    async fn move_tag(&mut self, repo: &str, uid: &str, name: &str, digest: usize) -> Result<(), Silence> {
        let change = vec![(uid.to_owned(), Some(rows::tag(name, &rows::digest(digest))))];
        self.change::<CreateTag>(tagging(repo, name, digest), change).await
    }

    async fn delete_repo(&mut self, uid: &str, tags: &[String]) -> Result<(), Silence> {
        self.change::<DeleteRepo>(DeleteRepoRequest { uid: uid.to_owned() }, gone(uid, tags)).await
    }

    async fn change<R: Rpc>(&mut self, request: R::Request, change: Change) -> Result<(), Silence> {
        match self.client.call::<R>(request).await {
            Ok(_) => {
                self.known.changed(change);
                self.shared.acknowledged.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => Err(self.unanswered(&error, Unanswered::Change(change))),
        }
    }

    fn unanswered(&mut self, error: &Error, request: Unanswered) -> Silence {
        // A server that does answer says that its database is away, and nothing else.
        let told = error.request_id().is_some();
        assert!(!told || error.code() == Code::Unavailable, "{request:?}: {error}");
        self.known.unanswered(request);
        Silence
    }
}

/// A row that is deleted, with those that go with it.
fn gone(uid: &str, with_it: &[String]) -> Change {
    with_it.iter().map(String::as_str).chain([uid]).map(|uid| (uid.to_owned(), None)).collect()
}
