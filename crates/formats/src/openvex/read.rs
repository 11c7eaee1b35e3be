//! Reading OpenVEX.

use std::collections::HashMap;

use domain::{
    Timestamp,
    vulnerabilities::{AdvisorySpec, DocumentFormat},
};
use serde::Deserialize;

use super::states::State;
use crate::{Part, PartEvent, Record, Rejected, json, package_url::PackageUrl, time};

/// A document, as far as this program understands it. What else it says stays in the original.
#[derive(Deserialize)]
struct Vex {
    #[serde(rename = "@id")]
    id: String,
    author: String,
    timestamp: Option<String>,
    last_updated: Option<String>,
    statements: Vec<Claim>,
}

#[derive(Deserialize)]
struct Claim {
    vulnerability: Named,
    timestamp: Option<String>,
    last_updated: Option<String>,
    products: Option<Vec<Named>>,
    status: String,
    status_notes: Option<String>,
    justification: Option<String>,
    impact_statement: Option<String>,
    action_statement: Option<String>,
}

/// A vulnerability or product. The first versions of OpenVEX had its name alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    Name(String),
    Whole(Box<Whole>),
}

#[derive(Deserialize, Default)]
struct Whole {
    #[serde(rename = "@id")]
    id: Option<String>,
    name: Option<String>,
    aliases: Option<Vec<String>>,
    identifiers: Option<Identifiers>,
    subcomponents: Option<Vec<Component>>,
}

/// A part of a product.
#[derive(Deserialize)]
struct Component {
    #[serde(rename = "@id")]
    id: Option<String>,
    identifiers: Option<Identifiers>,
}

#[derive(Deserialize)]
struct Identifiers {
    purl: Option<String>,
    cpe23: Option<String>,
    cpe22: Option<String>,
}

/// What the document says.
///
/// # Errors
/// When something in it has no meaning.
pub(crate) fn read(text: &[u8]) -> Result<Record, Rejected> {
    let vex: Vex = json(text)?;
    if vex.id.is_empty() {
        return Err(Rejected("@id is required".to_owned()));
    }
    let document = Times {
        timestamp: time::optional("timestamp", vex.timestamp.as_deref())?,
        last_updated: time::optional("last_updated", vex.last_updated.as_deref())?,
    };
    let mut parts = Vec::<Part>::new();
    let mut places = HashMap::new();
    for (index, statement) in vex.statements.into_iter().enumerate() {
        let field = |name: &str| format!("statements[{index}].{name}");
        let times = Times {
            timestamp: time::optional(&field("timestamp"), statement.timestamp.as_deref())?,
            last_updated: time::optional(&field("last_updated"), statement.last_updated.as_deref())?,
        };
        let at = times.latest().or(document.latest());
        let at = at.ok_or_else(|| Rejected(format!("{} is required, as the document has none", field("timestamp"))))?;
        let (name, aliases) = statement.vulnerability.vulnerability();
        let name = name.ok_or_else(|| Rejected(format!("{} has no name", field("vulnerability"))))?;
        let mut all = vec![name.clone()];
        for alias in aliases {
            if !all.contains(&alias) {
                all.push(alias);
            }
        }
        let products = statement.products.unwrap_or_default();
        if products.is_empty() {
            return Err(Rejected(format!("{} names no product", field("products"))));
        }
        let state = State {
            status: statement.status,
            notes: statement.status_notes,
            justification: statement.justification,
            impact: statement.impact_statement,
            action: statement.action_statement,
        };
        for product in products {
            let (id, components) = product.product();
            let id = id.ok_or_else(|| Rejected(format!("{} has one without @id and identifiers", field("products"))))?;
            let url = PackageUrl::parse(&id);
            let version = url.as_ref().and_then(|url| url.version.as_deref());
            let kind = state.clone().kind(version).map_err(|wrong| Rejected(format!("statements[{index}] {wrong}")))?;
            for component in components {
                let key = format!("{name}\u{1f}{id}\u{1f}{}", component.as_deref().unwrap_or_default());
                let at_part = *places.entry(key.clone()).or_insert(parts.len());
                if at_part == parts.len() {
                    let spec = spec(url.as_ref(), &id, component.as_deref(), &all, &vex.author, &vex.id);
                    parts.push(Part { key, spec, events: Vec::new(), withdrawn_at: None });
                }
                if let Some(part) = parts.get_mut(at_part) {
                    part.events.push(PartEvent { at, kind: kind.clone() });
                }
                if parts.len() > crate::PARTS {
                    return Err(Rejected(format!("it names more than {} products", crate::PARTS)));
                }
            }
        }
    }
    for part in &mut parts {
        part.events.sort_by_key(|event| event.at);
    }
    Ok(Record { format: DocumentFormat::OpenVex, id: vex.id, vulnerability: None, parts })
}

/// The advisory about a product.
fn spec(
    url: Option<&PackageUrl>,
    id: &str,
    component: Option<&str>,
    aliases: &[String],
    author: &str,
    document: &str,
) -> AdvisorySpec {
    let component_url = component.and_then(PackageUrl::parse);
    AdvisorySpec {
        artifact_name: url.map_or_else(|| id.to_owned(), |url| url.name.clone()),
        artifact_type: url.map_or_else(|| "generic".to_owned(), |url| url.kind.clone()),
        artifact_architecture: url.and_then(|url| url.arch.clone()).unwrap_or_default(),
        component_name: component.map(|id| component_url.as_ref().map_or_else(|| id.to_owned(), |url| url.name.clone())),
        component_location: None,
        component_type: component_url.map(|url| url.kind),
        aliases: aliases.to_vec(),
        author: author.to_owned(),
        legacy_id: Some(document.to_owned()),
    }
}

struct Times {
    timestamp: Option<Timestamp>,
    last_updated: Option<Timestamp>,
}

impl Times {
    fn latest(&self) -> Option<Timestamp> {
        self.last_updated.max(self.timestamp)
    }
}

impl Named {
    /// The name of a vulnerability, and what else it is called.
    fn vulnerability(self) -> (Option<String>, Vec<String>) {
        match self {
            Self::Name(name) => (Some(name).filter(|name| !name.is_empty()), Vec::new()),
            Self::Whole(whole) => {
                let Whole { id, name, aliases, .. } = *whole;
                (name.or(id).filter(|name| !name.is_empty()), aliases.unwrap_or_default())
            }
        }
    }

    /// What identifies a product, and the parts of it that are meant; `None` for all of it.
    fn product(self) -> (Option<String>, Vec<Option<String>>) {
        match self {
            Self::Name(name) => (Some(name).filter(|name| !name.is_empty()), vec![None]),
            Self::Whole(whole) => {
                let Whole { id, identifiers, subcomponents, .. } = *whole;
                let components: Vec<_> = subcomponents
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(|part| identified(part.identifiers, part.id))
                    .collect();
                let components = if components.is_empty() { vec![None] } else { components.into_iter().map(Some).collect() };
                (identified(identifiers, id), components)
            }
        }
    }
}

/// What something is identified by: a package URL where there is one.
fn identified(identifiers: Option<Identifiers>, id: Option<String>) -> Option<String> {
    let (purl, cpe) = identifiers.map_or((None, None), |found| (found.purl, found.cpe23.or(found.cpe22)));
    purl.or(id).or(cpe).filter(|id| !id.is_empty())
}
