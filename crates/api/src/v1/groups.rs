//! Groups, v1: their shape.

use contract::chainguard::platform::iam as wire;
use domain::iam::{Group, OrgKind, OrgStatus};

/// A group for an answer.
pub(crate) fn to_wire(group: &Group) -> wire::Group {
    wire::Group {
        id: group.uid.to_string(),
        name: group.spec.name.to_string(),
        description: group.spec.description.to_string(),
        verified: group.spec.verified,
        kind: kind_to_wire(group.spec.kind).into(),
        status: status_to_wire(group.status).into(),
        ..wire::Group::default()
    }
}

fn kind_to_wire(kind: OrgKind) -> wire::OrgKind {
    match kind {
        OrgKind::Unspecified => wire::OrgKind::Unspecified,
        OrgKind::Starter => wire::OrgKind::Starter,
        OrgKind::Customer => wire::OrgKind::Customer,
        OrgKind::Dev => wire::OrgKind::Dev,
        OrgKind::Infra => wire::OrgKind::Infra,
        OrgKind::AwsMarketplace => wire::OrgKind::AwsMarketplace,
    }
}

fn status_to_wire(status: OrgStatus) -> wire::OrgStatus {
    match status {
        OrgStatus::Unspecified => wire::OrgStatus::Unspecified,
        OrgStatus::Initializing => wire::OrgStatus::Initializing,
        OrgStatus::Ready => wire::OrgStatus::Ready,
        OrgStatus::Suspended => wire::OrgStatus::Suspended,
    }
}
