//! Reading OSV.

use std::collections::BTreeSet;

use cvss::Cvss;
use domain::{
    Timestamp,
    vulnerabilities::{
        AdvisorySpec, Detection, DocumentFormat, EventKind, Fixed, Reference, ReferenceKind, Severity, SeveritySystem,
        VulnerabilitySpec,
    },
};
use serde::Deserialize;

use super::OWN;
use crate::{Part, PartEvent, Record, Rejected, json, time};

/// A record, as far as this program understands it. What else it says stays in the original.
#[derive(Deserialize)]
struct Osv {
    schema_version: Option<String>,
    id: String,
    modified: String,
    published: Option<String>,
    withdrawn: Option<String>,
    aliases: Option<Vec<String>>,
    summary: Option<String>,
    details: Option<String>,
    severity: Option<Vec<Rating>>,
    affected: Option<Vec<Affected>>,
    references: Option<Vec<Link>>,
}

#[derive(Deserialize)]
struct Rating {
    r#type: String,
    score: String,
}

#[derive(Deserialize)]
struct Link {
    r#type: String,
    url: String,
}

#[derive(Deserialize)]
pub(super) struct Affected {
    pub(super) package: Option<Package>,
    severity: Option<Vec<Rating>>,
    pub(super) ranges: Option<Vec<Range>>,
    pub(super) versions: Option<Vec<String>>,
    database_specific: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) ecosystem: String,
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct Range {
    pub(super) r#type: String,
    repo: Option<String>,
    pub(super) events: Vec<RangeEvent>,
}

#[derive(Deserialize)]
pub(super) struct RangeEvent {
    pub(super) introduced: Option<String>,
    pub(super) fixed: Option<String>,
    pub(super) last_affected: Option<String>,
    pub(super) limit: Option<String>,
}

/// What another server of this kind has added.
#[derive(Deserialize)]
struct Own {
    artifact_type: Option<String>,
    artifact_name: Option<String>,
    artifact_architecture: Option<String>,
    event: Option<EventKind>,
}

/// A package while its entries are read.
struct Found {
    part: Part,
    /// The version that has it no more, and whether a later one has it again.
    fixed: Option<String>,
    is_open: bool,
    own: Option<EventKind>,
}

/// What the record says.
///
/// # Errors
/// When it is none of the version 1.x, or something in it has no meaning.
pub(crate) fn read(text: &[u8]) -> Result<Record, Rejected> {
    let osv: Osv = json(text)?;
    if let Some(version) = osv.schema_version.as_deref().filter(|version| !version.starts_with("1.")) {
        return Err(Rejected(format!("schema_version must be 1.x, and is {version:?}")));
    }
    if osv.id.is_empty() {
        return Err(Rejected("id is required".to_owned()));
    }
    let modified = time::read("modified", &osv.modified)?;
    let published = time::optional("published", osv.published.as_deref())?.unwrap_or(modified);
    // What was withdrawn at a time that is not known was withdrawn all the same.
    let withdrawn_at = time::optional("withdrawn", osv.withdrawn.as_deref())?.map(|at| at.max(Timestamp(1)));
    let mut aliases = vec![osv.id.clone()];
    for alias in osv.aliases.unwrap_or_default() {
        if !aliases.contains(&alias) {
            aliases.push(alias);
        }
    }
    let mut severities = ratings("severity", osv.severity.unwrap_or_default())?;
    let author = osv.id.split(['-', ':']).next().unwrap_or(&osv.id).to_owned();
    let spec = AdvisorySpec { aliases: aliases.clone(), author, legacy_id: Some(osv.id.clone()), ..AdvisorySpec::default() };
    let mut found = Vec::<Found>::new();
    let mut places = std::collections::HashMap::new();
    for (index, affected) in osv.affected.unwrap_or_default().into_iter().enumerate() {
        severities.extend(ratings(&format!("affected[{index}].severity"), affected.severity.unwrap_or_default())?);
        let own: Option<Own> = match affected.database_specific.and_then(|mut all| all.remove(OWN)) {
            Some(own) => Some(
                serde_json::from_value(own)
                    .map_err(|error| Rejected(format!("affected[{index}].database_specific.{OWN} cannot be read: {error}")))?,
            ),
            None => None,
        };
        let ranges = affected.ranges.unwrap_or_default();
        for (at, range) in ranges.iter().enumerate() {
            range.check().map_err(|wrong| Rejected(format!("affected[{index}].ranges[{at}] {wrong}")))?;
        }
        let named = match (&affected.package, own.as_ref()) {
            (Some(Package { ecosystem, name }), _) => Some((ecosystem.clone(), name.clone())),
            (None, Some(Own { artifact_type: Some(kind), artifact_name: Some(name), .. })) => Some((kind.clone(), name.clone())),
            (None, _) => ranges.iter().find_map(|range| range.repo.clone()).map(|repo| ("GIT".to_owned(), repo)),
        };
        let (ecosystem, name) =
            named.ok_or_else(|| Rejected(format!("affected[{index}] names neither a package nor the repository of a range")))?;
        let key = format!("{ecosystem}\u{1f}{name}");
        let at = *places.entry(key.clone()).or_insert(found.len());
        if at == found.len() {
            let spec = AdvisorySpec { artifact_name: name, artifact_type: ecosystem, ..spec.clone() };
            let part = Part { key, spec, events: Vec::new(), withdrawn_at };
            found.push(Found { part, fixed: None, is_open: false, own: None });
        }
        if let Some(found) = found.get_mut(at) {
            found.add(&ranges, own);
        }
    }
    let parts = found.into_iter().map(|found| found.finish(published, modified)).collect();
    let vulnerability = VulnerabilitySpec {
        id: osv.id.clone(),
        aliases: aliases.split_off(1),
        summary: osv.summary.unwrap_or_default(),
        details: osv.details.unwrap_or_default(),
        references: osv.references.unwrap_or_default().into_iter().map(Link::reference).collect(),
        severities: severities.into_iter().collect(),
        withdrawn_at,
    };
    Ok(Record { format: DocumentFormat::Osv, id: osv.id, vulnerability: Some(vulnerability), parts })
}

