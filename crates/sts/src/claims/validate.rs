//! The check of a relationship before it is stored.

use async_trait::async_trait;
use domain::{
    Error, Violations,
    iam::identity::{Matcher, Relationship, ServicePrincipal},
    ports::CheckRelationship,
};

use super::{
    issuer_url::UrlPolicy,
    relationship::{Compiled, is_dear, unusable_keys},
};
use crate::{Settings, Workers, workers::Party};

const SERVICE_PRINCIPALS: std::ops::RangeInclusive<i32> = 1..=13;

/// Checks relationships by the rules that the exchange will match them with.
#[derive(Clone, Debug)]
pub struct RelationshipCheck {
    rules: Rules,
    workers: Workers,
}

/// What a relationship is judged by.
#[derive(Clone, Debug)]
struct Rules {
    policy: UrlPolicy,
    own_issuer: String,
}

impl RelationshipCheck {
    /// A check under these settings. What may take long is done by `workers`.
    #[must_use]
    pub fn new(settings: &Settings, workers: Workers) -> Self {
        let rules = Rules { policy: settings.url_policy(), own_issuer: settings.auth_url.clone() };
        Self { rules, workers }
    }
}

#[async_trait]
impl CheckRelationship for RelationshipCheck {
    async fn check(&self, organization: &str, relationship: &Relationship, violations: &mut Violations) -> Result<(), Error> {
        if !is_dear(relationship) {
            self.rules.judge(relationship, violations);
            return Ok(());
        }
        let (rules, relationship, party) = (self.rules.clone(), relationship.clone(), Party::Known(organization.to_owned()));
        let judging = self.workers.run(&party, move || {
            let mut found = Violations::default();
            rules.judge(&relationship, &mut found);
            found
        });
        violations.append(judging.await?);
        Ok(())
    }

    fn check_issuer(&self, issuer: &str) -> Result<(), String> {
        self.rules.policy.issuer(issuer).map(drop)
    }

    fn warning(&self, relationship: &Relationship) -> Option<String> {
        let Relationship::StaticKeys(keys) = relationship else { return None };
        unusable_keys(&keys.issuer_keys).map(|why| format!("no token will match: the issuer keys {why}"))
    }
}

impl Rules {
    fn judge(&self, relationship: &Relationship, violations: &mut Violations) {
        if Compiled::compile(relationship, self.policy, violations)
            .is_some_and(|compiled| compiled.admits_issuer(&self.own_issuer))
        {
            let (field, name) = match relationship {
                Relationship::ClaimMatch(rule) if matches!(rule.issuer, Matcher::Pattern(_)) => ("claim_match", "issuer_pattern"),
                Relationship::StaticKeys(_) => ("static_keys", "issuer"),
                _ => ("claim_match", "issuer"),
            };
            violations.add(
                format!("{field}.{name}"),
                format!("{name} must not be this server's own: its tokens stand for their identity alone"),
            );
        }
        if let Relationship::ServicePrincipal { principal: ServicePrincipal(number) } = relationship
            && !SERVICE_PRINCIPALS.contains(number)
        {
            violations.add("service_principal", "service_principal must be one of the named ones");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::{
        Timestamp,
        iam::identity::{AwsIdentity, ClaimMatch, StaticKeys},
    };

    use super::*;

    fn check(relationship: &Relationship) -> Result<(), String> {
        let mut violations = Violations::default();
        let settings = Settings::new("https://us.example.com");
        RelationshipCheck::new(&settings, Workers::new(&settings)).rules.judge(relationship, &mut violations);
        violations.check().map_err(|error| error.message().to_owned())
    }

    fn literal(text: &str) -> Matcher {
        Matcher::Literal(text.into())
    }

    fn pattern(text: &str) -> Matcher {
        Matcher::Pattern(text.into())
    }

    fn claim_match(issuer: Matcher) -> Relationship {
        Relationship::ClaimMatch(ClaimMatch {
            issuer,
            subject: literal("s"),
            audience: None,
            claims: BTreeMap::new(),
            claim_patterns: BTreeMap::new(),
        })
    }

    fn static_keys(issuer_keys: &str, audiences: &[&str]) -> Relationship {
        Relationship::StaticKeys(StaticKeys {
            issuer: "kubernetes".into(),
            subject: "system:serviceaccount:a:b".into(),
            issuer_keys: issuer_keys.into(),
            expires_at: Timestamp(1),
            audiences: audiences.iter().map(|audience| (*audience).to_owned()).collect(),
        })
    }

    #[test]
    fn our_own_tokens_are_no_upstream_of_others() {
        assert_eq!(check(&claim_match(literal("https://other.example.com"))), Ok(()));
        for issuer in [literal("https://us.example.com"), pattern(r"https://[a-z]+\.example\.com")] {
            assert!(check(&claim_match(issuer)).expect_err("refused").contains("this server's own"));
        }
    }

    #[test]
    fn pasted_keys_are_public() {
        let key = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#;
        assert_eq!(check(&static_keys(&format!("{{\"keys\":[{key}}}]}}"), &["one"])), Ok(()));
        assert_eq!(check(&static_keys(r#"{"keys":[{"kty":"RSA","kid":"x","n":"not a key","e":"AQAB"}]}"#, &[])), Ok(()));
        for (keys, why) in [
            (format!("{{\"keys\":[{key},\"d\":\"AA\"}}]}}"), "key 1 is private or symmetric"),
            (r#"{"keys":[{"kty":"oct","k":"AA"}]}"#.to_owned(), "key 1 is private or symmetric"),
            (format!("{key},\"d\" : \"AA\"}}"), "is private"),
            (r#"{"keys":[{"kty":"oct","k":"AA"}],"keys":[]}"#.to_owned(), "is private"),
            ("-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----".to_owned(), "is private"),
            (format!("{{\"keys\":[{}]}}", vec!["{}"; 129].join(",")), "at most 128 keys"),
            ("x".repeat(70_000), "at most 65536 bytes"),
        ] {
            let message = check(&static_keys(&keys, &[])).expect_err("refused");
            assert!(message.contains("static_keys.issuer_keys: ") && message.contains(why), "{message}");
        }
        // What stands for no key is kept.
        for unusable in ["{}", "a key", r#"{"keys":[]}"#, r#"{"keys":[1]}"#, r#"{"keys":[],"keys":[]}"#] {
            assert_eq!(check(&static_keys(unusable, &[])), Ok(()), "{unusable}");
        }
        let message = check(&static_keys(&format!("{{\"keys\":[{key}}}]}}"), &["a", "b"])).expect_err("refused");
        assert!(message.contains("static_keys.audiences"), "{message}");
    }

    #[test]
    fn aws_principals_and_service_principals_are_checked() {
        let aws = |account: &str, arn, user_id| Relationship::AwsIdentity(AwsIdentity { account: account.into(), arn, user_id });
        assert_eq!(check(&aws("123456789012", pattern("arn:aws:.*"), literal("AIDA"))), Ok(()));
        let message = check(&aws("1234", literal(""), pattern("("))).expect_err("refused");
        for field in ["aws_identity.aws_account: ", "aws_identity.arn: arn must not be empty", "aws_identity.user_id_pattern: "] {
            assert!(message.contains(field), "{message}");
        }
        for (number, is_valid) in [(0, false), (1, true), (13, true), (14, false), (-1, false)] {
            assert_eq!(
                check(&Relationship::ServicePrincipal { principal: ServicePrincipal(number) }).is_ok(),
                is_valid,
                "{number}"
            );
        }
    }
}
