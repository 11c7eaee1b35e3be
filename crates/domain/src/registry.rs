//! The nouns of the registry.

pub mod readme;
pub mod repo;
pub mod tag;

pub use readme::Readme;
pub use repo::{
    Account, AccountGroup, Accounts, CatalogTier, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry,
    Repo, RepoSpec, SyncConfig,
};
pub use tag::{Digest, Tag, TagForms, TagName, TagSpec};

crate::revision::versioned! {
    Repo: revision;
    Tag: revision;
}
