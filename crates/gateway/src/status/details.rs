//! `domain::Error` as google.rpc.Status with its details (AIP-193).

use std::collections::BTreeMap;

use contract::{
    Message,
    chainguard::platform::iam::{self as old, v2beta1 as new},
    google::rpc::{
        BadRequest, ErrorInfo, PreconditionFailure, ResourceInfo, RetryInfo, Status, bad_request, precondition_failure,
    },
    prost_types::{Any, Duration},
};
use domain::{
    Error,
    error::{Detail, MissingDocument, Precondition, Violation},
};

use super::Room;

/// The status that gRPC and JSON both carry, as much of it as there is room for. `google.rpc.ErrorInfo` is always the first
/// detail: its reason is the name of the code, `error_domain` its domain, and the precise rule stands in its metadata, beside
/// the number of violations that there was no room for.
pub(crate) fn to_rpc(error: &Error, error_domain: &str, room: &Room) -> Status {
    let mut omitted = error.omitted();
    let details: Vec<_> = error.details().iter().map(|one| detail(one, room, &mut omitted)).collect();
    let mut metadata = BTreeMap::from([("rule".to_owned(), error.rule().as_str().to_owned())]);
    if omitted > 0 {
        metadata.insert("omittedViolations".to_owned(), omitted.to_string());
    }
    let info = ErrorInfo { reason: error.kind().as_str().to_owned(), domain: error_domain.to_owned(), metadata };
    let details = std::iter::once(pack(&info)).chain(details).collect();
    Status { code: super::code(error.kind()), message: room.message(error.message()).into_owned(), details }
}

fn detail(detail: &Detail, room: &Room, omitted: &mut usize) -> Any {
    match detail {
        Detail::Fields(violations) => {
            let texts = |v: &Violation| [room.name(&v.field).into_owned(), room.text(&v.description).into_owned()];
            let fitting = room.fitting(violations.iter().map(texts));
            *omitted += violations.len() - fitting.len();
            let violation = |[field, description]: [String; 2]| bad_request::FieldViolation { field, description };
            pack(&BadRequest { field_violations: fitting.into_iter().map(violation).collect() })
        }
        Detail::Preconditions(preconditions) => {
            let texts =
                |p: &Precondition| [p.kind.to_owned(), room.uid(&p.subject).into_owned(), room.text(&p.description).into_owned()];
            let fitting = room.fitting(preconditions.iter().map(texts));
            *omitted += preconditions.len() - fitting.len();
            let violation =
                |[r#type, subject, description]: [String; 3]| precondition_failure::Violation { r#type, subject, description };
            pack(&PreconditionFailure { violations: fitting.into_iter().map(violation).collect() })
        }
        Detail::Resource { noun, uid } => pack(&ResourceInfo {
            resource_type: noun.title().to_owned(),
            resource_name: room.uid(uid).into_owned(),
            ..ResourceInfo::default()
        }),
        Detail::RetryAfter(after) => pack(&RetryInfo {
            retry_delay: Some(Duration {
                seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                nanos: i32::try_from(after.subsec_nanos()).unwrap_or(0),
            }),
        }),
        Detail::TermsNotAccepted { old, missing } => {
            let texts = |m: &MissingDocument| [m.id.clone(), room.text(&m.label).into_owned(), room.text(&m.url).into_owned()];
            let fitting = room.fitting(missing.iter().map(texts));
            *omitted += missing.len() - fitting.len();
            if *old {
                let missing = fitting.into_iter().map(|[id, label, url]| old::MissingDocument { id, label, url });
                pack(&old::TermsNotAcceptedDetail { missing: missing.collect() })
            } else {
                let missing = fitting.into_iter().map(|[id, label, url]| new::MissingDocument { id, label, url });
                pack(&new::TermsNotAcceptedDetail { missing: missing.collect() })
            }
        }
    }
}

fn pack<T: Message>(message: &T) -> Any {
    Any { type_url: format!("type.googleapis.com/{}", T::NAME), value: message.encode_to_vec() }
}
