//! How identities prove themselves, between the wire and the domain.

use contract::chainguard::platform::iam::v2beta1::{
    ServicePrincipal as WirePrincipal,
    identity::{
        AwsIdentity as WireAws, ClaimMatch as WireClaims, Relationship as Wire, StaticKeys as WireKeys,
        aws_identity::{AwsArn, AwsUserId},
        claim_match::{Aud, Iss, Sub},
    },
};
use domain::{
    Timestamp, Violations,
    iam::{AwsIdentity, ClaimMatch, Matcher, Relationship, ServicePrincipal, StaticKeys},
};

use crate::{field, time};

/// A relationship for an answer.
pub(super) fn to_wire(relationship: &Relationship) -> Wire {
    match relationship {
        Relationship::ClaimMatch(rule) => Wire::ClaimMatch(claims_to_wire(rule)),
        Relationship::StaticKeys(keys) => Wire::StaticKeys(keys_to_wire(keys)),
        Relationship::AwsIdentity(aws) => Wire::AwsIdentity(aws_to_wire(aws)),
        Relationship::ServicePrincipal { principal } => Wire::ServicePrincipal(principal.0),
    }
}

/// What a request says, or violations and `None`. Sizes, patterns and keys are judged by the use case.
pub(super) fn from_wire(wire: Wire, violations: &mut Violations) -> Option<Relationship> {
    Some(match wire {
        Wire::ClaimMatch(rule) => Relationship::ClaimMatch(claims_from_wire(rule, violations)?),
        Wire::StaticKeys(keys) => Relationship::StaticKeys(keys_from_wire(keys, violations)?),
        Wire::AwsIdentity(aws) => Relationship::AwsIdentity(aws_from_wire(aws, violations)?),
        Wire::ServicePrincipal(number) => Relationship::ServicePrincipal { principal: principal(number, violations)? },
    })
}

fn claims_to_wire(rule: &ClaimMatch) -> WireClaims {
    WireClaims {
        iss: Some(out(&rule.issuer, Iss::Issuer, Iss::IssuerPattern)),
        sub: Some(out(&rule.subject, Sub::Subject, Sub::SubjectPattern)),
        aud: rule.audience.as_ref().map(|audience| out(audience, Aud::Audience, Aud::AudiencePattern)),
        claims: rule.claims.clone().into_iter().collect(),
        claim_patterns: rule.claim_patterns.clone().into_iter().collect(),
    }
}

fn claims_from_wire(rule: WireClaims, violations: &mut Violations) -> Option<ClaimMatch> {
    field::required_in("claim_match.", &rule, violations);
    let issuer = rule.iss.map(|iss| match iss {
        Iss::Issuer(text) => Matcher::Literal(text),
        Iss::IssuerPattern(text) => Matcher::Pattern(text),
    });
    let subject = rule.sub.map(|sub| match sub {
        Sub::Subject(text) => Matcher::Literal(text),
        Sub::SubjectPattern(text) => Matcher::Pattern(text),
    });
    let audience = rule.aud.map(|aud| match aud {
        Aud::Audience(text) => Matcher::Literal(text),
        Aud::AudiencePattern(text) => Matcher::Pattern(text),
    });
    let issuer = required("claim_match.issuer", issuer, violations);
    let subject = required("claim_match.subject", subject, violations);
    Some(ClaimMatch {
        issuer: issuer?,
        subject: subject?,
        audience: audience.filter(|audience| !audience.text().is_empty()),
        claims: rule.claims.into_iter().collect(),
        claim_patterns: rule.claim_patterns.into_iter().collect(),
    })
}

fn keys_to_wire(keys: &StaticKeys) -> WireKeys {
    WireKeys {
        issuer: keys.issuer.clone(),
        subject: keys.subject.clone(),
        issuer_keys: keys.issuer_keys.clone(),
        expiration_time: Some(time::to_wire(keys.expires_at)),
        audiences: keys.audiences.clone(),
    }
}

fn keys_from_wire(keys: WireKeys, violations: &mut Violations) -> Option<StaticKeys> {
    field::required_in("static_keys.", &keys, violations);
    Some(StaticKeys {
        expires_at: expiration(keys.expiration_time.as_ref(), violations)?,
        issuer: keys.issuer,
        subject: keys.subject,
        issuer_keys: keys.issuer_keys,
        audiences: keys.audiences,
    })
}

/// When the keys stop being accepted; time zero, which the use case replaces by the latest allowed, when not said.
fn expiration(wire: Option<&prost_types::Timestamp>, violations: &mut Violations) -> Option<Timestamp> {
    let field = "static_keys.expiration_time";
    let Some(wire) = wire else { return Some(Timestamp::default()) };
    let wished = time::parse(field, wire, violations)?;
    if wished == Timestamp::default() {
        violations.add(field, "expiration_time must be in the future");
    }
    Some(wished)
}

fn aws_to_wire(aws: &AwsIdentity) -> WireAws {
    WireAws {
        aws_account: aws.account.clone(),
        aws_arn: Some(out(&aws.arn, AwsArn::Arn, AwsArn::ArnPattern)),
        aws_user_id: Some(out(&aws.user_id, AwsUserId::UserId, AwsUserId::UserIdPattern)),
    }
}

fn aws_from_wire(aws: WireAws, violations: &mut Violations) -> Option<AwsIdentity> {
    field::required_in("aws_identity.", &aws, violations);
    let arn = aws.aws_arn.map(|arn| match arn {
        AwsArn::Arn(text) => Matcher::Literal(text),
        AwsArn::ArnPattern(text) => Matcher::Pattern(text),
    });
    let user_id = aws.aws_user_id.map(|user_id| match user_id {
        AwsUserId::UserId(text) => Matcher::Literal(text),
        AwsUserId::UserIdPattern(text) => Matcher::Pattern(text),
    });
    let arn = required("aws_identity.arn", arn, violations);
    let user_id = required("aws_identity.user_id", user_id, violations);
    Some(AwsIdentity { account: aws.aws_account, arn: arn?, user_id: user_id? })
}

fn principal(number: i32, violations: &mut Violations) -> Option<ServicePrincipal> {
    match field::known("service_principal", number, violations)? {
        WirePrincipal::Unspecified => {
            violations.add("service_principal", "service_principal must not be unspecified");
            None
        }
        known => Some(ServicePrincipal(known.into())),
    }
}

/// The member of a oneof `literal | pattern` for this matcher.
fn out<T>(matcher: &Matcher, literal: fn(String) -> T, pattern: fn(String) -> T) -> T {
    match matcher {
        Matcher::Literal(text) => literal(text.clone()),
        Matcher::Pattern(text) => pattern(text.clone()),
    }
}

/// The matcher, or a violation of `field` and `None` when neither the literal nor the pattern has a text.
fn required(field: &str, matcher: Option<Matcher>, violations: &mut Violations) -> Option<Matcher> {
    let matcher = matcher.filter(|matcher| !matcher.text().is_empty());
    if matcher.is_none() {
        let name = field::last(field);
        violations.add(field, format!("exactly one of {name} and {name}_pattern is required"));
    }
    matcher
}
