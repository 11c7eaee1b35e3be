//! `domain::Error` as google.rpc.Status with its details (AIP-193).

use contract::{
    Message,
    google::rpc::{
        BadRequest, ErrorInfo, PreconditionFailure, ResourceInfo, RetryInfo, Status, bad_request, precondition_failure,
    },
    prost_types::{Any, Duration},
};
use domain::{Error, error::Detail};

/// The status that gRPC and JSON both carry. `google.rpc.ErrorInfo` is always the first detail: its reason is the name of
/// the code, `error_domain` its domain, and the precise rule stands in its metadata.
pub(crate) fn to_rpc(error: &Error, error_domain: &str) -> Status {
    let info = ErrorInfo {
        reason: error.kind().as_str().to_owned(),
        domain: error_domain.to_owned(),
        metadata: [("rule".to_owned(), error.rule().as_str().to_owned())].into_iter().collect(),
    };
    let details = std::iter::once(pack(&info)).chain(error.details().iter().map(detail)).collect();
    Status { code: super::code(error.kind()), message: error.message().to_owned(), details }
}

fn detail(detail: &Detail) -> Any {
    match detail {
        Detail::Fields(violations) => {
            let violation = |v: &domain::error::Violation| bad_request::FieldViolation {
                field: v.field.clone(),
                description: v.description.clone(),
            };
            pack(&BadRequest { field_violations: violations.iter().map(violation).collect() })
        }
        Detail::Preconditions(preconditions) => {
            let violation = |p: &domain::error::Precondition| precondition_failure::Violation {
                r#type: p.kind.to_owned(),
                subject: p.subject.clone(),
                description: p.description.clone(),
            };
            pack(&PreconditionFailure { violations: preconditions.iter().map(violation).collect() })
        }
        Detail::Resource { noun, uid } => {
            pack(&ResourceInfo { resource_type: noun.title().to_owned(), resource_name: uid.clone(), ..ResourceInfo::default() })
        }
        Detail::RetryAfter(after) => pack(&RetryInfo {
            retry_delay: Some(Duration {
                seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                nanos: i32::try_from(after.subsec_nanos()).unwrap_or(0),
            }),
        }),
    }
}

fn pack<T: Message>(message: &T) -> Any {
    Any { type_url: format!("type.googleapis.com/{}", T::NAME), value: message.encode_to_vec() }
}
