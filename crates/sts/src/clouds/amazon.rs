//! Amazon Web Services: `AssumeRoleWithWebIdentity` of the token service's query API.

use domain::Secret;
use reqwest::StatusCode;
use serde::Deserialize;

use super::{
    Failure,
    door::{Body, Door},
    told,
};

/// What the other side is called.
const WHAT: &str = "AWS STS";
/// The role that an account keeps for this.
const ROLE: &str = "chainguard-canary";
/// What the session is called in the account's own log.
const SESSION: &str = "provost-check";
/// The shortest life that credentials can be asked for, in seconds.
const SHORTEST: &str = "900";

/// AWS's token service.
#[derive(Debug)]
pub(super) struct Amazon {
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Accepted {
    assume_role_with_web_identity_result: Assumed,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assumed {
    credentials: Credentials,
}

/// Credentials, of which nothing is kept.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Credentials {
    access_key_id: Secret<String>,
    secret_access_key: Secret<String>,
    session_token: Secret<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Refused {
    error: Code,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Code {
    code: String,
    message: String,
}

impl Amazon {
    /// The token service at this origin.
    pub(super) fn new(origin: &str) -> Self {
        Self { url: format!("{origin}/") }
    }

    /// Exchanges the token for credentials of the account's role.
    pub(super) async fn exchange(&self, door: &Door, account: &str, token: &Secret<String>) -> Result<(), Failure> {
        let role = format!("arn:aws:iam::{account}:role/{ROLE}");
        let form = Body::Form(&[
            ("Action", "AssumeRoleWithWebIdentity"),
            ("Version", "2011-06-15"),
            ("RoleArn", &role),
            ("RoleSessionName", SESSION),
            ("DurationSeconds", SHORTEST),
            ("WebIdentityToken", token.expose()),
        ]);
        let answer = door.post(WHAT, &self.url, "application/xml", form).await?;
        judge(answer.status, answer.body.expose())
    }
}

/// Whether the answer holds credentials.
fn judge(status: StatusCode, body: &[u8]) -> Result<(), Failure> {
    if status != StatusCode::OK {
        let Code { code, message } = quick_xml::de::from_reader::<_, Refused>(body).unwrap_or_default().error;
        return Err(Failure::Refused(told::refusal(WHAT, status, &code, &message)));
    }
    let has_credentials = quick_xml::de::from_reader::<_, Accepted>(body).is_ok_and(|accepted| {
        let Credentials { access_key_id, secret_access_key, session_token } =
            accepted.assume_role_with_web_identity_result.credentials;
        [access_key_id, secret_access_key, session_token].iter().all(|part| !part.expose().is_empty())
    });
    let unusable = || Failure::Refused(format!("{WHAT} answered with something else than credentials"));
    has_credentials.then_some(()).ok_or_else(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>canary:0123</SubjectFromWebIdentityToken>
    <Audience>amazon</Audience>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/chainguard-canary/provost-check</Arn><AssumedRoleId>AROA:p</AssumedRoleId></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s/+</SecretAccessKey><SessionToken>AQo=</SessionToken><Expiration>2026-01-01T00:00:00Z</Expiration>
    </Credentials>
    <Provider>arn:aws:iam::123456789012:oidc-provider/issuer.example</Provider>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>"#;

    fn judged(status: u16, body: &str) -> String {
        match judge(StatusCode::from_u16(status).expect("a status"), body.as_bytes()) {
            Ok(()) => "ready".to_owned(),
            Err(Failure::Refused(why) | Failure::Unfit(why)) => why,
        }
    }

    #[test]
    fn credentials_are_complete() {
        assert_eq!(judged(200, GOOD), "ready");
        let something = "AWS STS answered with something else than credentials";
        for bad in [
            GOOD.replace("<SecretAccessKey>s/+</SecretAccessKey>", ""),
            GOOD.replace("AQo=", ""),
            GOOD.replace("Credentials>", "Credential>"),
            GOOD.replace("</AssumeRoleWithWebIdentityResponse>", "").replace("</Credentials>", ""),
            String::new(),
            "<html>not here</html>".to_owned(),
            r#"{"AssumeRoleWithWebIdentityResponse":{}}"#.to_owned(),
            "<a>".repeat(20_000),
        ] {
            assert_eq!(judged(200, &bad), something, "{bad:.100}");
        }
    }

    #[test]
    fn a_refusal_is_told_with_its_code() {
        let error = "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender</Type>\
                     <Code>AccessDenied</Code><Message>Not authorized to perform &lt;sts:AssumeRoleWithWebIdentity&gt;</Message></Error>\
                     <RequestId>4e</RequestId></ErrorResponse>";
        let told = "AWS STS answered AccessDenied: Not authorized to perform <sts:AssumeRoleWithWebIdentity>";
        assert_eq!(judged(403, error), told);
        assert_eq!(judged(403, GOOD), "AWS STS answered 403", "credentials with an error are none");
        assert_eq!(judged(404, "<html>"), "AWS STS answered 404");
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><ErrorResponse><Error><Code>&c;</Code></Error></ErrorResponse>";
        assert_eq!(judged(400, bomb), "AWS STS answered 400", "entities are not expanded");
    }
}
