//! Role bindings, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{
        self as wire, CreateRoleBindingBatchRequest, CreateRoleBindingRequest, RoleBindingBatch, RoleBindingFilter,
        RoleBindingList, role_binding_list::Binding, rpc,
    },
};
use domain::{
    Ctx, Result, Violations,
    iam::{Relationship, RoleBindingSpec, RoleBindingView},
};
use services::{
    RoleBindings,
    iam::role_bindings::{self, BATCH_MAX, BatchItem},
};

use super::{groups, roles};
use crate::{
    endpoint::{Endpoint, answer, naming, on},
    list, mask,
    noun::{deletes, lists_whole},
    time, uidp,
};

/// The RPCs of role bindings.
pub(crate) fn endpoints(bindings: &RoleBindings) -> Vec<Endpoint> {
    vec![
        on(rpc::RoleBindingsCreate, bindings, create),
        on(rpc::RoleBindingsUpdate, bindings, update),
        lists_whole(rpc::RoleBindingsList, bindings, part, item_to_wire, |items| RoleBindingList { items }),
        deletes(rpc::RoleBindingsDelete, bindings),
        naming(batch_name, rpc::CreateBatch, bindings, create_batch),
    ]
}

async fn create(
    bindings: Arc<RoleBindings>,
    ctx: Arc<Ctx>,
    request: CreateRoleBindingRequest,
) -> Result<Reply<wire::RoleBinding>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = spec_from_wire(&request.role_binding.unwrap_or_default())?;
    Ok(answer(&ctx, &bindings.create(&ctx, &parent, spec).await?, to_wire))
}

async fn update(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, binding: wire::RoleBinding) -> Result<Reply<wire::RoleBinding>> {
    let uid = uidp::one("id", &binding.id)?;
    Ok(answer(&ctx, &bindings.update(&ctx, &uid, mask::replace(spec_from_wire(&binding)?)).await?, to_wire))
}

async fn create_batch(
    bindings: Arc<RoleBindings>,
    ctx: Arc<Ctx>,
    request: CreateRoleBindingBatchRequest,
) -> Result<RoleBindingBatch> {
    let mut violations = Violations::default();
    let parent = uidp::parse("parent", &request.parent, &mut violations);
    if !(1..=BATCH_MAX).contains(&request.role_bindings.len()) {
        violations.add("role_bindings", format!("role_bindings must have 1 to {BATCH_MAX} entries"));
    }
    let items = request.role_bindings.iter().take(BATCH_MAX).enumerate();
    let items = items.filter_map(|(index, binding)| item_from_wire(index, binding, &mut violations)).collect();
    let parent = violations.finish(parent)?;
    let views = bindings.batch_create(&ctx, &parent, None, items).await?;
    Ok(RoleBindingBatch { role_bindings: views.iter().map(to_wire).collect() })
}

/// What a field of an entry is called here.
fn batch_name(path: &str) -> Option<String> {
    Some(format!("role_bindings{}", path.strip_prefix("items")?))
}

fn part(request: RoleBindingFilter) -> Result<list::Asked<role_bindings::RoleBindingFilter>> {
    let part = list::part(request.uidp, &request.id, Violations::default())?;
    Ok((part, role_bindings::RoleBindingFilter::default()))
}

/// A role binding for an answer.
pub(crate) fn to_wire(view: &RoleBindingView) -> wire::RoleBinding {
    let binding = &view.binding;
    let group = view.group.uid.to_string();
    // The field of the group is deprecated; who reads it finds what it always held.
    #[expect(deprecated, reason = "answers have all fields")]
    let message = wire::RoleBinding { id: binding.uid.to_string(), group, ..spec_to_wire(&binding.spec) };
    message
}

/// A role binding for a list, with what it names.
fn item_to_wire(view: &RoleBindingView) -> Binding {
    let identity = view.identity.as_ref();
    let relationship = identity.map(|identity| &identity.spec.relationship);
    Binding {
        id: view.binding.uid.to_string(),
        group: Some(groups::to_wire(&view.group)),
        identity: view.binding.spec.identity.to_string(),
        role: Some(roles::to_wire(&view.role)),
        email: identity.and_then(|identity| identity.email.clone()).unwrap_or_default(),
        email_unverified: identity.and_then(|identity| identity.email_unverified.clone()).unwrap_or_default(),
        claim_match_issuer: relationship.and_then(Relationship::issuer).unwrap_or_default().to_owned(),
        claim_match_subject: relationship.and_then(Relationship::subject).unwrap_or_default().to_owned(),
        created_at: Some(time::to_wire(view.binding.created_at)),
    }
}

/// What callers may set of a role binding; the rest is left empty.
fn spec_to_wire(spec: &RoleBindingSpec) -> wire::RoleBinding {
    wire::RoleBinding { identity: spec.identity.to_string(), role: spec.role.to_string(), ..wire::RoleBinding::default() }
}

/// What a request says that a role binding should be. Where it holds is not asked for here: that is its parent.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
fn spec_from_wire(binding: &wire::RoleBinding) -> Result<RoleBindingSpec> {
    let mut violations = Violations::default();
    let identity = uidp::parse("identity", &binding.identity, &mut violations);
    let role = uidp::parse("role", &binding.role, &mut violations);
    let spec = || Some(RoleBindingSpec { identity: identity?, role: role? });
    violations.finish(spec())
}

fn item_from_wire(index: usize, binding: &wire::RoleBinding, violations: &mut Violations) -> Option<BatchItem> {
    let mut uid = |field, text| uidp::parse(&format!("role_bindings[{index}].{field}"), text, violations);
    let (identity, role) = (uid("identity", &binding.identity), uid("role", &binding.role));
    Some(BatchItem { parent: None, identity: identity?, role: Some(role?) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::role_binding()) {
            prop_assert_eq!(spec_from_wire(&spec_to_wire(&spec)).ok(), Some(spec));
        }
    }
}
