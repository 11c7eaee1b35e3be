//! Group invites between the wire and the domain.

use std::time::Duration;

use contract::chainguard::platform::iam::v2beta1 as wire;
use domain::{
    Capability, Error, Violations,
    iam::{GroupInviteSpec, GroupInviteView, Role},
};

use crate::{time, uidp};

/// A group invite for an answer, with the role that it offers. Its code is not known any more.
pub(crate) fn to_wire(view: &GroupInviteView) -> wire::GroupInvite {
    let GroupInviteView { invite, role } = view;
    wire::GroupInvite {
        uid: invite.uid.to_string(),
        role: role.as_ref().map(role_to_wire),
        expiration_time: Some(time::to_wire(invite.expires_at)),
        key_id: invite.check.key_id.clone(),
        create_time: Some(time::to_wire(invite.created_at)),
        ..spec_to_wire(&invite.spec)
    }
}

/// What callers may set of a group invite, but for how long it lasts, which no answer has; the rest is left empty.
fn spec_to_wire(spec: &GroupInviteSpec) -> wire::GroupInvite {
    wire::GroupInvite {
        role_uid: spec.role.to_string(),
        email: spec.email.clone(),
        single_use: spec.single_use,
        ..wire::GroupInvite::default()
    }
}

fn role_to_wire(role: &Role) -> wire::GroupInviteRole {
    wire::GroupInviteRole {
        uid: role.uid.to_string(),
        name: role.spec.name.to_string(),
        description: role.spec.description.to_string(),
        capabilities: role.spec.capabilities.iter().map(Capability::number).collect(),
    }
}

/// What a request says that a group invite should be, and how long it lasts; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn spec_from_wire(invite: wire::GroupInvite) -> Result<(GroupInviteSpec, Duration), Error> {
    let wire::GroupInvite { role_uid, email, ttl, single_use, .. } = invite;
    let mut violations = Violations::default();
    let role = uidp::parse("role_uid", &role_uid, &mut violations);
    let ttl = time::span("ttl", ttl.as_ref(), &mut violations);
    let spec = || Some((GroupInviteSpec { role: role?, email, single_use }, ttl?));
    violations.finish(spec())
}

/// What a field of an invite is called here.
pub(super) fn name(path: &str) -> Option<String> {
    (path == "role").then(|| "role_uid".to_owned())
}

#[cfg(test)]
mod tests {
    use domain::Uidp;
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::group_invite(), seconds in 0..1_000_000_i64) {
            let ttl = Some(prost_types::Duration { seconds, nanos: 0 });
            let wire = wire::GroupInvite { ttl, ..spec_to_wire(&spec) };
            prop_assert_eq!(spec_from_wire(wire).ok(), Some((spec, Duration::from_secs(seconds.unsigned_abs()))));
        }
    }

    #[test]
    fn every_required_field_is_asked_for() {
        let ttl = Some(prost_types::Duration { seconds: 1, nanos: 0 });
        let least = wire::GroupInvite { role_uid: Uidp::root_from([1; 20]).to_string(), ttl, ..wire::GroupInvite::default() };
        crate::required::is_asked_for(vec![least], spec_from_wire);
    }
}
