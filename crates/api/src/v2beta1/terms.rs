//! Terms, v2beta1.

use std::sync::Arc;

use contract::chainguard::platform::iam::v2beta1::{
    AcceptTermsRequest, AcceptTermsResponse, ListTermsAcceptancesRequest, ListTermsAcceptancesResponse, TermsAcceptance as Wire,
    rpc,
};
use domain::{Ctx, ListRequest, Result, UidpFilter, iam::TermsAcceptance};
use services::Terms;

use crate::{
    endpoint::{Endpoint, on},
    list, time, uidp,
};

/// The RPCs of terms.
pub(crate) fn endpoints(terms: &Terms) -> Vec<Endpoint> {
    vec![on(rpc::AcceptTerms, terms, accept), on(rpc::ListTermsAcceptances, terms, list)]
}

async fn accept(terms: Arc<Terms>, ctx: Arc<Ctx>, request: AcceptTermsRequest) -> Result<AcceptTermsResponse> {
    let group = uidp::one("group", &request.group)?;
    let document_ids = terms.accept(&ctx, &group, request.document_ids).await?;
    Ok(AcceptTermsResponse { group: group.to_string(), document_ids })
}

async fn list(terms: Arc<Terms>, ctx: Arc<Ctx>, request: ListTermsAcceptancesRequest) -> Result<ListTermsAcceptancesResponse> {
    let ListTermsAcceptancesRequest { group, page_size, page_token, order_by, skip } = request;
    let group = uidp::one("group", &group)?;
    let request = ListRequest::parse(UidpFilter::default(), page_size, &page_token, &order_by, skip)?;
    Ok(list::answer(terms.list(&ctx, &group, request).await?, to_wire))
}

fn to_wire(acceptance: &TermsAcceptance) -> Wire {
    Wire {
        doc_id: acceptance.document.clone(),
        accepted_by: acceptance.accepted_by.to_string(),
        org_uid: acceptance.uid.parent_text().to_owned(),
        create_time: Some(time::to_wire(acceptance.created_at)),
    }
}
