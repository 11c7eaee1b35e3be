//! The nouns of the registry.

pub mod repo;

pub use repo::{
    Account, AccountGroup, Accounts, CatalogTier, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry,
    Repo, RepoSpec, SyncConfig,
};
