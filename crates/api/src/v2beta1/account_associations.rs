//! Account associations, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        AccountAssociation, CheckAccountAssociationRequest, CheckAccountAssociationResponse, CheckStatus,
        CreateAccountAssociationRequest, ListAccountAssociationsRequest, ListAccountAssociationsResponse,
        UpdateAccountAssociationRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations, iam::AccountStatus};
use services::{AccountAssociations, iam::account_associations::AccountAssociationFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list, mask, mirror,
    noun::{deletes, gets},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of account associations.
pub(crate) fn endpoints(associations: &AccountAssociations) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetAccountAssociation, associations, |request| &request.uid, convert::to_wire),
        on(rpc::ListAccountAssociations, associations, list),
        on(rpc::CreateAccountAssociation, associations, create),
        on(rpc::UpdateAccountAssociation, associations, update),
        deletes(rpc::DeleteAccountAssociation, associations),
        on(rpc::CheckAccountAssociation, associations, check),
    ]
}

/// Lists page by page, where the order by identifier is called that of the group as well.
async fn list(
    associations: Arc<AccountAssociations>,
    ctx: Arc<Ctx>,
    mut request: ListAccountAssociationsRequest,
) -> Result<ListAccountAssociationsResponse> {
    if let Some(direction) = request.order_by.trim_start().strip_prefix("group") {
        request.order_by = format!("uid{direction}");
    }
    let filter = AccountAssociationFilter { name: list::filter(&request.name) };
    let page = associations.list(&ctx, list::parse(&request, "", Violations::default())?, filter).await?;
    Ok(list::answer(page, convert::to_wire))
}

async fn create(
    associations: Arc<AccountAssociations>,
    ctx: Arc<Ctx>,
    request: CreateAccountAssociationRequest,
) -> Result<Reply<AccountAssociation>> {
    let group = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.account_association.unwrap_or_default()))?;
    Ok(answer(&ctx, &associations.create(&ctx, &group, spec).await?, convert::to_wire))
}

async fn update(
    associations: Arc<AccountAssociations>,
    ctx: Arc<Ctx>,
    request: UpdateAccountAssociationRequest,
) -> Result<Reply<AccountAssociation>> {
    let association = request.account_association.unwrap_or_default();
    let group = uidp::one("uid", &association.uid)?;
    let patch = mask::patch(association, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&ctx, &associations.update(&ctx, &group, patch).await?, convert::to_wire))
}

async fn check(
    associations: Arc<AccountAssociations>,
    ctx: Arc<Ctx>,
    request: CheckAccountAssociationRequest,
) -> Result<CheckAccountAssociationResponse> {
    let group = uidp::one("uid", &request.uid)?;
    let mut violations = Violations::default();
    let provider = mirror::provider("provider_type", request.provider_type, &mut violations);
    Ok(match associations.check(&ctx, &group, violations.finish(provider)?).await? {
        AccountStatus::Ready => {
            CheckAccountAssociationResponse { status: CheckStatus::Ready.into(), ..CheckAccountAssociationResponse::default() }
        }
        AccountStatus::NotReady { reason, message } => {
            CheckAccountAssociationResponse { status: CheckStatus::NotReady.into(), reason: reason.as_str().to_owned(), message }
        }
    })
}
