mod create;
mod delete;
mod list;
mod readme;
mod rules;
mod sync;
mod update;

use contract::chainguard::platform::registry::v2beta1::{CreateRepoRequest, Repo};

/// A request for a repo in the group `parent`.
pub(crate) fn new_repo(parent: &str, name: &str) -> CreateRepoRequest {
    with(parent, Repo { name: name.into(), ..Repo::default() })
}

/// A request for this repo in the group `parent`.
pub(crate) fn with(parent: &str, repo: Repo) -> CreateRepoRequest {
    CreateRepoRequest { parent: parent.into(), repo: Some(repo) }
}

/// As many texts as there are.
pub(crate) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
