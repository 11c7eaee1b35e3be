//! Reading a document and judging what it says, before anything is written.

use aws_lc_rs::digest::{SHA256, digest};
use domain::{
    Ctx, Result, Timestamp, Uidp, Violations,
    vulnerabilities::{
        AdvisoryEvent, AdvisorySpec, Document, DocumentFormat, ReviewState, VulnerabilitySpec, advisory_event::Findings,
    },
};
use formats::{Part, PartEvent};

use crate::{
    iam::placed::child_of,
    texts::{self, LONG, SHORT},
    vulnerabilities::advisories::rules,
};

/// Longest name of a document that is kept, in bytes.
const NAME: usize = 255;
/// Longest reason for a rejection, in bytes.
const REASON: usize = 1000;
/// Longest summary of a vulnerability in bytes.
const SUMMARY: usize = 4096;
/// Longest details of a vulnerability in bytes.
const DETAILS: usize = 64 << 10;
/// Most references, and most ratings, of a vulnerability.
const LINKS: usize = 500;

/// What can be imported, or the reason for a rejection.
pub(super) type Judged<T> = std::result::Result<T, String>;

/// A document that was read.
#[derive(Debug)]
pub(super) struct Prepared {
    /// What its sender calls it.
    pub(super) name: String,
    /// What it says, or why it is rejected.
    pub(super) outcome: Judged<Ready>,
}

/// A document that can be imported.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) format: DocumentFormat,
    pub(super) record: String,
    /// The public id of the advisory that it was written about by a server of this kind.
    pub(super) own: Option<String>,
    pub(super) digest: [u8; 32],
    pub(super) content: Vec<u8>,
    /// With the identifier that it gets if it is new.
    pub(super) vulnerability: Option<(Uidp, VulnerabilitySpec)>,
    pub(super) parts: Vec<ReadyPart>,
}

/// An advisory that a document makes.
#[derive(Debug)]
pub(super) struct ReadyPart {
    pub(super) uid: Uidp,
    pub(super) spec: AdvisorySpec,
    pub(super) events: Vec<AdvisoryEvent>,
    pub(super) withdrawn_at: Option<Timestamp>,
}

impl Prepared {
    /// How many advisories it makes.
    pub(super) fn advisories(&self) -> usize {
        self.outcome.as_ref().map_or(0, |ready| ready.parts.len())
    }
}

/// Reads a document for an import into the group.
///
/// # Errors
/// Unauthenticated when nobody calls; invalid argument when the tree would become too deep; internal when there is no randomness.
pub(super) fn prepare(ctx: &Ctx, parent: &Uidp, is_approved: bool, document: Document) -> Result<Prepared> {
    let name = cut(&document.name, NAME);
    let outcome = match formats::read(&document.content) {
        Ok(record) => ready(ctx, parent, is_approved, record, document.content)?,
        Err(rejected) => Err(rejected.0),
    };
    Ok(Prepared { name, outcome: outcome.map_err(|reason: String| cut(&reason, REASON)) })
}

fn ready(ctx: &Ctx, parent: &Uidp, is_approved: bool, record: formats::Record, content: Vec<u8>) -> Result<Judged<Ready>> {
    let own = record.written_about().map(str::to_owned);
    let mut violations = Violations::default();
    texts::required("id", &record.id, SHORT, &mut violations);
    if let Some(vulnerability) = &record.vulnerability {
        check_vulnerability(vulnerability, &mut violations);
    }
    // The identifiers of advisories are longer, but only their events' can be too long.
    let new = child_of(ctx, parent)?;
    child_of(ctx, &new)?;
    let mut parts = Vec::with_capacity(record.parts.len());
    for part in record.parts {
        let uid = part_uid(parent, record.format, &record.id, &part.key);
        parts.push(ready_part(ctx, uid, is_approved, part, &mut violations)?);
    }
    for part in &parts {
        if let Err(error) = rules::check_size(&part.events) {
            return Ok(Err(reason(&error)));
        }
    }
    if let Err(error) = violations.check() {
        return Ok(Err(reason(&error)));
    }
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, &content).as_ref());
    Ok(Ok(Ready {
        format: record.format,
        record: record.id,
        own,
        digest: sum,
        content,
        vulnerability: record.vulnerability.map(|vulnerability| (new, vulnerability)),
        parts,
    }))
}

fn ready_part(ctx: &Ctx, uid: Uidp, is_approved: bool, part: Part, violations: &mut Violations) -> Result<ReadyPart> {
    let Part { spec, events, withdrawn_at, .. } = part;
    rules::check(&spec, violations);
    let mut recorded = Vec::with_capacity(events.len().min(rules::MAX_EVENTS));
    if rules::check_count(events.len(), violations) {
        let caller = &ctx.caller()?.identity;
        for PartEvent { at, kind } in events {
            let said = serde_json::to_string(&kind).map_err(domain::Error::internal)?;
            let event = AdvisoryEvent {
                uid: uid.child(tag(&[&at.0.to_string(), &said])),
                // Clocks differ: what is dated in the future has happened by now.
                at: at.min(ctx.now),
                kind,
                findings: Findings::default(),
                author: spec.author.clone(),
                reviewer: if is_approved { caller.to_string() } else { String::new() },
                review: if is_approved { ReviewState::Approved } else { ReviewState::Pending },
                issue: None,
                written_by: caller.clone(),
            };
            rules::check_event(ctx, &event, "", violations);
            recorded.push(event);
        }
    }
    Ok(ReadyPart { uid, spec, events: recorded, withdrawn_at })
}

/// Judges what a document says about a vulnerability itself.
fn check_vulnerability(vulnerability: &VulnerabilitySpec, violations: &mut Violations) {
    let VulnerabilitySpec { summary, details, references, severities, .. } = vulnerability;
    for (field, text, most) in [("summary", summary, SUMMARY), ("details", details, DETAILS)] {
        if !text.is_empty() {
            texts::block(field, text, most, violations);
        }
    }
    texts::each("references", references, LINKS, violations, |field, reference, violations| {
        texts::optional(field, &reference.url, LONG, violations);
    });
    texts::each("severity", severities, LINKS, violations, |field, severity, violations| {
        texts::required(field, &severity.score, SHORT, violations);
    });
}

/// The identifier of the advisory that a part of a document makes in this group.
pub(in crate::vulnerabilities) fn part_uid(parent: &Uidp, format: DocumentFormat, record: &str, key: &str) -> Uidp {
    parent.child(tag(&[format.as_str(), record, key]))
}

/// Eight bytes that follow from these texts.
fn tag(texts: &[&str]) -> [u8; 8] {
    let mut all = Vec::new();
    for text in texts {
        all.extend_from_slice(&text.len().to_be_bytes());
        all.extend_from_slice(text.as_bytes());
    }
    let mut tag = [0; 8];
    tag.copy_from_slice(digest(&SHA256, &all).as_ref().get(..8).unwrap_or(&[0; 8]));
    tag
}

/// What is wrong, for a report.
pub(super) fn reason(error: &domain::Error) -> String {
    let message = error.message();
    message.strip_prefix("Invalid argument: ").unwrap_or(message).to_owned()
}

/// A text of one line, of so many bytes at most.
fn cut(text: &str, most: usize) -> String {
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    while line.len() > most {
        line.pop();
    }
    line
}
