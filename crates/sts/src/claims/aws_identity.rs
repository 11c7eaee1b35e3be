//! An AWS principal's rule made ready for matching.

use domain::{
    Violations,
    iam::identity::{AwsIdentity, Matcher},
};
use serde_json::{Map, Value};

use super::{
    compiled::{Accepted, Mismatch, audiences},
    dialect::Budget,
    text::TextRule,
};

/// The claims that stand for what AWS says of a principal. The first two are also in the `act` of our tokens.
pub(crate) const ACCOUNT: &str = "aws-acct";
pub(crate) const ARN: &str = "aws-arn";
pub(crate) const USER_ID: &str = "aws-user-id";

/// A rule for AWS principals that was checked and compiled. Only this can be matched.
#[derive(Clone, Debug)]
pub struct CompiledAwsIdentity {
    account: String,
    arn: TextRule,
    user_id: TextRule,
}

impl CompiledAwsIdentity {
    /// Checks and compiles `rule`. What is wrong goes to `violations`, with fields relative to the identity.
    pub(super) fn compile(rule: &AwsIdentity, violations: &mut Violations) -> Option<Self> {
        let is_account = rule.account.len() == 12 && rule.account.bytes().all(|byte| byte.is_ascii_digit());
        if !is_account {
            violations.add("aws_identity.aws_account", "aws_account must match \"^[0-9]{12}$\"");
        }
        let mut budget = Budget::default();
        let mut text = |name: &str, matcher: &Matcher| {
            let fault = |what: String| {
                let name = if matches!(matcher, Matcher::Pattern(_)) { format!("{name}_pattern") } else { name.to_owned() };
                violations.add(format!("aws_identity.{name}"), format!("{name} {what}"));
            };
            TextRule::compile(matcher, &mut budget).map_err(fault).ok()
        };
        let (arn, user_id) = (text("arn", &rule.arn), text("user_id", &rule.user_id));
        if !is_account {
            return None;
        }
        Some(Self { account: rule.account.clone(), arn: arn?, user_id: user_id? })
    }

    /// How many bytes it takes beside its texts, about.
    pub(super) fn memory(&self) -> usize {
        self.arn.memory() + self.user_id.memory()
    }

    /// What it takes at most to match these claims.
    pub(super) fn steps(&self, claims: &Map<String, Value>) -> u64 {
        self.arn.steps(text(claims, ARN)) + self.user_id.steps(text(claims, USER_ID))
    }

    /// Matches what AWS has said. For whom the request was signed is judged before AWS is asked.
    ///
    /// # Errors
    /// The first claim that does not match: account, ARN, user identifier.
    pub(super) fn admit(&self, claims: &Map<String, Value>) -> Result<Accepted, Mismatch> {
        let is = [
            (ACCOUNT, self.account == text(claims, ACCOUNT)),
            (ARN, self.arn.admits(text(claims, ARN))),
            (USER_ID, self.user_id.admits(text(claims, USER_ID))),
        ];
        if let Some((name, _)) = is.iter().find(|(_, is_right)| !is_right) {
            return Err(Mismatch((*name).to_owned()));
        }
        let audience = audiences(claims).first().copied().unwrap_or_default().to_owned();
        Ok(Accepted { subject: text(claims, ARN).to_owned(), audience })
    }
}

fn text<'a>(claims: &'a Map<String, Value>, name: &str) -> &'a str {
    claims.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ARN_OF_ROBOT: &str = "arn:aws:sts::123456789012:assumed-role/deploy/robot";

    fn admit(rule: &AwsIdentity, claims: &Value) -> Result<Accepted, String> {
        let rule = CompiledAwsIdentity::compile(rule, &mut Violations::default()).expect("a valid rule");
        rule.admit(claims.as_object().expect("claims")).map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn account_arn_and_user_must_all_match_as_a_whole() {
        let rule = AwsIdentity {
            account: "123456789012".to_owned(),
            arn: Matcher::Pattern("arn:aws:sts::[0-9]+:assumed-role/deploy/.+".to_owned()),
            user_id: Matcher::Literal("AROA:robot".to_owned()),
        };
        let good = json!({"aud": "us", "aws-acct": "123456789012", "aws-arn": ARN_OF_ROBOT, "aws-user-id": "AROA:robot"});
        assert_eq!(admit(&rule, &good), Ok(Accepted { subject: ARN_OF_ROBOT.to_owned(), audience: "us".to_owned() }));
        for (name, value) in [
            (ACCOUNT, json!("123456789013")),
            (ARN, json!(format!("x{ARN_OF_ROBOT}"))),
            (ARN, json!("arn:aws:sts::123456789012:assumed-role/deploy/")),
            (ARN, json!([ARN_OF_ROBOT])),
            (USER_ID, json!("AROA:robot2")),
            (USER_ID, Value::Null),
        ] {
            let mut claims = good.clone();
            claims[name] = value;
            assert_eq!(admit(&rule, &claims), Err(format!("invalid {name:?}")));
        }
    }
}
