//! Writing OpenVEX.

use domain::vulnerabilities::{Advisory, AdvisoryView, EventKind, Fixed};
use serde_json::{Value, json};

use super::states::State;
use crate::{
    osv::ecosystems,
    package_url::PackageUrl,
    record::{self, ID},
    time,
};

/// The version of OpenVEX that documents keep to.
pub(super) const VERSION: &str = "https://openvex.dev/ns/v0.2.0";

/// The advisory as a document of one statement. Only approved events count; without one, it is under investigation. `None` for what was
/// withdrawn: OpenVEX has no word for that.
pub(crate) fn write(view: &AdvisoryView) -> Option<Value> {
    let advisory = &view.advisory;
    let statement = statement(advisory, None)?;
    Some(json!({
        "@context": VERSION,
        "@id": format!("{ID}{}", advisory.public_id()),
        "author": advisory.spec.author,
        "timestamp": time::write(advisory.created_at),
        "last_updated": time::write(advisory.updated_at),
        "version": advisory.events.len().max(1),
        "statements": [statement],
    }))
}

/// What an advisory says as a statement, about the product that it was imported with, if it was. `None` where OpenVEX has no word for it.
pub(super) fn statement(advisory: &Advisory, product_key: Option<&str>) -> Option<Value> {
    if advisory.withdrawn_at.is_some() {
        return None;
    }
    let spec = &advisory.spec;
    let id = advisory.public_id();
    let verdict = record::verdict(advisory);
    let State { status, notes, justification, impact, action } = State::of(&verdict.kind)?;
    let version = version_of(&verdict.kind);
    let arch = (!spec.artifact_architecture.is_empty()).then(|| spec.artifact_architecture.clone());
    let kind = ecosystems::purl_type(&spec.artifact_type).to_owned();
    let mut product = json!({ "@id": PackageUrl { kind, name: spec.artifact_name.clone(), version, arch }.text() });
    if let Some(name) = &spec.component_name {
        let kind = ecosystems::purl_type(spec.component_type.as_deref().unwrap_or("generic")).to_owned();
        let component = PackageUrl { kind, name: name.clone(), ..PackageUrl::default() };
        product.as_object_mut()?.insert("subcomponents".to_owned(), json!([{ "@id": component.text() }]));
    }
    // A product of a document may have a version and more, which an advisory does not know.
    let mut parts = product_key.unwrap_or_default().split('\u{1f}').skip(1);
    if let Some(id) = parts.next()
        && version_of(&verdict.kind).is_none()
    {
        product = json!({ "@id": id });
        if let Some(component) = parts.next().filter(|component| !component.is_empty()) {
            product.as_object_mut()?.insert("subcomponents".to_owned(), json!([{ "@id": component }]));
        }
    }
    let (name, aliases) = match spec.aliases.split_first() {
        Some((name, aliases)) => (name.clone(), aliases.to_vec()),
        None => (id.to_string(), Vec::new()),
    };
    let mut statement = json!({
        "vulnerability": { "name": name, "aliases": aliases },
        "timestamp": time::write(verdict.at),
        "products": [product],
        "status": status,
    });
    let fields = statement.as_object_mut()?;
    for (field, text) in
        [("status_notes", notes), ("justification", justification), ("impact_statement", impact), ("action_statement", action)]
    {
        if let Some(text) = text {
            fields.insert(field.to_owned(), text.into());
        }
    }
    Some(statement)
}

/// The version that a verdict is about.
fn version_of(kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::Fixed(Fixed { version, .. }) if version != "0" => Some(version.clone()),
        _ => None,
    }
}
