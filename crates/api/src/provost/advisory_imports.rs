//! Imports, exports and changes of advisories.

use std::sync::Arc;

use contract::{
    Reply,
    provost::vulnerabilities::v1::{
        self as wire, AdvisoryDocument, AppendAdvisoryDocumentsRequest, AppendAdvisoryDocumentsResponse,
        CreateAdvisoryImportRequest, DocumentFormat as WireFormat, ExportAdvisoriesRequest, ExportAdvisoriesResponse,
        GetAdvisoryImportRequest, ListAdvisoryChangesRequest, ListAdvisoryChangesResponse, RejectedDocument, rpc,
    },
};
use domain::{
    Ctx, Error, ListRequest, Order, OrderField, Result, Violations,
    vulnerabilities::{AdvisoryImport, Document, DocumentFormat, Rejection},
};
use services::{
    Advisories, AdvisoryImports,
    vulnerabilities::advisories::{AdvisoryFilter, UPDATED_AT},
};

use crate::{
    advisory,
    endpoint::{Endpoint, answer, on},
    list, time, uidp,
    v2beta1::advisories::convert,
};

/// The RPCs of imports and exports.
pub(crate) fn endpoints(imports: &AdvisoryImports) -> Vec<Endpoint> {
    vec![
        on(rpc::CreateAdvisoryImport, imports, create),
        on(rpc::AppendAdvisoryDocuments, imports, append),
        on(rpc::GetAdvisoryImport, imports, get),
        on(rpc::ExportAdvisories, imports, export),
    ]
}

/// The RPC that tells what has changed.
pub(crate) fn changes(advisories: &Advisories) -> Vec<Endpoint> {
    vec![on(rpc::ListAdvisoryChanges, advisories, list)]
}

async fn create(
    imports: Arc<AdvisoryImports>,
    ctx: Arc<Ctx>,
    request: CreateAdvisoryImportRequest,
) -> Result<Reply<wire::AdvisoryImport>> {
    let parent = uidp::one("parent", &request.parent)?;
    let import = imports.create(&ctx, &parent, request.approved).await?;
    Ok(answer(&ctx, &import, |import| to_wire(import, &[])))
}

async fn append(
    imports: Arc<AdvisoryImports>,
    ctx: Arc<Ctx>,
    request: AppendAdvisoryDocumentsRequest,
) -> Result<Reply<AppendAdvisoryDocumentsResponse>> {
    let uid = uidp::one("uid", &request.uid)?;
    let position = u64::try_from(request.position).map_err(|_| Error::field("position", "position must not be negative"))?;
    let document = |document: AdvisoryDocument| Document { name: document.name, content: document.content.into() };
    let documents = request.documents.into_iter().map(document).collect();
    let appended = imports.append(&ctx, &uid, position, documents, request.last).await?;
    let rejections = || appended.rejections.iter().map(rejected).collect();
    Ok(answer(&ctx, &appended.import, |import| AppendAdvisoryDocumentsResponse {
        import: Some(to_wire(import, &[])),
        rejections: rejections(),
    }))
}

async fn get(
    imports: Arc<AdvisoryImports>,
    ctx: Arc<Ctx>,
    request: GetAdvisoryImportRequest,
) -> Result<Reply<wire::AdvisoryImport>> {
    let (import, rejections) = imports.get(&uidp::one("uid", &request.uid)?).await?;
    Ok(answer(&ctx, &import, |import| to_wire(import, &rejections)))
}

async fn export(
    imports: Arc<AdvisoryImports>,
    _ctx: Arc<Ctx>,
    request: ExportAdvisoriesRequest,
) -> Result<ExportAdvisoriesResponse> {
    let parent = uidp::one("parent", &request.parent)?;
    let format = match WireFormat::try_from(request.format) {
        Ok(WireFormat::Osv) => DocumentFormat::Osv,
        Ok(WireFormat::Openvex) => DocumentFormat::OpenVex,
        Ok(WireFormat::Unspecified) | Err(_) => {
            return Err(Error::field("format", "format must be DOCUMENT_FORMAT_OSV or DOCUMENT_FORMAT_OPENVEX"));
        }
    };
    let (documents, next) = imports.export(&parent, format, &request.page_token).await?;
    let document = |document: Document| AdvisoryDocument { name: document.name, content: document.content.into() };
    let documents = documents.into_iter().map(document).collect();
    Ok(ExportAdvisoriesResponse { documents, next_page_token: next.unwrap_or_default() })
}

async fn list(
    advisories: Arc<Advisories>,
    ctx: Arc<Ctx>,
    request: ListAdvisoryChangesRequest,
) -> Result<Reply<ListAdvisoryChangesResponse>> {
    let mut violations = Violations::default();
    let part = uidp::filter(request.uidp, &mut violations);
    let updated_since = request.updated_since.and_then(|at| time::parse("updated_since", &at, &mut violations));
    violations.check()?;
    let filter = AdvisoryFilter { updated_since, ..AdvisoryFilter::default() };
    let order = Order { field: OrderField::Own(UPDATED_AT), descending: false };
    let asked = ListRequest::parse(part.clone(), request.page_size, &request.page_token, "", request.skip)?;
    let page = advisories.list(&ctx, ListRequest { order, ..asked }, filter).await?;
    let freshness = advisories.freshness(&ctx, part, page.total).await?;
    Ok(advisory::dated(list::answer(page, convert::to_wire), freshness))
}

fn to_wire(import: &AdvisoryImport, rejections: &[Rejection]) -> wire::AdvisoryImport {
    let tally = &import.tally;
    wire::AdvisoryImport {
        uid: import.uid.to_string(),
        approved: import.is_approved,
        documents: count(tally.documents),
        imported: count(tally.imported),
        unchanged: count(tally.unchanged),
        rejected: count(tally.rejected),
        created_advisories: count(tally.created),
        updated_advisories: count(tally.updated),
        rejections: rejections.iter().map(rejected).collect(),
        create_time: Some(time::to_wire(import.created_at)),
        update_time: Some(time::to_wire(import.updated_at)),
        finish_time: import.finished_at.map(time::to_wire),
    }
}

fn rejected(rejection: &Rejection) -> RejectedDocument {
    let Rejection { position, name, reason } = rejection;
    RejectedDocument { position: count(*position), name: name.clone(), reason: reason.clone() }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
