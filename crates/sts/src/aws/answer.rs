//! What AWS answers.

use std::fmt;

use serde::Deserialize;

/// Longest name that is read. ARNs have 2,048 characters at most (IAM's quotas), and the rule's literals fewer.
const MAX_NAME: usize = 2048;

/// Who has signed a request, as AWS says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Principal {
    /// Its account, twelve digits.
    pub account: String,
    /// Its ARN.
    pub arn: String,
    /// Its unique identifier, which no later principal of the same name has.
    pub user_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Accepted {
    get_caller_identity_response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Response {
    get_caller_identity_result: Principal,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Refused {
    error: Code,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Code {
    code: String,
}

/// The principal in a good answer, which has to be complete.
pub(super) fn principal(body: &[u8]) -> Option<Principal> {
    let accepted: Accepted = serde_json::from_slice(body).ok()?;
    let principal = accepted.get_caller_identity_response.get_caller_identity_result;
    let is_name = |name: &String| !name.is_empty() && name.len() <= MAX_NAME && !name.chars().any(char::is_control);
    let is_account = principal.account.len() == 12 && principal.account.bytes().all(|byte| byte.is_ascii_digit());
    (is_account && is_name(&principal.arn) && is_name(&principal.user_id)).then_some(principal)
}

/// Whether a bad answer says, by the codes of AWS's common errors, that AWS has too much to do, or this server asks too often. All others
/// say that nobody who counts has signed the request. Nothing of the text is kept.
pub(super) fn says_busy(body: &[u8]) -> bool {
    let code = serde_json::from_slice::<Refused>(body).map(|refused| refused.error.code).unwrap_or_default();
    matches!(
        code.as_str(),
        "Throttling" | "ThrottlingException" | "RequestLimitExceeded" | "InternalFailure" | "ServiceUnavailable"
    )
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.arn)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_principal_is_complete() {
        let answer = |account: &str, arn: &str, user: &str| {
            let result = json!({"Account": account, "Arn": arn, "UserId": user});
            let metadata = json!({"RequestId": "0"});
            json!({"GetCallerIdentityResponse": {"GetCallerIdentityResult": result, "ResponseMetadata": metadata}}).to_string()
        };
        let good = answer("123456789012", "arn:aws:iam::123456789012:user/a", "AIDA");
        assert_eq!(principal(good.as_bytes()).expect("a principal").arn, "arn:aws:iam::123456789012:user/a");
        for bad in [
            answer("12345678901", "arn", "AIDA"),
            answer("123456789012", "", "AIDA"),
            answer("123456789012", "arn\n", "AIDA"),
            answer("123456789012", "arn", &"x".repeat(2049)),
            good.replace("\"Arn\"", "\"Account\":\"123456789012\",\"Arn\""),
            good.replace("\"UserId\":\"AIDA\"", "\"UserId\":null"),
            json!({"GetCallerIdentityResponse": {}}).to_string(),
            "<GetCallerIdentityResponse/>".to_owned(),
        ] {
            assert_eq!(principal(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_busy_service_is_known_by_its_code() {
        let busy =
            |code: &str| says_busy(json!({"Error": {"Code": code, "Message": "m", "Type": "Sender"}}).to_string().as_bytes());
        assert!(busy("Throttling"));
        assert!(!busy("ExpiredToken") && !busy("SignatureDoesNotMatch") && !says_busy(b"<html>"));
    }
}
