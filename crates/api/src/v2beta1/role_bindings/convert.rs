//! Role bindings between the wire and the domain.

use contract::chainguard::platform::iam::v2beta1 as wire;
use domain::{
    Error, Uidp, Violations,
    iam::{Group, Identity, Role, RoleBindingSpec, RoleBindingView},
};
use services::iam::role_bindings::{BATCH_MAX, BatchItem};

use crate::{time, uidp};

/// A role binding for an answer, with what it names.
pub(crate) fn to_wire(view: &RoleBindingView) -> wire::RoleBinding {
    wire::RoleBinding {
        uid: view.binding.uid.to_string(),
        identity: Some(match &view.identity {
            Some(identity) => identity_to_wire(identity),
            None => wire::RoleBindingIdentity { uid: view.binding.spec.identity.to_string(), ..Default::default() },
        }),
        group: Some(group_to_wire(&view.group)),
        role: Some(role_to_wire(&view.role)),
        create_time: Some(time::to_wire(view.binding.created_at)),
        ..spec_to_wire(&view.binding.spec)
    }
}

/// What callers may set of a role binding; the rest is left empty.
pub(crate) fn spec_to_wire(spec: &RoleBindingSpec) -> wire::RoleBinding {
    wire::RoleBinding { identity_uid: spec.identity.to_string(), role_uid: spec.role.to_string(), ..wire::RoleBinding::default() }
}

/// What a request says that a role binding should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(binding: wire::RoleBinding) -> Result<RoleBindingSpec, Error> {
    let mut violations = Violations::default();
    let wire::RoleBinding { identity_uid, role_uid, .. } = binding;
    let identity = uidp::parse("identity_uid", &identity_uid, &mut violations);
    let role = uidp::parse("role_uid", &role_uid, &mut violations);
    let spec = || Some(RoleBindingSpec { identity: identity?, role: role? });
    violations.finish(spec())
}

/// What a field of a binding is called here.
pub(super) fn name(path: &str) -> Option<String> {
    matches!(path, "identity" | "role").then(|| format!("{path}_uid"))
}

/// What a field of an entry is called here.
pub(super) fn batch_name(path: &str) -> Option<String> {
    let rest = path.strip_prefix("items")?;
    Some(match rest.rsplit_once("].").and_then(|(index, field)| Some((index, name(field)?))) {
        Some((index, field)) => format!("requests{index}].role_binding.{field}"),
        None => format!("requests{rest}"),
    })
}

/// What a batch asks for. Whether its entries fit together is for the use case to say.
pub(super) struct Batch {
    /// The group.
    pub(super) parent: Uidp,
    /// The role of entries that name none.
    pub(super) role: Option<Uidp>,
    /// The entries, in the order of the requests.
    pub(super) items: Vec<BatchItem>,
}

/// What a request asks for.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be, by the place of its entry:
/// `requests[3].role_binding.role_uid`.
pub(super) fn batch_from_wire(batch: &wire::BatchCreateRoleBindingsRequest) -> Result<Batch, Error> {
    let mut violations = Violations::default();
    let parent = uidp::parse("parent", &batch.parent, &mut violations);
    let role = uidp::optional("role_uid", &batch.role_uid, &mut violations);
    if !(1..=BATCH_MAX).contains(&batch.requests.len()) {
        violations.add("requests", format!("requests must have 1 to {BATCH_MAX} entries"));
        return violations.finish(None);
    }
    let items = batch.requests.iter().enumerate();
    let items = items.filter_map(|(i, request)| item(&format!("requests[{i}]."), request, &mut violations)).collect();
    violations.finish(parent.map(|parent| Batch { parent, role, items }))
}

fn item(place: &str, request: &wire::CreateRoleBindingRequest, violations: &mut Violations) -> Option<BatchItem> {
    let parent = uidp::optional(&format!("{place}parent"), &request.parent, violations);
    let place = format!("{place}role_binding");
    let Some(binding) = &request.role_binding else {
        violations.add(place, "role_binding is required");
        return None;
    };
    let identity = uidp::parse(&format!("{place}.identity_uid"), &binding.identity_uid, violations);
    let role = uidp::optional(&format!("{place}.role_uid"), &binding.role_uid, violations);
    Some(BatchItem { parent, identity: identity?, role })
}

