//! Advisories in the formats of others: the Open Source Vulnerability format 1.x and OpenVEX, read and written.
//!
//! Readers take anything at all and answer with what it says, or with a reason that its author understands. What a document says
//! may still be more than this program keeps: that is judged where advisories are kept.

pub mod archive;
pub mod openvex;
pub mod osv;
mod package_url;
mod record;
mod time;

use domain::vulnerabilities::{AdvisoryView, DocumentFormat};
use serde::{Deserialize, de::IgnoredAny};

pub use record::{Part, PartEvent, Record, Rejected};

/// Longest document in bytes: what is read of one takes no more than a few times that.
pub const LONGEST: usize = 512 << 10;
/// Most advisories that a document makes.
pub const PARTS: usize = 200;

/// What tells the formats apart.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "@context")]
    context: Option<String>,
    id: Option<IgnoredAny>,
    modified: Option<IgnoredAny>,
}

/// What the document says.
///
/// # Errors
/// When it is in none of the formats, or says something that has no meaning in its format.
pub fn read(document: &[u8]) -> Result<Record, Rejected> {
    if document.len() > LONGEST {
        return Err(Rejected(format!("it has {} bytes, and a document may have {LONGEST}", document.len())));
    }
    let kind: Kind = json(document)?;
    let record = match kind {
        Kind { context: Some(context), .. } if context.starts_with(openvex::CONTEXT) => openvex::read(document)?,
        Kind { context: None, id: Some(_), modified: Some(_) } => osv::read(document)?,
        Kind { .. } => {
            return Err(Rejected(format!(
                "it is neither OSV (no id and modified) nor OpenVEX (no @context {})",
                openvex::CONTEXT
            )));
        }
    };
    if record.parts.is_empty() {
        return Err(Rejected("it names no package or product".to_owned()));
    }
    if record.parts.len() > PARTS {
        return Err(Rejected(format!("it names {} packages or products, and a document may name {PARTS}", record.parts.len())));
    }
    Ok(record)
}

/// The advisory as a document; `None` where the format has no word for what it says.
#[must_use]
pub fn write(format: DocumentFormat, view: &AdvisoryView) -> Option<Vec<u8>> {
    let document = match format {
        DocumentFormat::Osv => osv::write(view),
        DocumentFormat::OpenVex => openvex::write(view),
    };
    document.and_then(|document| serde_json::to_vec_pretty(&document).ok())
}

/// The value that the text says.
fn json<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, Rejected> {
    serde_json::from_slice(text).map_err(|error| Rejected(format!("it cannot be read: {error}")))
}

#[cfg(test)]
mod tests;
