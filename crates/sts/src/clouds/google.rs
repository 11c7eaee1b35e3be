//! Google Cloud: an exchange (RFC 8693) for a token of the workload identity pool, and one of that for a token of a service account.

use domain::{Secret, iam::GoogleProject};
use reqwest::StatusCode;
use serde::Deserialize;

use super::{
    Failure,
    door::{Answer, Body, Door, segment},
    told,
};

/// What the token service is called.
const STS: &str = "Google STS";
/// What the service for credentials of service accounts is called.
const IAM: &str = "Google IAM";
/// What the token of the pool may do: be exchanged for that of the service account, whose own rights count then.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// Asks for a token that lives as short as is of use.
const SHORT_LIVED: &str = r#"{"scope":["https://www.googleapis.com/auth/cloud-platform"],"lifetime":"300s"}"#;

/// Google's two services.
#[derive(Debug)]
pub(super) struct Google {
    sts: String,
    accounts: String,
}

#[derive(Deserialize)]
struct Accepted {
    access_token: Secret<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Impersonated {
    access_token: Secret<String>,
}

/// As RFC 6749 section 5.2 has it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Refused {
    error: String,
    error_description: String,
}

/// As Google's APIs have it: AIP-193.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusedByApi {
    error: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    status: String,
    message: String,
}

impl Google {
    /// The services at these origins.
    pub(super) fn new(sts: &str, accounts: &str) -> Self {
        Self { sts: format!("{sts}/v1/token"), accounts: format!("{accounts}/v1/projects/-/serviceAccounts/") }
    }

    /// Exchanges the token for one of the project's service account.
    pub(super) async fn exchange(&self, door: &Door, project: &GoogleProject, token: &Secret<String>) -> Result<(), Failure> {
        let number = segment("google.project_number", &project.project_number)?;
        let id = segment("google.project_id", &project.project_id)?;
        let audience = format!(
            "//iam.googleapis.com/projects/{number}/locations/global/workloadIdentityPools/chainguard-pool/providers/chainguard-provider"
        );
        let form = Body::Form(&[
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("audience", &audience),
            ("scope", SCOPE),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("subject_token", token.expose()),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
        ]);
        let federated = judge_sts(&door.post(STS, &self.sts, "application/json", form).await?)?;
        let url = format!("{}chainguard-canary%40{id}.iam.gserviceaccount.com:generateAccessToken", self.accounts);
        judge_iam(&door.post(IAM, &url, "application/json", Body::Json(SHORT_LIVED, &federated)).await?)
    }
}

/// The token of the pool.
fn judge_sts(answer: &Answer) -> Result<Secret<String>, Failure> {
    let body = answer.body.expose();
    if answer.status != StatusCode::OK {
        let Refused { error, error_description } = serde_json::from_slice(body).unwrap_or_default();
        return Err(Failure::Refused(told::refusal(STS, answer.status, &error, &error_description)));
    }
    token(STS, serde_json::from_slice(body).map(|Accepted { access_token }| access_token))
}

/// Whether there is a token of the service account.
fn judge_iam(answer: &Answer) -> Result<(), Failure> {
    let body = answer.body.expose();
    if answer.status != StatusCode::OK {
        let RefusedByApi { error: Status { status, message } } = serde_json::from_slice(body).unwrap_or_default();
        return Err(Failure::Refused(told::refusal(IAM, answer.status, &status, &message)));
    }
    token(IAM, serde_json::from_slice(body).map(|Impersonated { access_token }| access_token)).map(drop)
}

fn token(what: &str, read: serde_json::Result<Secret<String>>) -> Result<Secret<String>, Failure> {
    let unusable = || Failure::Refused(format!("{what} answered with something else than a token"));
    read.ok().filter(|token| !token.expose().is_empty()).ok_or_else(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status: StatusCode::from_u16(status).expect("a status"), body: Secret::new(body.as_bytes().to_vec()) }
    }

    fn why<T>(judged: Result<T, Failure>) -> String {
        match judged {
            Ok(_) => "ready".to_owned(),
            Err(Failure::Refused(why) | Failure::Unfit(why)) => why,
        }
    }

    #[test]
    fn the_token_of_the_pool_comes_first() {
        let sts = |status, body| why(judge_sts(&answer(status, body)));
        assert_eq!(sts(200, r#"{"access_token":"ya29","token_type":"Bearer","expires_in":3599}"#), "ready");
        for bad in ["", "{}", r#"{"access_token":""}"#, r#"{"access_token":7}"#, "<html>"] {
            assert_eq!(sts(200, bad), "Google STS answered with something else than a token", "{bad}");
        }
        let refused = r#"{"error":"invalid_target","error_description":"The target service indicated is invalid."}"#;
        assert_eq!(sts(400, refused), "Google STS answered invalid_target: The target service indicated is invalid.");
        assert_eq!(sts(404, "<html>"), "Google STS answered 404");
    }

    #[test]
    fn the_service_account_lets_it_in() {
        let iam = |status, body| why(judge_iam(&answer(status, body)));
        assert_eq!(iam(200, r#"{"accessToken":"ya29","expireTime":"2026-01-01T00:00:00Z"}"#), "ready");
        assert_eq!(iam(200, "{}"), "Google IAM answered with something else than a token");
        let refused = r#"{"error":{"code":403,"message":"Permission 'iam.serviceAccounts.getAccessToken' denied","status":"PERMISSION_DENIED","details":[]}}"#;
        assert_eq!(
            iam(403, refused),
            "Google IAM answered PERMISSION_DENIED: Permission 'iam.serviceAccounts.getAccessToken' denied"
        );
        assert_eq!(iam(403, r#"{"error":"x"}"#), "Google IAM answered 403");
    }
}
