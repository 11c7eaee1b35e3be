//! Published advisories and vulnerabilities, v1.

use std::sync::Arc;

use contract::{
    ListAnswer as _,
    chainguard::platform::advisory::{
        self as wire, Document, DocumentFilter, DocumentList, ResolvedVuln, ResolvedVulnsReport, ResolvedVulnsReportFilter,
        ResolvedVulnsReportList, VulnerabilityMetadata, VulnerabilityMetadataFilter, VulnerabilityMetadataList, rpc,
    },
};
use domain::{
    Ctx, Result, UidpFilter, Violations,
    vulnerabilities::{AdvisoryEvent, Vulnerability},
};
use services::{
    Publications,
    vulnerabilities::publications::{Published, ResolvedOn},
};

use crate::{
    advisory,
    endpoint::{Endpoint, naming, on},
    list,
    publications::{self, Asked},
    time,
};

/// The RPCs of published advisories.
pub(crate) fn endpoints(publications: &Publications) -> Vec<Endpoint> {
    vec![
        on(rpc::ListDocuments, publications, documents),
        on(rpc::ListVulnerabilityMetadata, publications, vulnerabilities),
        naming(own_name, rpc::ListResolvedVulnsReports, publications, resolved),
    ]
}

/// How this version calls fields that use cases name.
fn own_name(path: &str) -> Option<String> {
    (path == "end_time").then(|| "to".to_owned())
}

async fn documents(publications: Arc<Publications>, ctx: Arc<Ctx>, request: DocumentFilter) -> Result<DocumentList> {
    let cves = publications::cves(&request.cves)?;
    let read = |page| publications.advisories(&ctx, page, &request.id, cves.clone());
    let documents = list::whole(Some(UidpFilter::default()), read, document).await?;
    let documents = publications::joined(documents, |document| (document.id, document.advisories)).into_iter();
    Ok(DocumentList { items: documents.map(|(id, advisories)| Document { id, advisories }).collect() })
}

/// A document with one advisory.
fn document(published: &Published) -> Document {
    let advisory = &published.advisory;
    let one = wire::Advisory {
        id: advisory.public_id().to_string(),
        events: advisory.approved().filter_map(event).collect(),
        aliases: advisory.spec.aliases.clone(),
        package_namespace: published.organization.clone(),
    };
    Document { id: publications::package(published), advisories: vec![one] }
}

/// Events that this service has no word for are left out.
fn event(event: &AdvisoryEvent) -> Option<wire::Event> {
    let data = Some(advisory::published_v1::kind(&event.kind)?);
    Some(wire::Event { timestamp: Some(time::to_wire(event.at)), data })
}

async fn vulnerabilities(
    publications: Arc<Publications>,
    ctx: Arc<Ctx>,
    request: VulnerabilityMetadataFilter,
) -> Result<VulnerabilityMetadataList> {
    let VulnerabilityMetadataFilter { id, ids, page_size, page_token, order_by, skip } = &request;
    let asked = Asked { id, ids, page_size: *page_size, page_token, order_by, skip: *skip };
    let Some((page, ids)) = asked.read()? else {
        return Ok(VulnerabilityMetadataList::page(Vec::new(), String::new(), 0, *skip));
    };
    Ok(list::answer(publications.vulnerabilities(&ctx, page, ids).await?, vulnerability))
}

fn vulnerability(vulnerability: &Vulnerability) -> VulnerabilityMetadata {
    VulnerabilityMetadata {
        id: vulnerability.spec.id.clone(),
        summary: vulnerability.spec.summary.clone(),
        details: vulnerability.spec.details.clone(),
        references: publications::references(vulnerability, |r#type, url| wire::Reference { r#type, url }),
        severity: advisory::all_severities(&vulnerability.spec.severities),
    }
}

async fn resolved(
    publications: Arc<Publications>,
    ctx: Arc<Ctx>,
    request: ResolvedVulnsReportFilter,
) -> Result<ResolvedVulnsReportList> {
    let mut violations = Violations::default();
    let refs = request.image_refs.iter().map(|image| (image.repo.as_str(), image.tags.as_slice()));
    let images = publications::images(refs, &mut violations);
    let start = publications::day("from", request.from.as_ref(), &mut violations);
    let end = publications::day("to", request.to.as_ref(), &mut violations);
    let (start, end) = violations.finish(start.zip(end))?;
    let days = publications.resolved(&ctx, &images, start, end).await?;
    Ok(ResolvedVulnsReportList { items: days.into_iter().map(report).collect() })
}

fn report(on: ResolvedOn) -> ResolvedVulnsReport {
    let resolved = on.resolved.into_iter().map(|one| ResolvedVuln {
        id: one.id,
        aliases: one.aliases,
        cvss_severities: advisory::all_severities(&one.severities),
    });
    ResolvedVulnsReport { date: Some(time::to_wire(on.day)), resolved_vulns: resolved.collect() }
}
