//! Microsoft Azure: a token of an app registration for a client assertion (RFC 7523 section 2.2).

use std::collections::BTreeMap;

use domain::{Secret, iam::AzureTenant};
use reqwest::StatusCode;
use serde::Deserialize;

use super::{
    Failure,
    door::{Answer, Body, Door, segment},
    told,
};

/// What the other side is called.
const WHAT: &str = "Microsoft Entra ID";
/// The key of the app registration that is for checks.
const CANARY: &str = "canary";
/// All that the app registration may do at Azure's own management.
const SCOPE: &str = "https://management.azure.com/.default";

/// Microsoft's identity platform.
#[derive(Debug)]
pub(super) struct Azure {
    origin: String,
}

#[derive(Deserialize)]
struct Accepted {
    access_token: Secret<String>,
}

/// As RFC 6749 section 5.2 has it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Refused {
    error: String,
    error_description: String,
}

impl Azure {
    /// The identity platform at this origin.
    pub(super) fn new(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }

    /// Exchanges the token for one of the tenant's app registration.
    pub(super) async fn exchange(&self, door: &Door, tenant: &AzureTenant, token: &Secret<String>) -> Result<(), Failure> {
        let url = format!("{}/{}/oauth2/v2.0/token", self.origin, segment("azure.tenant_id", &tenant.tenant_id)?);
        let form = Body::Form(&[
            ("grant_type", "client_credentials"),
            ("client_id", client(&tenant.client_ids)?),
            ("scope", SCOPE),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", token.expose()),
        ]);
        judge(&door.post(WHAT, &url, "application/json", form).await?)
    }
}

/// The app registration for checks: the one of that name, or the only one.
fn client(ids: &BTreeMap<String, String>) -> Result<&str, Failure> {
    let only = || ids.values().next().filter(|_| ids.len() == 1);
    let unfit =
        || Failure::Unfit(format!("`azure.client_ids` has several app registrations and none for checks; name one `{CANARY}`"));
    ids.get(CANARY).or_else(only).map(String::as_str).ok_or_else(unfit)
}

/// Whether there is a token.
fn judge(answer: &Answer) -> Result<(), Failure> {
    let body = answer.body.expose();
    if answer.status != StatusCode::OK {
        let Refused { error, error_description } = serde_json::from_slice(body).unwrap_or_default();
        return Err(Failure::Refused(told::refusal(WHAT, answer.status, &error, &error_description)));
    }
    let token = serde_json::from_slice(body).map(|Accepted { access_token }| access_token).ok();
    let unusable = || Failure::Refused(format!("{WHAT} answered with something else than a token"));
    token.filter(|token| !token.expose().is_empty()).map(drop).ok_or_else(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why<T>(judged: Result<T, Failure>) -> String {
        match judged {
            Ok(_) => "ready".to_owned(),
            Err(Failure::Refused(why) | Failure::Unfit(why)) => why,
        }
    }

    #[test]
    fn one_app_registration_is_for_checks() {
        let ids = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), format!("id of {name}"))).collect();
        assert_eq!(client(&ids(&["canary", "a"])).ok(), Some("id of canary"));
        assert_eq!(client(&ids(&["a"])).ok(), Some("id of a"));
        assert!(why(client(&ids(&["a", "b"]))).ends_with("name one `canary`"));
    }

    #[test]
    fn an_answer_is_a_token_or_says_why_not() {
        let judged = |status: u16, body: &str| {
            let status = StatusCode::from_u16(status).expect("a status");
            why(judge(&Answer { status, body: Secret::new(body.as_bytes().to_vec()) }))
        };
        assert_eq!(judged(200, r#"{"token_type":"Bearer","expires_in":3599,"access_token":"eyJ"}"#), "ready");
        for bad in ["", "[]", r#"{"access_token":""}"#, "<html>"] {
            assert_eq!(judged(200, bad), "Microsoft Entra ID answered with something else than a token", "{bad}");
        }
        let refused = r#"{"error":"invalid_client","error_description":"AADSTS70021: No matching record.\r\nTrace ID: 0","error_codes":[70021]}"#;
        assert_eq!(
            judged(401, refused),
            "Microsoft Entra ID answered invalid_client: AADSTS70021: No matching record. Trace ID: 0"
        );
    }
}
