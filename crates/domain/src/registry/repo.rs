//! Repositories: where images live, and the settings of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Readme;
use crate::{
    revision::Revision,
    text::{Description, Name},
    time::Timestamp,
    uidp::Uidp,
};

/// A registry repository. Its content arrives through the registry; this is its metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repo {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: RepoSpec,
    /// Whether everybody may see it, without logging in: it was made public itself.
    #[serde(default)]
    pub public: bool,
    /// Who has made it follow the source that it has.
    #[serde(default)]
    pub synced_by: Option<Uidp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepoSpec {
    /// Unique within its group.
    pub name: Name,
    /// Free text, one line.
    pub description: Description,
    /// Where the image sits in a catalogue.
    pub catalog_tier: CatalogTier,
    /// Catalogue bundles it belongs to; order is kept.
    pub bundles: Vec<String>,
    /// Other references for the same image; order is kept.
    pub aliases: Vec<String>,
    /// Tags that are still maintained; order is kept.
    pub active_tags: Vec<String>,
    /// From where the repository is filled, if it is.
    pub sync_config: Option<SyncConfig>,
    /// What is added to images when they are built for this repository.
    pub custom_overlay: Option<CustomOverlay>,
    /// The text that introduces it.
    #[serde(default)]
    pub readme: Readme,
}

/// Where an image sits in a catalogue. Numbers are those of the contract's v2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the contract's and carry no meaning for this server")]
pub enum CatalogTier {
    #[default]
    Unspecified,
    Application,
    Base,
    Fips,
    Ai,
    Devtools,
    Commercial,
}

/// From where a repository is filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncConfig {
    /// The source repository.
    pub source: Uidp,
    /// Whether every build gets a tag of its own. Set by the server.
    pub unique_tags: bool,
    /// When filling stops. Set by the server.
    pub expires_at: Timestamp,
    /// Account association for pushing on to Google.
    pub google: String,
    /// Account association for pushing on to Amazon.
    pub amazon: String,
    /// Account association for pushing on to Azure.
    pub azure: String,
    /// Overlay applied on the way. Set by the server.
    pub apko_overlay: String,
    /// Whether the entitlement has run out and only a grace period is left. Set by the server.
    pub grace_period: bool,
}

/// What is added to an image when it is built for a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomOverlay {
    /// Packages and where they come from.
    pub contents: Option<ImageContents>,
    /// Environment variables.
    pub environment: BTreeMap<String, String>,
    /// OCI annotations.
    pub annotations: BTreeMap<String, String>,
    /// Users and groups.
    pub accounts: Option<Accounts>,
    /// Certificate authorities.
    pub certificates: Option<Certificates>,
}

/// Packages and where they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageContents {
    /// Package names.
    pub packages: Vec<String>,
    /// Package repositories at run time.
    pub runtime_repositories: Vec<String>,
    /// Package signing keys at run time.
    pub runtime_keyring: Vec<KeyringEntry>,
}

/// A package signing key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyringEntry {
    /// Its file name.
    pub name: String,
    /// The key itself.
    pub content: String,
}

/// Users and groups in an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// Who the image runs as.
    pub run_as: String,
    /// Users to add.
    pub users: Vec<Account>,
    /// Groups to add.
    pub groups: Vec<AccountGroup>,
}

/// A user in an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a passwd(5) line")]
pub struct Account {
    pub username: String,
    pub uid: i32,
    pub gid: i32,
    pub group_name: String,
    pub shell: String,
    pub home_dir: String,
}

/// A group in an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a group(5) line")]
pub struct AccountGroup {
    pub groupname: String,
    pub gid: i32,
    pub members: Vec<String>,
}

/// Certificate authorities in an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificates {
    /// Certificates to add.
    pub additional: Vec<CertificateEntry>,
    /// Named sets of certificates to add.
    pub providers: Vec<String>,
}

/// A certificate to add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateEntry {
    /// Its file name.
    pub name: String,
    /// The certificate in PEM.
    pub content: String,
}
