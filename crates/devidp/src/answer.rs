//! Errors in the shape of the API's JSON errors: `{code, message, details}`.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{
    Error, Kind, Rule,
    error::{Detail, Violation},
};
use serde_json::{Value, json};

const DOMAIN: &str = "iam.chainguard.dev";

/// The answer for `error`. It has no cases but those of this crate.
pub(crate) fn error(error: &Error) -> Response {
    let (code, status) = match (error.kind(), error.rule()) {
        (_, Rule::MethodNotAllowed) => (12, StatusCode::METHOD_NOT_ALLOWED),
        (Kind::InvalidArgument, _) => (3, StatusCode::BAD_REQUEST),
        (Kind::PermissionDenied, _) => (7, StatusCode::FORBIDDEN),
        _ => (13, StatusCode::INTERNAL_SERVER_ERROR),
    };
    let mut details = vec![json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": error.kind().as_str(),
        "domain": DOMAIN,
        "metadata": {},
    })];
    details.extend(error.details().iter().filter_map(bad_request));
    (status, Json(json!({ "code": code, "message": error.message(), "details": details }))).into_response()
}

fn bad_request(detail: &Detail) -> Option<Value> {
    let Detail::Fields(violations) = detail else { return None };
    let violations: Vec<_> =
        violations.iter().map(|Violation { field, description }| json!({ "field": field, "description": description })).collect();
    Some(json!({ "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": violations }))
}
