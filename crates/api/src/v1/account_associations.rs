//! Account associations, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{
        AccountAssociations as Wire, AccountAssociationsCheckRequest, AccountAssociationsFilter, AccountAssociationsList,
        AccountAssociationsStatus, account_associations as parts, account_associations_status::State, rpc,
    },
};
use domain::{
    Ctx, Result, UidpFilter, Violations,
    iam::{AccountAssociation, AccountStatus},
};
use services::{AccountAssociations, iam::account_associations::AccountAssociationFilter};

use crate::{
    account_association::account_associations,
    endpoint::{Endpoint, answer, on},
    list, mask, mirror,
    noun::{deletes, lists_whole},
    uidp,
};

/// The RPCs of account associations.
pub(crate) fn endpoints(associations: &AccountAssociations) -> Vec<Endpoint> {
    vec![
        on(rpc::GroupAccountAssociationsCreate, associations, create),
        on(rpc::GroupAccountAssociationsUpdate, associations, update),
        lists_whole(rpc::GroupAccountAssociationsList, associations, part, to_wire, |items| AccountAssociationsList { items }),
        deletes(rpc::GroupAccountAssociationsDelete, associations),
        on(rpc::Check, associations, check),
    ]
}

async fn create(associations: Arc<AccountAssociations>, ctx: Arc<Ctx>, association: Wire) -> Result<Reply<Wire>> {
    let group = uidp::one("group", &association.group)?;
    Ok(answer(&ctx, &associations.create(&ctx, &group, spec_from_wire(association)?).await?, to_wire))
}

async fn update(associations: Arc<AccountAssociations>, ctx: Arc<Ctx>, association: Wire) -> Result<Reply<Wire>> {
    let group = uidp::one("group", &association.group)?;
    Ok(answer(&ctx, &associations.update(&ctx, &group, mask::replace(spec_from_wire(association)?)).await?, to_wire))
}

fn part(request: AccountAssociationsFilter) -> Result<list::Asked<AccountAssociationFilter>> {
    let AccountAssociationsFilter { group, name } = request;
    let mut violations = Violations::default();
    let group = uidp::optional("group", &group, &mut violations);
    violations.check()?;
    let part = UidpFilter { ids: group.into_iter().collect(), ..UidpFilter::default() };
    Ok((Some(part), AccountAssociationFilter { name: list::filter(&name) }))
}

async fn check(
    associations: Arc<AccountAssociations>,
    ctx: Arc<Ctx>,
    request: AccountAssociationsCheckRequest,
) -> Result<AccountAssociationsStatus> {
    let group = uidp::one("group", &request.group)?;
    let mut violations = Violations::default();
    let provider = mirror::provider("account_type", request.account_type, &mut violations);
    Ok(match associations.check(&ctx, &group, violations.finish(provider)?).await? {
        AccountStatus::Ready => AccountAssociationsStatus { ready: State::Ready.into(), ..AccountAssociationsStatus::default() },
        AccountStatus::NotReady { reason, message } => {
            AccountAssociationsStatus { ready: State::NotReady.into(), reason: reason.as_str().to_owned(), message }
        }
    })
}

account_associations!(Wire with parts);

/// An account association for an answer.
pub(crate) fn to_wire(association: &AccountAssociation) -> Wire {
    Wire { group: association.uid.to_string(), ..spec_to_wire(&association.spec) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::account_association()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }
}
