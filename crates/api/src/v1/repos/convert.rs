//! Repositories between the wire and the domain. Overlays are in [`super::overlay`].

use contract::chainguard::platform::registry as wire;
use domain::{
    Description, Name, Result, Timestamp, Violations,
    registry::{CatalogTier, Readme, Repo, RepoSpec, SyncConfig},
};

use super::overlay;
use crate::{
    mirror::{self, Mirror},
    time, uidp,
};

/// The numbers of the tiers are others than in later versions.
impl Mirror<wire::CatalogTier> for CatalogTier {
    fn to_wire(self) -> wire::CatalogTier {
        match self {
            Self::Unspecified => wire::CatalogTier::Unknown,
            Self::Application => wire::CatalogTier::Application,
            Self::Base => wire::CatalogTier::Base,
            Self::Fips => wire::CatalogTier::Fips,
            Self::Ai => wire::CatalogTier::Ai,
            Self::Devtools => wire::CatalogTier::Devtools,
            Self::Commercial => wire::CatalogTier::Commercial,
        }
    }

    fn from_wire(wire: wire::CatalogTier) -> Self {
        match wire {
            wire::CatalogTier::Unknown => Self::Unspecified,
            wire::CatalogTier::Application => Self::Application,
            wire::CatalogTier::Base => Self::Base,
            wire::CatalogTier::Fips => Self::Fips,
            wire::CatalogTier::Ai => Self::Ai,
            wire::CatalogTier::Devtools => Self::Devtools,
            wire::CatalogTier::Commercial => Self::Commercial,
        }
    }
}

/// A repository for an answer.
pub(crate) fn to_wire(repo: &Repo) -> wire::Repo {
    wire::Repo { id: repo.uid.to_string(), create_time: Some(time::to_wire(repo.created_at)), ..spec_to_wire(&repo.spec) }
}

/// What callers may set of a repository, and the server's part of its sync configuration; the rest is left empty.
fn spec_to_wire(spec: &RepoSpec) -> wire::Repo {
    wire::Repo {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        catalog_tier: mirror::number::<wire::CatalogTier>(spec.catalog_tier),
        bundles: spec.bundles.clone(),
        aliases: spec.aliases.clone(),
        active_tags: spec.active_tags.clone(),
        sync_config: spec.sync_config.as_ref().map(sync_to_wire),
        custom_overlay: spec.custom_overlay.as_ref().map(overlay::to_wire),
        readme: spec.readme.to_string(),
        ..wire::Repo::default()
    }
}

/// What a request says that a repository should be. The server's part of the sync configuration is not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn spec_from_wire(repo: wire::Repo) -> Result<RepoSpec> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &repo.name, &mut violations);
    let description = Description::parse("description", &repo.description, &mut violations);
    let tier = mirror::known::<wire::CatalogTier, _>("catalog_tier", repo.catalog_tier, &mut violations);
    let sync_config = repo.sync_config.map(|sync| sync_from_wire(sync, &mut violations));
    let custom_overlay = repo.custom_overlay.map(|overlay| overlay::from_wire(overlay, &mut violations));
    let readme = Readme::parse("readme", &repo.readme, &mut violations);
    let spec = || {
        Some(RepoSpec {
            name: name?,
            description: description?,
            catalog_tier: tier?,
            bundles: repo.bundles,
            aliases: repo.aliases,
            active_tags: repo.active_tags,
            sync_config: sync_config.flatten(),
            custom_overlay,
            readme: readme?,
        })
    };
    violations.finish(spec())
}

/// Packages are not synced apart from images.
#[expect(deprecated, reason = "the message has the field")]
fn sync_to_wire(sync: &SyncConfig) -> wire::SyncConfig {
    wire::SyncConfig {
        source: sync.source.to_string(),
        unique_tags: sync.unique_tags,
        expiration: Some(time::to_wire(sync.expires_at)),
        google: sync.google.clone(),
        amazon: sync.amazon.clone(),
        azure: sync.azure.clone(),
        sync_apks: false,
        apko_overlay: sync.apko_overlay.clone(),
        grace_period: sync.grace_period,
    }
}

/// What the server sets is the use case's to fill in.
fn sync_from_wire(sync: wire::SyncConfig, violations: &mut Violations) -> Option<SyncConfig> {
    let wire::SyncConfig { source, google, amazon, azure, .. } = sync;
    Some(SyncConfig {
        source: uidp::parse("sync_config.source", &source, violations)?,
        unique_tags: false,
        expires_at: Timestamp::default(),
        google,
        amazon,
        azure,
        apko_overlay: String::new(),
        grace_period: false,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(mut spec in specs::repo()) {
            spec.readme = Readme::trusted("# A repo");
            if let Some(sync) = spec.sync_config.take() {
                let SyncConfig { source, google, amazon, azure, .. } = sync;
                let (expires_at, apko_overlay) = (Timestamp::default(), String::new());
                let (unique_tags, grace_period) = (false, false);
                spec.sync_config =
                    Some(SyncConfig { source, google, amazon, azure, expires_at, apko_overlay, unique_tags, grace_period });
            }
            // Numbers of users and groups have no sign here.
            if let Some(account) = spec.custom_overlay.as_mut().and_then(|overlay| overlay.accounts.as_mut()) {
                account.users.iter_mut().for_each(|user| (user.uid, user.gid) = (user.uid & i32::MAX, user.gid & i32::MAX));
                account.groups.iter_mut().for_each(|group| group.gid &= i32::MAX);
            }
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let sync_config = Some(wire::SyncConfig { source: "X".into(), ..wire::SyncConfig::default() });
        let repo =
            wire::Repo { name: "a".into(), catalog_tier: 1, sync_config, readme: "<script>".into(), ..wire::Repo::default() };
        let message = spec_from_wire(repo).map_or_else(|error| error.message().to_owned(), |spec| format!("{spec:?}"));
        let expected = "Invalid argument: catalog_tier: catalog_tier has no value 1; sync_config.source: source must be a UIDP";
        assert!(message.starts_with(expected) && message.contains("; readme: readme must be Markdown"), "{message}");
    }
}
