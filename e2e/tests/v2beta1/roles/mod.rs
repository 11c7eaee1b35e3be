mod create;
mod delete;
mod get;
mod list;
mod update;
mod widening;

use contract::chainguard::platform::iam::v2beta1::{
    CreateRoleRequest, Role,
    rpc::{CreateRole, CreateRoleBinding},
};
use domain::{Capability, Uidp};
use testkit::{Actor, Scenario};

use crate::v2beta1::role_bindings::new_binding;

/// The numbers of these capabilities in the contract.
pub(crate) fn numbers(capabilities: &[&str]) -> Vec<i32> {
    let number = |name: &&str| Capability::from_name(name).unwrap_or_else(|| panic!("{name} is no capability")).number();
    capabilities.iter().map(number).collect()
}

/// A request for a custom role in the group `parent`.
pub(crate) fn new_role(parent: &str, name: &str, capabilities: &[&str]) -> CreateRoleRequest {
    let role = Role { name: name.into(), capabilities: numbers(capabilities), ..Role::default() };
    CreateRoleRequest { parent: parent.into(), role: Some(role) }
}

/// A workload of the group `at` that holds exactly these capabilities there.
pub(crate) async fn holder(s: &Scenario, at: &Uidp, name: &str, capabilities: &[&str]) -> Actor {
    let admin = s.server.admin();
    let actor = s.server.workload(at, name, None).await;
    let role = admin.must::<CreateRole>(new_role(at.as_str(), name, capabilities)).await;
    admin.must::<CreateRoleBinding>(new_binding(at.as_str(), actor.uid().as_str(), &role.uid)).await;
    actor
}
