//! Terms, v1.

use std::sync::Arc;

use contract::chainguard::platform::iam::{
    AcceptTermsRequest, AcceptTermsResponse, TermsDocumentStatus, TermsFilter, TermsList, rpc,
};
use domain::{Ctx, Result, UidpFilter, iam::TermsAcceptance};
use services::Terms;

use crate::{
    endpoint::{Endpoint, on},
    list, time, uidp,
};

/// The RPCs of terms.
pub(crate) fn endpoints(terms: &Terms) -> Vec<Endpoint> {
    vec![on(rpc::AcceptTerms, terms, accept), on(rpc::ListAccepted, terms, list)]
}

async fn accept(terms: Arc<Terms>, ctx: Arc<Ctx>, request: AcceptTermsRequest) -> Result<AcceptTermsResponse> {
    let group = uidp::one("group", &request.group)?;
    let document_ids = terms.accept(&ctx, &group, request.document_ids).await?;
    Ok(AcceptTermsResponse { group: group.to_string(), document_ids })
}

async fn list(terms: Arc<Terms>, ctx: Arc<Ctx>, request: TermsFilter) -> Result<TermsList> {
    let group = uidp::one("group", &request.group)?;
    let items = list::whole(Some(UidpFilter::default()), |page| terms.list(&ctx, &group, page), to_wire).await?;
    Ok(TermsList { items })
}

fn to_wire(acceptance: &TermsAcceptance) -> TermsDocumentStatus {
    TermsDocumentStatus {
        doc_id: acceptance.document.clone(),
        accepted_by: acceptance.accepted_by.to_string(),
        accepted_at: Some(time::to_wire(acceptance.created_at)),
    }
}
