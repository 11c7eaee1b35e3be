//! The nouns of the registry.

pub mod repo;
pub mod tag;

pub use repo::{
    Account, AccountGroup, Accounts, CatalogTier, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry,
    Repo, RepoSpec, SyncConfig,
};
pub use tag::{Digest, Tag, TagForms, TagName, TagSpec};

crate::revision::versioned! {
    Repo: revision;
    Tag: revision;
}
