//! What holds for every relationship: presence, sizes and times. Whether patterns compile, issuers may be fetched and
//! keys can be read is judged by the token exchange, through its port.

use domain::{
    Timestamp, Violations,
    iam::{AwsIdentity, ClaimMatch, Matcher, Relationship, ServicePrincipal, StaticKeys},
};

use crate::texts;

/// How long static keys may be accepted at most: what they get that say nothing about it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLife {
    /// In days from now on.
    pub days: i64,
}

impl KeyLife {
    fn seconds(self) -> i64 {
        self.days * 24 * 60 * 60
    }
}

/// What a caller's clock may be ahead, so that "365 days from now" is not refused by a second.
const CLOCK_SKEW_SECONDS: i64 = 60;
/// Most custom claims, literals and patterns together, and longest text of a claim in bytes: what the exchange compiles.
const CLAIMS: usize = 32;
const CLAIM: usize = 1024;
/// Largest pasted key set in bytes.
const KEYS: usize = 64 * 1024;
/// The numbers of the parts of the platform in the contract.
const PRINCIPALS: std::ops::RangeInclusive<i32> = 1..=13;

/// Fills in what was left out: static keys with time zero as expiry are accepted as long as they may be.
pub(super) fn fill(relationship: &mut Relationship, life: KeyLife, now: Timestamp) {
    if let Relationship::StaticKeys(keys) = relationship
        && keys.expires_at == Timestamp::default()
    {
        keys.expires_at = now.plus_seconds(life.seconds());
    }
}

/// Judges a new relationship.
pub(crate) fn check(relationship: &Relationship, life: KeyLife, now: Timestamp, violations: &mut Violations) {
    match relationship {
        Relationship::ClaimMatch(rule) => check_claim_match(rule, violations),
        Relationship::StaticKeys(keys) => check_static_keys(keys, life, now, violations),
        Relationship::AwsIdentity(aws) => check_aws(aws, violations),
        Relationship::ServicePrincipal { principal: ServicePrincipal(number) } => {
            if !PRINCIPALS.contains(number) {
                violations.add("service_principal", "service_principal must be one of the contract's");
            }
        }
    }
}

fn check_claim_match(rule: &ClaimMatch, violations: &mut Violations) {
    check_matcher("claim_match.issuer", &rule.issuer, violations);
    check_matcher("claim_match.subject", &rule.subject, violations);
    if let Some(audience) = &rule.audience {
        check_matcher("claim_match.audience", audience, violations);
    }
    texts::map("claim_match.claims", &rule.claims, CLAIMS, CLAIM, violations, |_| None);
    texts::map("claim_match.claim_patterns", &rule.claim_patterns, CLAIMS, CLAIM, violations, |_| None);
}

/// A literal is judged as `field`, a pattern as `field_pattern`.
fn check_matcher(field: &str, matcher: &Matcher, violations: &mut Violations) {
    match matcher {
        Matcher::Literal(text) => texts::required(field, text, CLAIM, violations),
        Matcher::Pattern(text) => texts::required(&format!("{field}_pattern"), text, CLAIM, violations),
    }
}

fn check_static_keys(keys: &StaticKeys, life: KeyLife, now: Timestamp, violations: &mut Violations) {
    texts::required("static_keys.issuer", &keys.issuer, CLAIM, violations);
    texts::required("static_keys.subject", &keys.subject, CLAIM, violations);
    texts::block("static_keys.issuer_keys", &keys.issuer_keys, KEYS, violations);
    if keys.expires_at <= now {
        violations.add("static_keys.expires_at", "expires_at must be in the future");
    } else if keys.expires_at > now.plus_seconds(life.seconds() + CLOCK_SKEW_SECONDS) {
        violations.add("static_keys.expires_at", format!("expires_at must be at most {} days from now", life.days));
    }
    match keys.audiences.as_slice() {
        [] => {}
        [audience] if audience.is_empty() => {
            violations.add("static_keys.audiences", "audiences must not hold an empty entry");
        }
        [audience] => texts::optional("static_keys.audiences", audience, CLAIM, violations),
        _ => violations.add("static_keys.audiences", "audiences must have at most one entry"),
    }
}

fn check_aws(aws: &AwsIdentity, violations: &mut Violations) {
    if aws.account.len() != 12 || !aws.account.bytes().all(|b| b.is_ascii_digit()) {
        violations.add("aws_identity.aws_account", "aws_account must match \"^[0-9]{12}$\"");
    }
    check_matcher("aws_identity.arn", &aws.arn, violations);
    check_matcher("aws_identity.user_id", &aws.user_id, violations);
}
