//! Values that the domain and every version of the wire spell alike: one table for each.

use contract::chainguard::platform::{iam as v1, iam::v2beta1, registry::v2beta1 as registry, vulnerabilities};
use domain::{
    Violations,
    iam::{CloudProvider, CorrelationRule, Matcher, OrgKind, OrgStatus, ServicePrincipal},
    registry::CatalogTier,
    vulnerabilities::FalsePositiveReason,
};

use crate::field;

/// An enum of the domain in one version of the wire.
pub(crate) trait Mirror<W>: Sized {
    /// The wire's value.
    fn to_wire(self) -> W;
    /// The domain's value.
    fn from_wire(wire: W) -> Self;
}

/// Ties an enum of the domain to those of the wire. A value that one of them lacks does not compile.
macro_rules! mirrors {
    ($($domain:ident as $($wire:path),+ { $($value:ident),+ $(,)? })+) => { $( mirrors!(@each $domain [$($wire),+] [$($value),+]); )+ };
    (@each $domain:ident [$($wire:path),+] $values:tt) => { $( mirrors!(@one $domain, $wire, $values); )+ };
    (@one $domain:ident, $wire:path, [$($value:ident),+]) => {
        impl Mirror<$wire> for $domain {
            fn to_wire(self) -> $wire {
                use $wire as Wire;
                match self { $( Self::$value => Wire::$value, )+ }
            }

            fn from_wire(wire: $wire) -> Self {
                use $wire as Wire;
                match wire { $( Wire::$value => Self::$value, )+ }
            }
        }
    };
}

mirrors! {
    OrgKind as v1::OrgKind, v2beta1::OrgKind { Unspecified, Starter, Customer, Dev, Infra, AwsMarketplace }
    OrgStatus as v1::OrgStatus, v2beta1::OrgStatus { Unspecified, Initializing, Ready, Suspended }
    CorrelationRule as v1::identity_provider::oidc::CorrelationRule, v2beta1::identity_provider::oidc::CorrelationRule {
        Unspecified, SubEqualsExternalId, OidEqualsExternalId,
    }
    FalsePositiveReason as vulnerabilities::v1::advisory_event::false_positive_determination::Type,
        vulnerabilities::v2beta1::advisory_event::false_positive_determination::Type {
        Unspecified, VulnerabilityRecordAnalysisContested, ComponentVulnerabilityMismatch, VulnerableCodeVersionNotUsed,
        VulnerableCodeNotIncludedInPackage, VulnerableCodeNotInExecutionPath, VulnerableCodeCannotBeControlledByAdversary,
        InlineMitigationsExist,
    }
    CatalogTier as registry::CatalogTier { Unspecified, Application, Base, Fips, Ai, Devtools, Commercial }
}

/// The number of a value in the version `W`.
pub(crate) fn number<W: Into<i32>>(value: impl Mirror<W>) -> i32 {
    value.to_wire().into()
}

/// The value of this number in the version `W`, or a violation of `field` and `None` when it has none.
pub(crate) fn known<W: TryFrom<i32>, T: Mirror<W>>(field: &str, number: i32, violations: &mut Violations) -> Option<T> {
    field::known::<W>(field, number, violations).map(T::from_wire)
}

/// A oneof of a text and a pattern for it.
pub(crate) trait OneOf: Sized {
    /// The member for this matcher.
    fn of(matcher: &Matcher) -> Self;
    /// What the member says.
    fn matcher(self) -> Matcher;
}

/// Ties oneofs of the wire to [`Matcher`].
macro_rules! matchers {
    ($($module:path { $($oneof:ident { $literal:ident, $pattern:ident })+ })+) => { $($( const _: () = {
        use $module as wire;

        impl OneOf for wire::$oneof {
            fn of(matcher: &Matcher) -> Self {
                match matcher {
                    Matcher::Literal(text) => Self::$literal(text.clone()),
                    Matcher::Pattern(text) => Self::$pattern(text.clone()),
                }
            }

            fn matcher(self) -> Matcher {
                match self {
                    Self::$literal(text) => Matcher::Literal(text),
                    Self::$pattern(text) => Matcher::Pattern(text),
                }
            }
        }
    }; )+)+ };
}

