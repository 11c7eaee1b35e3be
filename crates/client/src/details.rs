//! The machine-readable part of an error: google.rpc details.

use std::{collections::BTreeMap, time::Duration};

use contract::google::rpc;
use prost::Message;
use prost_types::Any;

/// What the server tells about an error beyond code and message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// `ErrorInfo.reason`: the code's name or a more precise one.
    pub reason: String,
    /// `ErrorInfo.domain`: who defined the reason.
    pub domain: String,
    /// `ErrorInfo.metadata`; `rule` names the broken rule.
    pub metadata: BTreeMap<String, String>,
    /// `BadRequest`: the fields with wrong values.
    pub violations: Vec<Violation>,
    /// `PreconditionFailure`: the conditions that do not hold.
    pub preconditions: Vec<Precondition>,
    /// `ResourceInfo`: kind and name of the resource that the error is about.
    pub resource: Option<(String, String)>,
    /// `RetryInfo`: when a retry makes sense.
    pub retry_after: Option<Duration>,
}

/// A field with a wrong value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its path.
    pub field: String,
    /// What is wrong.
    pub description: String,
}

/// A condition of the system's state that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precondition {
    /// Which condition, such as `RESOURCE_NOT_EMPTY`.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// What is wrong.
    pub description: String,
}

impl Details {
    /// Reads the details of a status. Unknown or broken ones are skipped: code and message stand without them.
    pub(crate) fn of(status: &rpc::Status) -> Self {
        let mut details = Self::default();
        status.details.iter().for_each(|any| details.add(any));
        details
    }

    fn add(&mut self, any: &Any) {
        let value = any.value.as_slice();
        match any.type_url.rsplit('/').next() {
            Some("google.rpc.ErrorInfo") => {
                if let Ok(info) = rpc::ErrorInfo::decode(value) {
                    self.reason = info.reason;
                    self.domain = info.domain;
                    self.metadata = info.metadata.into_iter().collect();
                }
            }
            Some("google.rpc.BadRequest") => {
                let bad = rpc::BadRequest::decode(value).unwrap_or_default();
                let violations = bad.field_violations.into_iter();
                self.violations.extend(violations.map(|v| Violation { field: v.field, description: v.description }));
            }
            Some("google.rpc.PreconditionFailure") => {
                let failure = rpc::PreconditionFailure::decode(value).unwrap_or_default();
                self.preconditions.extend(failure.violations.into_iter().map(|v| Precondition {
                    kind: v.r#type,
                    subject: v.subject,
                    description: v.description,
                }));
            }
            Some("google.rpc.ResourceInfo") => {
                self.resource = rpc::ResourceInfo::decode(value).ok().map(|info| (info.resource_type, info.resource_name));
            }
            Some("google.rpc.RetryInfo") => {
                let delay = rpc::RetryInfo::decode(value).ok().and_then(|info| info.retry_delay);
                self.retry_after = delay
                    .and_then(|delay| Some(Duration::new(u64::try_from(delay.seconds).ok()?, u32::try_from(delay.nanos).ok()?)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(name: &str, message: &impl Message) -> Any {
        Any { type_url: format!("type.googleapis.com/{name}"), value: message.encode_to_vec() }
    }

    #[test]
    fn every_kind_of_detail_is_read() {
        let info = rpc::ErrorInfo {
            reason: "INVALID_ARGUMENT".into(),
            domain: "iam".into(),
            metadata: [("rule".to_owned(), "FIELD".to_owned())].into_iter().collect(),
        };
        let field = rpc::bad_request::FieldViolation { field: "name".into(), description: "is bad".into() };
        let condition = rpc::precondition_failure::Violation {
            r#type: "RESOURCE_NOT_EMPTY".into(),
            subject: "u".into(),
            description: "has repos".into(),
        };
        let status = rpc::Status {
            code: 3,
            message: "m".into(),
            details: vec![
                any("google.rpc.ErrorInfo", &info),
                any("google.rpc.BadRequest", &rpc::BadRequest { field_violations: vec![field] }),
                any("google.rpc.PreconditionFailure", &rpc::PreconditionFailure { violations: vec![condition] }),
                any("some.Other", &rpc::BadRequest::default()),
                Any { type_url: "x/google.rpc.BadRequest".into(), value: vec![0xff] },
            ],
        };
        let details = Details::of(&status);
        assert_eq!((details.reason.as_str(), details.domain.as_str()), ("INVALID_ARGUMENT", "iam"));
        assert_eq!(details.metadata.get("rule").map(String::as_str), Some("FIELD"));
        assert_eq!(details.violations, [Violation { field: "name".into(), description: "is bad".into() }]);
        assert_eq!(details.preconditions.first().map(|p| p.kind.as_str()), Some("RESOURCE_NOT_EMPTY"));
    }
}
