//! Published advisories and vulnerabilities, v2beta1.

use std::sync::Arc;

use contract::{
    ListAnswer as _,
    chainguard::platform::advisory::v2beta1::{
        self as wire, Document, DocumentAdvisory, DocumentEvent, ListDocumentsRequest, ListDocumentsResponse,
        ListResolvedVulnsReportsRequest, ListResolvedVulnsReportsResponse, ListVulnerabilityMetadataRequest,
        ListVulnerabilityMetadataResponse, ResolvedVuln, ResolvedVulnsReport, VulnerabilityMetadata, rpc,
    },
};
use domain::{
    Ctx, Result, UidpFilter, Violations,
    vulnerabilities::{AdvisoryEvent, Severity, Vulnerability},
};
use services::{
    Publications,
    vulnerabilities::publications::{Published, ResolvedOn},
};

use crate::{
    advisory,
    endpoint::{Endpoint, on},
    list,
    publications::{self, Asked},
    time,
};

/// The RPCs of published advisories.
pub(crate) fn endpoints(publications: &Publications) -> Vec<Endpoint> {
    vec![
        on(rpc::ListDocuments, publications, documents),
        on(rpc::ListVulnerabilityMetadata, publications, vulnerabilities),
        on(rpc::ListResolvedVulnsReports, publications, resolved),
    ]
}

async fn documents(
    publications: Arc<Publications>,
    ctx: Arc<Ctx>,
    request: ListDocumentsRequest,
) -> Result<ListDocumentsResponse> {
    let cves = publications::cves(&request.cves)?;
    let read = |page| publications.advisories(&ctx, page, &request.id, cves.clone());
    let documents = list::whole(Some(UidpFilter::default()), read, document).await?;
    let documents = publications::joined(documents, |document| (document.id, document.advisories)).into_iter();
    Ok(ListDocumentsResponse { documents: documents.map(|(id, advisories)| Document { id, advisories }).collect() })
}

/// A document with one advisory.
fn document(published: &Published) -> Document {
    let advisory = &published.advisory;
    let one = DocumentAdvisory {
        id: advisory.public_id().to_string(),
        events: advisory.approved().filter_map(event).collect(),
        aliases: advisory.spec.aliases.clone(),
        package_namespace: published.organization.clone(),
    };
    Document { id: publications::package(published), advisories: vec![one] }
}

/// Events that this service has no word for are left out.
fn event(event: &AdvisoryEvent) -> Option<DocumentEvent> {
    let data = Some(advisory::published_v2beta1::kind(&event.kind)?);
    Some(DocumentEvent { timestamp: Some(time::to_wire(event.at)), data })
}

async fn vulnerabilities(
    publications: Arc<Publications>,
    ctx: Arc<Ctx>,
    request: ListVulnerabilityMetadataRequest,
) -> Result<ListVulnerabilityMetadataResponse> {
    let ListVulnerabilityMetadataRequest { id, ids, page_size, page_token, order_by, skip } = &request;
    let asked = Asked { id, ids, page_size: *page_size, page_token, order_by, skip: *skip };
    let Some((page, ids)) = asked.read()? else {
        return Ok(ListVulnerabilityMetadataResponse::page(Vec::new(), String::new(), 0, *skip));
    };
    Ok(list::answer(publications.vulnerabilities(&ctx, page, ids).await?, vulnerability))
}

fn vulnerability(vulnerability: &Vulnerability) -> VulnerabilityMetadata {
    VulnerabilityMetadata {
        id: vulnerability.spec.id.clone(),
        summary: vulnerability.spec.summary.clone(),
        details: vulnerability.spec.details.clone(),
        references: publications::references(vulnerability, |r#type, url| wire::Reference { r#type, url }),
        severities: severities(&vulnerability.spec.severities),
    }
}

fn severities(severities: &[Severity]) -> Vec<wire::Severity> {
    advisory::severities(severities, |r#type, score| wire::Severity { r#type, score })
}

async fn resolved(
    publications: Arc<Publications>,
    ctx: Arc<Ctx>,
    request: ListResolvedVulnsReportsRequest,
) -> Result<ListResolvedVulnsReportsResponse> {
    let mut violations = Violations::default();
    let refs = request.image_refs.iter().map(|image| (image.repo.as_str(), image.tags.as_slice()));
    let images = publications::images(refs, &mut violations);
    let start = publications::day("start_time", request.start_time.as_ref(), &mut violations);
    let end = publications::day("end_time", request.end_time.as_ref(), &mut violations);
    let (start, end) = violations.finish(start.zip(end))?;
    let days = publications.resolved(&ctx, &images, start, end).await?;
    Ok(ListResolvedVulnsReportsResponse { resolved_vulns_reports: days.into_iter().map(report).collect() })
}

fn report(on: ResolvedOn) -> ResolvedVulnsReport {
    let resolved = on.resolved.into_iter().map(|one| ResolvedVuln {
        id: one.id,
        aliases: one.aliases,
        cvss_severities: severities(&one.severities),
    });
    ResolvedVulnsReport { date: Some(time::to_wire(on.day)), resolved_vulns: resolved.collect() }
}
