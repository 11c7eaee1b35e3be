//! What is special about tags. What holds for every noun is proved for them with the others.

mod list;
mod upsert;

use contract::chainguard::platform::registry::v2beta1::{CreateTagRequest, Repo, Tag, rpc::CreateRepo};
use testkit::{Actor, Scenario};

use crate::v2beta1::repos::new_repo;

/// A repo of the organization.
pub(crate) async fn make_repo(s: &Scenario, admin: &Actor, name: &str) -> Repo {
    s.quietly::<CreateRepo>(admin, new_repo(s.server.organization().as_str(), name)).await.ok()
}

/// A request for a tag of the repo that stands for the digest which ends in `n`.
pub(crate) fn new_tag(repo: &str, name: &str, n: u8) -> CreateTagRequest {
    let tag = Tag { name: name.into(), digest: digest(n), ..Tag::default() };
    CreateTagRequest { parent: repo.into(), tag: Some(tag) }
}

pub(crate) fn digest(n: u8) -> String {
    format!("sha256:{n:064x}")
}
