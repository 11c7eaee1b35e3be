//! Image repositories.

use contract::chainguard::platform::registry::v2beta1::Repo;
use serde_json::{Value, json};

use super::short;
use crate::output::{Show, time};

/// A repo and the name of its group, as far as it is known.
#[derive(Debug)]
pub(crate) struct RepoRow {
    pub(crate) repo: Repo,
    pub(crate) group: String,
}

impl Show for RepoRow {
    const COLUMNS: &'static [&'static str] = &["ID", "REGISTRY", "REPO", "BUNDLES", "TIER"];
    const WIDE: &'static [&'static str] =
        &["ID", "REGISTRY", "REPO", "BUNDLES", "TIER", "DESCRIPTION", "ALIASES", "ACTIVE TAGS", "UPDATED"];

    fn id(&self) -> &str {
        &self.repo.uid
    }

    fn label(&self) -> String {
        self.repo.name.clone()
    }

    fn row(&self) -> Vec<String> {
        let repo = &self.repo;
        vec![repo.uid.clone(), self.group.clone(), repo.name.clone(), repo.bundles.join(", "), tier(repo).to_owned()]
    }

    fn record(&self) -> Vec<String> {
        let repo = &self.repo;
        let updated = time::wire(repo.update_time.as_ref()).unwrap_or_default();
        let further = [repo.description.clone(), repo.aliases.join(", "), repo.active_tags.join(", "), updated];
        self.row().into_iter().chain(further).collect()
    }

    fn json(&self) -> Value {
        let repo = &self.repo;
        let sync = repo.sync_config.as_ref().map(|sync| {
            json!({
                "source": sync.source,
                "unique_tags": sync.unique_tags,
                "expiration": time::wire(sync.expiration_time.as_ref()),
            })
        });
        json!({
            "id": repo.uid,
            "name": repo.name,
            "description": repo.description,
            "catalog_tier": tier(repo),
            "bundles": repo.bundles,
            "aliases": repo.aliases,
            "active_tags": repo.active_tags,
            "sync_config": sync,
            "create_time": time::wire(repo.create_time.as_ref()),
            "update_time": time::wire(repo.update_time.as_ref()),
        })
    }
}

fn tier(repo: &Repo) -> &str {
    match short(repo.catalog_tier().as_str_name(), "CATALOG_TIER_") {
        "UNSPECIFIED" => "",
        tier => tier,
    }
}
