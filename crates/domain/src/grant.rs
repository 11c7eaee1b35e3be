//! Grants: what an identity holds where, and the places that result.

use std::fmt;

use crate::{capability::CapabilitySet, uidp::Uidp};

/// Where a grant holds: at a resource and everything below it, or everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Above every root. Only operators hold anything here.
    Everywhere,
    /// At this resource and below.
    At(Uidp),
}

impl Place {
    /// Whether what holds here also holds at `uidp`.
    #[must_use]
    pub fn covers(&self, uidp: &Uidp) -> bool {
        match self {
            Self::Everywhere => true,
            Self::At(at) => at.contains(uidp),
        }
    }

    /// Whether what holds here also holds at the other place.
    #[must_use]
    pub fn covers_place(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Everywhere, _) => true,
            (Self::At(_), Self::Everywhere) => false,
            (Self::At(at), Self::At(other)) => at.contains(other),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere => f.write_str(Uidp::ROOT),
            Self::At(uidp) => uidp.fmt(f),
        }
    }
}

/// Capabilities held at a place and below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Where.
    pub at: Place,
    /// What.
    pub capabilities: CapabilitySet,
}

/// What a token keeps of its identity's grants. It can only take away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// Keep only what holds at or below these groups; `None` keeps all. A binding at an ancestor still applies inside.
    pub scopes: Option<Vec<Uidp>>,
    /// Keep only these capabilities; `None` keeps all.
    pub capabilities: Option<CapabilitySet>,
}

/// The places where a caller holds what a method needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scopes {
    /// Everywhere.
    All,
    /// In these subtrees, none inside another, in byte order. None at all when empty.
    Subtrees(Vec<Uidp>),
}

impl Scopes {
    /// Whether `uidp` lies in one of the places.
    #[must_use]
    pub fn contains(&self, uidp: &Uidp) -> bool {
        match self {
            Self::All => true,
            Self::Subtrees(roots) => roots.iter().any(|root| root.contains(uidp)),
        }
    }
}
