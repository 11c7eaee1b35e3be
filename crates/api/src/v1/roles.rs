//! Roles, v1: capabilities by their dotted names.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{self as wire, CreateRoleRequest, RoleFilter, RoleList, rpc},
};
use domain::{
    Capability, CapabilitySet, Ctx, Description, Name, Result, UidpFilter, Violations,
    iam::{Role, RoleSpec},
};
use services::{Roles, iam::roles};

use crate::{
    endpoint::{Endpoint, answer, naming, on},
    list, mask,
    noun::{deletes, lists_whole},
    uidp,
};

/// The RPCs of roles.
pub(crate) fn endpoints(roles: &Roles) -> Vec<Endpoint> {
    vec![
        naming(super::parent_id, rpc::RolesCreate, roles, create),
        on(rpc::RolesUpdate, roles, update),
        lists_whole(rpc::RolesList, roles, part, to_wire, |items| RoleList { items }),
        deletes(rpc::RolesDelete, roles),
    ]
}

async fn create(roles: Arc<Roles>, ctx: Arc<Ctx>, request: CreateRoleRequest) -> Result<Reply<wire::Role>> {
    let parent = uidp::one("parent_id", &request.parent_id)?;
    Ok(answer(&ctx, &roles.create(&ctx, &parent, spec_from_wire(&request.role.unwrap_or_default())?).await?, to_wire))
}

async fn update(roles: Arc<Roles>, ctx: Arc<Ctx>, role: wire::Role) -> Result<Reply<wire::Role>> {
    let uid = uidp::one("id", &role.id)?;
    Ok(answer(&ctx, &roles.update(&ctx, &uid, mask::replace(spec_from_wire(&role)?)).await?, to_wire))
}

fn part(request: RoleFilter) -> Result<list::Asked<roles::RoleFilter>> {
    let mut violations = Violations::default();
    let parent = uidp::place("parent", &request.parent, &mut violations);
    let part = list::part(request.uidp, &request.id, violations)?;
    // Both may be said, and what is below two places at once is nowhere.
    let part = part.and_then(|part| match (&part.children_of, parent) {
        (Some(one), Some(other)) if *one != other => None,
        (one, other) => Some(UidpFilter { children_of: other.or_else(|| one.clone()), ..part }),
    });
    Ok((part, roles::RoleFilter { name: list::filter(&request.name) }))
}

/// A role for an answer.
pub(crate) fn to_wire(role: &Role) -> wire::Role {
    wire::Role { id: role.uid.to_string(), ..spec_to_wire(&role.spec) }
}

/// What callers may set of a role; the rest is left empty.
fn spec_to_wire(spec: &RoleSpec) -> wire::Role {
    wire::Role {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        capabilities: capabilities_to_wire(&spec.capabilities),
        ..wire::Role::default()
    }
}

/// Capabilities by dotted name.
pub(crate) fn capabilities_to_wire(capabilities: &CapabilitySet) -> Vec<String> {
    capabilities.names().into_iter().map(str::to_owned).collect()
}

/// What a request says that a role should be.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
fn spec_from_wire(role: &wire::Role) -> Result<RoleSpec> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &role.name, &mut violations);
    let description = Description::parse("description", &role.description, &mut violations);
    let capabilities = capabilities(&role.capabilities, &mut violations);
    let spec = || Some(RoleSpec { name: name?, description: description?, capabilities });
    violations.finish(spec())
}

/// The set of these names; a violation for each that names no capability.
fn capabilities(names: &[String], violations: &mut Violations) -> CapabilitySet {
    let mut set = CapabilitySet::EMPTY;
    for (i, name) in names.iter().enumerate() {
        match Capability::from_name(name) {
            Some(capability) => set.insert(capability),
            None => violations.add(format!("capabilities[{i}]"), "it is not the name of a capability, such as groups.list"),
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::role()) {
            prop_assert_eq!(spec_from_wire(&spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    #[test]
    fn names_that_are_no_capability_are_shown_by_their_place() {
        let capabilities = ["groups.list", "groups", "CAP_IAM_GROUPS_LIST"].map(str::to_owned).to_vec();
        let role = wire::Role { name: "a".into(), capabilities, ..wire::Role::default() };
        let message = spec_from_wire(&role).map_err(|error| error.message().to_owned());
        let what = "it is not the name of a capability, such as groups.list";
        assert_eq!(message, Err(format!("Invalid argument: capabilities[1]: {what}; capabilities[2]: {what}")));
    }
}
