//! `domain::Error` as an HTTP answer: status, headers and the body `{"code","message","details"}`.

use contract::Message as _;
use domain::{Error, Kind, Rule};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};

use super::{Room, rpc::retry_after, to_rpc};

/// An error on its way to an HTTP client.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: Error,
    pub(crate) status: StatusCode,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match (error.rule(), error.kind()) {
            (Rule::TooLarge, _) => StatusCode::PAYLOAD_TOO_LARGE,
            (Rule::BodyTooSlow, _) => StatusCode::REQUEST_TIMEOUT,
            (Rule::MethodNotAllowed, _) => StatusCode::METHOD_NOT_ALLOWED,
            (_, Kind::InvalidArgument | Kind::FailedPrecondition) => StatusCode::BAD_REQUEST,
            (_, Kind::Unauthenticated) => StatusCode::UNAUTHORIZED,
            (_, Kind::PermissionDenied) => StatusCode::FORBIDDEN,
            (_, Kind::NotFound) => StatusCode::NOT_FOUND,
            (_, Kind::AlreadyExists | Kind::Aborted) => StatusCode::CONFLICT,
            (_, Kind::ResourceExhausted) => StatusCode::TOO_MANY_REQUESTS,
            (_, Kind::DeadlineExceeded) => StatusCode::GATEWAY_TIMEOUT,
            (_, Kind::Unimplemented) => StatusCode::NOT_IMPLEMENTED,
            (_, Kind::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
            (_, Kind::Internal) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { error, status }
    }
}

/// The standard error body.
pub(crate) fn body(error: &Error, error_domain: &str) -> String {
    let mut out = String::with_capacity(512);
    to_rpc(error, error_domain, &Room::JSON).write_json(&mut out);
    out
}

/// The headers that belong to an error beyond its body.
pub(crate) fn answer_headers(error: &Error, headers: &mut HeaderMap) {
    if error.kind() == Kind::Unauthenticated {
        headers.insert(WWW_AUTHENTICATE, challenge(error));
    }
    if let Some(delay) = retry_after(error) {
        // Whole seconds, rounded up, as RFC 9110 section 10.2.3 has no fractions.
        let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// RFC 6750 section 3: a request without a token learns the scheme alone, one with a bad token also why.
fn challenge(error: &Error) -> HeaderValue {
    const PLAIN: HeaderValue = HeaderValue::from_static("Bearer realm=\"provost\"");
    if error.rule() == Rule::TokenMissing {
        return PLAIN;
    }
    let quotable = |c: char| matches!(c, ' ' | '!' | '#'..='[' | ']'..='~');
    let why: String = Room::GRPC.message(error.message()).chars().map(|c| if quotable(c) { c } else { '\'' }).collect();
    HeaderValue::try_from(format!("Bearer realm=\"provost\", error=\"invalid_token\", error_description=\"{why}\""))
        .unwrap_or(PLAIN)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::{
        Noun,
        error::{Detail, MissingDocument},
    };

    use super::*;

    fn json(error: &Error) -> serde_json::Value {
        serde_json::from_str(&body(error, "iam.chainguard.dev")).unwrap()
    }

    #[test]
    fn the_body_is_a_google_rpc_status() {
        let error = Error::field("name", "name must match \"^[a-z0-9 ._-]{1,}$\"");
        assert_eq!(
            json(&error),
            serde_json::json!({
                "code": 3,
                "message": "Invalid argument: name: name must match \"^[a-z0-9 ._-]{1,}$\"",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "INVALID_ARGUMENT", "domain": "iam.chainguard.dev", "metadata": {"rule": "FIELD"}
                    },
                    {
                        "@type": "type.googleapis.com/google.rpc.BadRequest",
                        "fieldViolations": [{"field": "name", "description": "name must match \"^[a-z0-9 ._-]{1,}$\""}]
                    }
                ]
            })
        );
    }

    #[test]
    fn every_detail_is_carried() {
        let error = Error::not_empty(Noun::Group, "ab", "child repos");
        assert_eq!(json(&error)["message"], "Precondition failed: cannot delete group with child repos");
        assert_eq!(json(&error)["details"][1]["violations"][0]["type"], "RESOURCE_NOT_EMPTY");
        assert_eq!(json(&error)["details"][1]["violations"][0]["subject"], "ab");
        let error = Error::not_found(Noun::Repo, "cd");
        assert_eq!(json(&error)["details"][1]["@type"], "type.googleapis.com/google.rpc.ResourceInfo");
        assert_eq!(json(&error)["details"][1]["resourceName"], "cd");
        let error =
            Error::new(Kind::Unavailable, Rule::Unavailable, "later").with(Detail::RetryAfter(Duration::from_millis(1500)));
        assert_eq!(json(&error)["details"][1]["retryDelay"], "1.500s");
        for (old, package) in [(true, "chainguard.platform.iam"), (false, "chainguard.platform.iam.v2beta1")] {
            let document = |id: &str| MissingDocument { id: id.into(), label: "Terms".into(), url: "https://example.com".into() };
            let missing = vec![document("tos.v1"), document("tos.v2")];
            let error =
                Error::new(Kind::FailedPrecondition, Rule::TermsNotAccepted, "").with(Detail::TermsNotAccepted { old, missing });
            assert_eq!(
                json(&error)["details"][1],
                serde_json::json!({
                    "@type": format!("type.googleapis.com/{package}.TermsNotAcceptedDetail"),
                    "missing": [
                        { "id": "tos.v1", "label": "Terms", "url": "https://example.com" },
                        { "id": "tos.v2", "label": "Terms", "url": "https://example.com" },
                    ]
                })
            );
        }
    }

    #[test]
    fn statuses_follow_the_published_mapping() {
        let expected = [400, 401, 403, 404, 409, 400, 409, 429, 504, 501, 503, 500];
        for (kind, status) in Kind::ALL.into_iter().zip(expected) {
            assert_eq!(Refusal::from(Error::new(kind, Rule::Field, "")).status.as_u16(), status, "{kind:?}");
        }
        let refusal = |kind, rule| Refusal::from(Error::new(kind, rule, "")).status.as_u16();
        assert_eq!(refusal(Kind::InvalidArgument, Rule::TooLarge), 413);
        assert_eq!(refusal(Kind::Unimplemented, Rule::MethodNotAllowed), 405);
    }

    #[test]
    fn headers_tell_how_to_go_on() {
        let headers = |error: &Error| {
            let mut headers = HeaderMap::new();
            answer_headers(error, &mut headers);
            headers
        };
        let missing = headers(&Error::unauthenticated(Rule::TokenMissing, "no token"));
        assert_eq!(missing[WWW_AUTHENTICATE], "Bearer realm=\"provost\"");
        let bad = headers(&Error::unauthenticated(Rule::TokenInvalid, "wrong \"aud\"\n"));
        assert_eq!(
            bad[WWW_AUTHENTICATE],
            "Bearer realm=\"provost\", error=\"invalid_token\", error_description=\"wrong 'aud''\""
        );
        let later = Error::new(Kind::Unavailable, Rule::Unavailable, "").with(Detail::RetryAfter(Duration::from_millis(1500)));
        assert_eq!(headers(&later)[RETRY_AFTER], "2");
        assert!(headers(&Error::not_found(Noun::Group, "x")).is_empty());
    }

    #[test]
    fn causes_stay_inside() {
        let error = Error::internal("the disk burns");
        assert!(!body(&error, "d").contains("burns"));
    }
}
