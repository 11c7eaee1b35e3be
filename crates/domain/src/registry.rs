//! The nouns of the registry.

pub mod deployment;
pub mod overlay;
pub mod readme;
pub mod registry_settings;
pub mod repo;
pub mod tag;

pub use deployment::{Deployment, HelmChart};
pub use overlay::{Overlay, OverlayBinding, OverlayBindingSpec, OverlayBindingView, OverlaySpec};
pub use readme::Readme;
pub use registry_settings::{RegistrySettings, RegistrySettingsSpec};
pub use repo::{
    Account, AccountGroup, Accounts, CatalogTier, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry,
    Repo, RepoSpec, SyncConfig,
};
pub use tag::{Digest, Tag, TagForms, TagName, TagSpec};

crate::revision::versioned! {
    Repo: self;
    Tag: self;
    Overlay: self;
    OverlayBinding: self;
    OverlayBindingView: self.binding;
    Deployment: self;
    RegistrySettings: self;
}
