//! What the change feed records.

use serde::{Deserialize, Serialize};

/// The kinds of resource that the store keeps. The text form is stored, so a variant is never renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noun {
    /// An organization or a folder below one.
    Group,
    /// A user or a workload.
    Identity,
    /// A named set of capabilities.
    Role,
    /// A role held by an identity at a group.
    RoleBinding,
    /// An outside provider through which people log in.
    IdentityProvider,
    /// A role for the members of an outside group.
    ExternalGroupRoleMapping,
    /// The accounts of a group at other providers.
    AccountAssociation,
    /// An offer of a role at a group.
    GroupInvite,
    /// A user who asks to be let into an organization.
    AccessRequest,
    /// A legal document that was accepted in the name of a group.
    TermsAcceptance,
    /// What a user has told about themselves.
    IdentityMetadata,
    /// A registry repository.
    Repo,
    /// A name of an image in a repository.
    Tag,
    /// A named list of packages that go into images.
    Overlay,
    /// An overlay at work in tags of a repository.
    OverlayBinding,
    /// The charts that deploy a repository's images.
    Deployment,
    /// The settings of all repositories of a group.
    RegistrySettings,
    /// A URL that is told what happens in a group.
    Subscription,
    /// What a group says about a vulnerability in something that it ships.
    Advisory,
    /// One step in the life of an advisory, kept with it.
    AdvisoryEvent,
    /// An import of advisories.
    AdvisoryImport,
    /// What a database says about a vulnerability.
    Vulnerability,
    /// A token signing key.
    SigningKey,
    /// Everything there is: it was restored from a backup.
    Store,
}

impl Noun {
    /// The stored form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Identity => "identity",
            Self::Role => "role",
            Self::RoleBinding => "role_binding",
            Self::IdentityProvider => "identity_provider",
            Self::ExternalGroupRoleMapping => "external_group_role_mapping",
            Self::AccountAssociation => "account_association",
            Self::GroupInvite => "group_invite",
            Self::AccessRequest => "access_request",
            Self::TermsAcceptance => "terms_acceptance",
            Self::IdentityMetadata => "identity_metadata",
            Self::Repo => "repo",
            Self::Tag => "tag",
            Self::Overlay => "overlay",
            Self::OverlayBinding => "overlay_binding",
            Self::Deployment => "deployment",
            Self::RegistrySettings => "registry_settings",
            Self::Subscription => "subscription",
            Self::Advisory => "advisory",
            Self::AdvisoryEvent => "advisory_event",
            Self::AdvisoryImport => "advisory_import",
            Self::Vulnerability => "vulnerability",
            Self::SigningKey => "signing_key",
            Self::Store => "store",
        }
    }

    /// How error messages call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Identity => "identity",
            Self::Role => "role",
            Self::RoleBinding => "role binding",
            Self::IdentityProvider => "identity provider",
            Self::ExternalGroupRoleMapping => "external group role mapping",
            Self::AccountAssociation => "account association",
            Self::GroupInvite => "group invite",
            Self::AccessRequest => "access request",
            Self::TermsAcceptance => "terms acceptance",
            Self::IdentityMetadata => "identity metadata",
            Self::Repo => "repo",
            Self::Tag => "tag",
            Self::Overlay => "overlay",
            Self::OverlayBinding => "overlay binding",
            Self::Deployment => "deployment",
            Self::RegistrySettings => "registry settings",
            Self::Subscription => "subscription",
            Self::Advisory => "advisory",
            Self::AdvisoryEvent => "advisory event",
            Self::AdvisoryImport => "advisory import",
            Self::Vulnerability => "vulnerability",
            Self::SigningKey => "signing key",
            Self::Store => "store",
        }
    }
}

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// It came into being.
    Created,
    /// It changed.
    Updated,
    /// It is gone.
    Deleted,
    /// It stays as it is, and is bound to other roles, or at other places: of identities.
    Rebound,
}

impl Op {
    /// The stored form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Rebound => "rebound",
        }
    }
}
