//! Groups: organizations and the folders below them.

use serde::{Deserialize, Serialize};

use super::ResourceLimits;
use crate::{
    revision::Revision,
    text::{Description, Name},
    time::Timestamp,
    uidp::Uidp,
};

/// A node of the tree that everything lives in and access follows downwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its identifier; a root is an organization.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: GroupSpec,
    /// Where the organization is in its life; folders show their organization's.
    pub status: OrgStatus,
    /// How much an organization may have, with all its folders. A folder says nothing.
    #[serde(default)]
    pub resource_limits: ResourceLimits,
    /// Whether everybody may see the repositories in it and below, without logging in.
    #[serde(default)]
    pub public: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupSpec {
    /// Need not be unique, except among verified organizations.
    pub name: Name,
    /// Free text, one line.
    pub description: Description,
    /// Whether operators vouch that the organization is who its name says. Organizations only.
    pub verified: bool,
    /// What sort of organization; folders show their organization's.
    pub kind: OrgKind,
}

/// What sort of organization. Numbers are those of the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the contract's and carry no meaning for this server")]
pub enum OrgKind {
    #[default]
    Unspecified,
    Starter,
    Customer,
    Dev,
    Infra,
    AwsMarketplace,
}

/// Where an organization is in its life. Numbers are those of the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrgStatus {
    /// Not stated.
    Unspecified,
    /// Being set up.
    Initializing,
    /// In use.
    #[default]
    Ready,
    /// Locked by operators.
    Suspended,
}