/// The ratings, each once.
fn ratings(field: &str, ratings: Vec<Rating>) -> Result<BTreeSet<Severity>, Rejected> {
    let mut severities = BTreeSet::new();
    for Rating { r#type, score } in ratings {
        let system = match r#type.as_str() {
            "CVSS_V2" => SeveritySystem::CvssV2,
            "CVSS_V3" => SeveritySystem::CvssV3,
            "CVSS_V4" => SeveritySystem::CvssV4,
            "Ubuntu" => SeveritySystem::Ubuntu,
            // Scoring systems of later versions are in the original.
            _ => continue,
        };
        if system != SeveritySystem::Ubuntu {
            let vector: Cvss = if score.len() <= 512 { score.parse().ok() } else { None }
                .ok_or_else(|| Rejected(format!("{field} has a score that is no vector of {type}", r#type = r#type)))?;
            let of = match vector {
                Cvss::CvssV20(_) => SeveritySystem::CvssV2,
                Cvss::CvssV40(_) => SeveritySystem::CvssV4,
                _ => SeveritySystem::CvssV3,
            };
            if of != system {
                return Err(Rejected(format!("{field} has a vector of another version under {type}", r#type = r#type)));
            }
        }
        severities.insert(Severity { system, score });
    }
    Ok(severities)
}

impl Link {
    fn reference(self) -> Reference {
        let kind = serde_json::from_value(self.r#type.into()).unwrap_or(ReferenceKind::Unspecified);
        Reference { kind, url: self.url }
    }
}

impl Range {
    /// Whether it is as the schema wants it; else what is wrong.
    fn check(&self) -> Result<(), &'static str> {
        let count = |event: &RangeEvent| {
            [&event.introduced, &event.fixed, &event.last_affected, &event.limit].into_iter().flatten().count()
        };
        if self.events.iter().any(|event| count(event) != 1) {
            return Err("has an event that is not one of introduced, fixed, last_affected and limit");
        }
        if !self.events.iter().any(|event| event.introduced.is_some()) {
            return Err("has no event introduced");
        }
        let has = |which: fn(&RangeEvent) -> bool| self.events.iter().any(which);
        if has(|event| event.last_affected.is_some()) && has(|event| event.fixed.is_some()) {
            return Err("has both fixed and last_affected");
        }
        match self.r#type.as_str() {
            "GIT" if self.repo.is_none() => Err("is of the type GIT and has no repo"),
            "GIT" | "SEMVER" | "ECOSYSTEM" => Ok(()),
            _ => Err("is of none of the types GIT, SEMVER and ECOSYSTEM"),
        }
    }
}

impl Found {
    /// Reads one entry about the package.
    fn add(&mut self, ranges: &[Range], own: Option<Own>) {
        // Commits are no versions of packages; they count where there is nothing else.
        let versions = ranges.iter().any(|range| range.r#type != "GIT");
        for range in ranges.iter().filter(|range| !versions || range.r#type != "GIT") {
            let mut is_open = false;
            for event in &range.events {
                if event.introduced.is_some() || event.last_affected.is_some() {
                    is_open = true;
                }
                if let Some(fixed) = event.fixed.as_ref().or(event.limit.as_ref()) {
                    is_open = false;
                    self.fixed = Some(fixed.clone());
                }
            }
            self.is_open |= is_open;
        }
        let Some(own) = own else { return };
        self.own = own.event.or(self.own.take());
        self.part.spec.artifact_type = own.artifact_type.unwrap_or_else(|| self.part.spec.artifact_type.clone());
        self.part.spec.artifact_architecture = own.artifact_architecture.unwrap_or_default();
    }

    fn finish(self, published: Timestamp, modified: Timestamp) -> Part {
        let Self { mut part, fixed, is_open, own } = self;
        let verdict = own.unwrap_or_else(|| match fixed {
            Some(version) if !is_open => EventKind::Fixed(Fixed { version, ..Fixed::default() }),
            _ => EventKind::TruePositiveDetermination { note: String::new() },
        });
        if !matches!(verdict, EventKind::Detection(_)) {
            part.events.push(PartEvent { at: published, kind: EventKind::Detection(Detection::Manual) });
        }
        part.events.push(PartEvent { at: modified.max(published), kind: verdict });
        part
    }
}