fn identity_to_wire(identity: &Identity) -> wire::RoleBindingIdentity {
    let relationship = &identity.spec.relationship;
    wire::RoleBindingIdentity {
        uid: identity.uid.to_string(),
        name: identity.spec.name.to_string(),
        description: identity.spec.description.to_string(),
        subject: relationship.subject().unwrap_or_default().to_owned(),
        issuer: relationship.issuer().unwrap_or_default().to_owned(),
        email: identity.email.clone().unwrap_or_default(),
    }
}

fn group_to_wire(group: &Group) -> wire::RoleBindingGroup {
    wire::RoleBindingGroup {
        uid: group.uid.to_string(),
        name: group.spec.name.to_string(),
        description: group.spec.description.to_string(),
    }
}

fn role_to_wire(role: &Role) -> wire::RoleBindingRole {
    wire::RoleBindingRole {
        uid: role.uid.to_string(),
        name: role.spec.name.to_string(),
        description: role.spec.description.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::role_binding()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    fn entry(identity: &str, role: &str) -> wire::CreateRoleBindingRequest {
        let binding = wire::RoleBinding { identity_uid: identity.into(), role_uid: role.into(), ..wire::RoleBinding::default() };
        wire::CreateRoleBindingRequest { parent: String::new(), role_binding: Some(binding) }
    }

    fn refused(batch: &wire::BatchCreateRoleBindingsRequest) -> String {
        batch_from_wire(batch).map_or_else(|error| error.message().to_owned(), |_| "accepted".to_owned())
    }

    #[test]
    fn identity_and_role_are_required() {
        let message = spec_from_wire(wire::RoleBinding::default()).map_err(|error| error.message().to_owned());
        let expected = "Invalid argument: identity_uid: identity_uid is required; role_uid: role_uid is required";
        assert_eq!(message, Err(expected.to_owned()));
    }

    #[test]
    fn batches_keep_order_and_absence() {
        let (parent, role) = (uid(1).to_string(), uid(2).to_string());
        let mut with_parent = entry(uid(4).as_str(), uid(5).as_str());
        with_parent.parent.clone_from(&parent);
        let requests = vec![entry(uid(3).as_str(), ""), with_parent];
        let batch =
            batch_from_wire(&wire::BatchCreateRoleBindingsRequest { parent, requests, role_uid: role }).expect("it is fine");
        assert_eq!((batch.parent, batch.role), (uid(1), Some(uid(2))));
        let expected = [
            BatchItem { parent: None, identity: uid(3), role: None },
            BatchItem { parent: Some(uid(1)), identity: uid(4), role: Some(uid(5)) },
        ];
        assert_eq!(batch.items, expected);
    }

    #[test]
    fn bad_entries_are_named_by_place() {
        let requests = vec![entry(uid(1).as_str(), "X"), wire::CreateRoleBindingRequest::default(), entry("", "")];
        let batch = wire::BatchCreateRoleBindingsRequest { parent: uid(1).to_string(), requests, role_uid: String::new() };
        let message = refused(&batch);
        for field in
            ["requests[0].role_binding.role_uid: ", "requests[1].role_binding: ", "requests[2].role_binding.identity_uid: "]
        {
            assert!(message.contains(field), "{field} in {message}");
        }
    }

    #[test]
    fn batches_have_1_to_25_entries() {
        let batch = |entries| wire::BatchCreateRoleBindingsRequest {
            parent: uid(1).to_string(),
            requests: vec![entry(uid(3).as_str(), ""); entries],
            role_uid: uid(2).to_string(),
        };
        assert_eq!((refused(&batch(1)).as_str(), refused(&batch(25)).as_str()), ("accepted", "accepted"));
        let expected = "Invalid argument: requests: requests must have 1 to 25 entries";
        assert_eq!((refused(&batch(0)).as_str(), refused(&batch(26)).as_str()), (expected, expected));
    }

    #[test]
    fn every_required_field_is_asked_for() {
        let full = entry(uid(1).as_str(), uid(2).as_str()).role_binding.expect("it is there");
        crate::required::is_asked_for(vec![full], spec_from_wire);
    }

    #[test]
    fn fields_of_entries_stand_in_their_requests() {
        let named = |path| batch_name(path);
        assert_eq!(named("items").as_deref(), Some("requests"));
        assert_eq!(named("items[24].role").as_deref(), Some("requests[24].role_binding.role_uid"));
        assert_eq!(named("items[0].parent").as_deref(), Some("requests[0].parent"));
        assert_eq!(named("role_uid"), None);
    }
}