matchers! {
    v1::identity::claim_match { Iss { Issuer, IssuerPattern } Sub { Subject, SubjectPattern } Aud { Audience, AudiencePattern } }
    v1::identity::aws_identity { AwsArn { Arn, ArnPattern } AwsUserId { UserId, UserIdPattern } }
    v2beta1::identity::claim_match { Iss { Issuer, IssuerPattern } Sub { Subject, SubjectPattern } Aud { Audience, AudiencePattern } }
    v2beta1::identity::aws_identity { AwsArn { Arn, ArnPattern } AwsUserId { UserId, UserIdPattern } }
}

/// What a oneof says, or a violation of `field` and `None` when neither its text nor its pattern is there.
pub(crate) fn required(field: &str, wire: Option<impl OneOf>, violations: &mut Violations) -> Option<Matcher> {
    let matcher = optional(wire);
    if matcher.is_none() {
        let name = field::last(field);
        violations.add(field, format!("exactly one of {name} and {name}_pattern is required"));
    }
    matcher
}

/// What a oneof says, if it says anything.
pub(crate) fn optional(wire: Option<impl OneOf>) -> Option<Matcher> {
    wire.map(OneOf::matcher).filter(|matcher| !matcher.text().is_empty())
}

/// The part of the platform with this number, which all versions give the same, or a violation and `None`.
pub(crate) fn principal(number: i32, violations: &mut Violations) -> Option<ServicePrincipal> {
    match field::known("service_principal", number, violations)? {
        v2beta1::ServicePrincipal::Unspecified => {
            violations.add("service_principal", "service_principal must not be unspecified");
            None
        }
        known => Some(ServicePrincipal(known.into())),
    }
}

/// The part of the platform that a version calls so.
pub(crate) fn principal_named(name: &str) -> Option<ServicePrincipal> {
    let number = v2beta1::ServicePrincipal::from_str_name(name).map(i32::from);
    let number = number.or_else(|| v1::ServicePrincipal::from_str_name(name).map(i32::from))?;
    (number != 0).then_some(ServicePrincipal(number))
}

/// The cloud with this number, which all versions give the same, or a violation of `field` and `None`.
pub(crate) fn provider(field: &str, number: i32, violations: &mut Violations) -> Option<CloudProvider> {
    match field::known(field, number, violations)? {
        v2beta1::AccountProviderType::Unspecified => {
            violations.add(field, format!("{field} must not be unspecified"));
            None
        }
        v2beta1::AccountProviderType::Google => Some(CloudProvider::Google),
        v2beta1::AccountProviderType::Amazon => Some(CloudProvider::Amazon),
        v2beta1::AccountProviderType::Azure => Some(CloudProvider::Azure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_platform_have_one_number() {
        for number in 0..100 {
            let (old, new) = (v1::ServicePrincipal::try_from(number), v2beta1::ServicePrincipal::try_from(number));
            let old = old.ok().map(|known| known.as_str_name().to_owned());
            let new = new.ok().map(|known| known.as_str_name().trim_start_matches("SERVICE_PRINCIPAL_").to_owned());
            assert_eq!(old.map(|name| name.replace("UNKNOWN", "UNSPECIFIED")), new, "{number}");
        }
    }

    #[test]
    fn clouds_have_one_number() {
        for number in 0..10 {
            let old = v1::account_associations_check_request::AccountType::try_from(number).ok();
            let old = old.map(|known| known.as_str_name().replace("UNKNOWN", "UNSPECIFIED"));
            let new = v2beta1::AccountProviderType::try_from(number).ok();
            let new = new.map(|known| known.as_str_name().trim_start_matches("ACCOUNT_PROVIDER_TYPE_").to_owned());
            assert_eq!(old, new, "{number}");
        }
    }
}
