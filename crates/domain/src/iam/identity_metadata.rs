//! What users tell about themselves.

use serde::{Deserialize, Serialize};

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// What a user has told about themselves. Nothing is decided by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IdentityMetadata {
    /// The identifier of the user.
    pub uid: Uidp,
    /// What was told.
    pub spec: IdentityMetadataSpec,
    /// When something was told first.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What a user may tell. The stored form is this type as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IdentityMetadataSpec {
    /// The employer.
    pub company: String,
    /// Whether news may be sent.
    pub updates_opt_in: bool,
    /// The product of interest.
    pub product: String,
    /// The job title.
    pub job_title: String,
    /// Providers in use, which v1 alone asks for.
    pub providers: Vec<String>,
    /// How the user arrived: campaign.
    pub utm_campaign: String,
    /// How the user arrived: link or text.
    pub utm_content: String,
    /// How the user arrived: kind of link.
    pub utm_medium: String,
    /// How the user arrived: site.
    pub utm_source: String,
    /// How the user arrived: search term.
    pub utm_term: String,
    /// The page of the form that was sent last.
    pub latest_form_submit_url: String,
    /// The page that led there.
    pub latest_internal_referring_url: String,
    /// The cookie of the form.
    pub hubspot_utk: String,
    /// Whether the user signed up without an invite.
    pub self_serve: bool,
}
