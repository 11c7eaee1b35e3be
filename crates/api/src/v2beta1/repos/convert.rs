//! Repositories between the wire and the domain. Overlays are in [`super::overlay`].

use contract::chainguard::platform::registry::v2beta1 as wire;
use domain::{
    Description, Error, Name, Timestamp, Violations,
    registry::{Readme, Repo, RepoSpec, SyncConfig},
};

use super::overlay;
use crate::{field, mirror, time, uidp};

/// A repository for an answer.
pub(crate) fn to_wire(repo: &Repo) -> wire::Repo {
    wire::Repo {
        uid: repo.uid.to_string(),
        create_time: Some(time::to_wire(repo.created_at)),
        update_time: Some(time::to_wire(repo.updated_at)),
        ..spec_to_wire(&repo.spec)
    }
}

/// The readme of a repository for an answer.
pub(crate) fn readme_to_wire(repo: &Repo) -> wire::RepoReadme {
    wire::RepoReadme { uid: repo.uid.to_string(), content: repo.spec.readme.to_string() }
}

/// What callers may set of a repository but the readme, and the server's part of its sync configuration; the rest is left empty.
pub(crate) fn spec_to_wire(spec: &RepoSpec) -> wire::Repo {
    wire::Repo {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        catalog_tier: mirror::number::<wire::CatalogTier>(spec.catalog_tier),
        bundles: spec.bundles.clone(),
        aliases: spec.aliases.clone(),
        active_tags: spec.active_tags.clone(),
        sync_config: spec.sync_config.as_ref().map(sync_to_wire),
        custom_overlay: spec.custom_overlay.as_ref().map(overlay::to_wire),
        ..wire::Repo::default()
    }
}

/// What a request says that a repository should be; it says nothing of the readme.
///
/// The server's part of the sync configuration is taken as it stands: callers give what they have of it from before.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(repo: wire::Repo) -> Result<RepoSpec, Error> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &repo.name, &mut violations);
    let description = Description::parse("description", &repo.description, &mut violations);
    let tier = mirror::known::<wire::CatalogTier, _>("catalog_tier", repo.catalog_tier, &mut violations);
    let sync_config = repo.sync_config.map(|sync| sync_from_wire(sync, &mut violations));
    let custom_overlay = repo.custom_overlay.map(|overlay| overlay::from_wire(overlay, &mut violations));
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
            readme: Readme::default(),
        })
    };
    violations.finish(spec())
}

fn sync_to_wire(sync: &SyncConfig) -> wire::SyncConfig {
    wire::SyncConfig {
        source: sync.source.to_string(),
        unique_tags: sync.unique_tags,
        expiration_time: Some(time::to_wire(sync.expires_at)),
        google: sync.google.clone(),
        amazon: sync.amazon.clone(),
        azure: sync.azure.clone(),
        apko_overlay: sync.apko_overlay.clone(),
        grace_period: sync.grace_period,
    }
}

fn sync_from_wire(sync: wire::SyncConfig, violations: &mut Violations) -> Option<SyncConfig> {
    field::required_in("sync_config.", &sync, violations);
    let source = uidp::parse("sync_config.source", &sync.source, violations);
    let expires_at = match &sync.expiration_time {
        Some(time) => time::parse("sync_config.expiration_time", time, violations),
        // The use case decides.
        None => Some(Timestamp::default()),
    };
    Some(SyncConfig {
        source: source?,
        unique_tags: sync.unique_tags,
        expires_at: expires_at?,
        google: sync.google,
        amazon: sync.amazon,
        azure: sync.azure,
        apko_overlay: sync.apko_overlay,
        grace_period: sync.grace_period,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::repo()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    /// It is on the wire, so a replacement of the whole takes it along as it was.
    #[test]
    fn the_servers_part_of_syncing_stays() {
        let uid = |byte| domain::Uidp::root_from([byte; 20]);
        let (google, apko_overlay) = ("g".to_owned(), "o".to_owned());
        let expires_at = Timestamp(5000);
        let sync = SyncConfig {
            source: uid(1),
            unique_tags: true,
            expires_at,
            google,
            amazon: String::new(),
            azure: String::new(),
            apko_overlay,
            grace_period: true,
        };
        let mut current = spec_from_wire(wire::Repo { name: "a".into(), ..wire::Repo::default() }).expect("it is fine");
        current.sync_config = Some(sync.clone());
        let wished = wire::SyncConfig { source: uid(2).to_string(), apko_overlay: "mine".into(), ..wire::SyncConfig::default() };
        let wished = wire::Repo { name: "a".into(), sync_config: Some(wished), ..wire::Repo::default() };
        let whole = prost_types::FieldMask { paths: vec!["*".to_owned()] };
        let updated = crate::mask::patch(wished, Some(whole), spec_to_wire, spec_from_wire)(&current).expect("it is fine");
        let expected = SyncConfig { source: uid(2), google: String::new(), ..sync };
        assert_eq!(updated.sync_config, Some(expected));
    }

    #[test]
    fn bad_tiers_and_sources_are_named() {
        let sync_config = Some(wire::SyncConfig { source: "X".into(), ..wire::SyncConfig::default() });
        let repo = wire::Repo { name: "a".into(), catalog_tier: 7, sync_config, ..wire::Repo::default() };
        let message = spec_from_wire(repo).map_or_else(|error| error.message().to_owned(), |spec| format!("{spec:?}"));
        let expected = "Invalid argument: catalog_tier: catalog_tier has no value 7; sync_config.source: source must be a UIDP";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn every_required_field_is_asked_for() {
        use contract::chainguard::platform::registry::v2beta1::custom_overlay::{
            Accounts, Certificates, ImageContents,
            accounts::{Group, User},
            certificates::AdditionalEntry,
            image_contents::RuntimeKeyringEntry,
        };
        let text = || "x".to_owned();
        let key = RuntimeKeyringEntry { name: text(), content: text() };
        let user = User { username: text(), ..User::default() };
        let group = Group { groupname: text(), ..Group::default() };
        let certificate = AdditionalEntry { name: text(), content: text() };
        let overlay = wire::CustomOverlay {
            contents: Some(ImageContents { runtime_keyring: vec![key], ..ImageContents::default() }),
            accounts: Some(Accounts { users: vec![user], groups: vec![group], ..Accounts::default() }),
            certificates: Some(Certificates { additional: vec![certificate], ..Certificates::default() }),
            ..wire::CustomOverlay::default()
        };
        let source = domain::Uidp::root_from([1; 20]).to_string();
        let full = wire::Repo {
            name: text(),
            sync_config: Some(wire::SyncConfig { source, ..wire::SyncConfig::default() }),
            custom_overlay: Some(overlay),
            ..wire::Repo::default()
        };
        crate::required::is_asked_for(vec![full], spec_from_wire);
    }
}
