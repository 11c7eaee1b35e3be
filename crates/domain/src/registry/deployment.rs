//! Deployments: which charts deploy a repository's images.

use serde::{Deserialize, Serialize};

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// The charts of a repository, which has one deployment at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// The repository's identifier: it has none of its own.
    pub uid: Uidp,
    /// The charts; order is kept.
    pub charts: Vec<HelmChart>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// A Helm chart in a repository of charts. What is absent is told from what is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelmChart {
    /// Where the chart comes from, as its users call it.
    pub source: Option<String>,
    /// The URL of the repository of charts.
    pub repo: String,
    /// The chart in it.
    pub chart: Option<String>,
}
