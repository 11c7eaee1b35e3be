//! How identities prove themselves, between the wire and the domain: the same in all versions, but for what static keys and their
//! end are called.

use contract::Reply;
use domain::{Ctx, iam::Identity};
use services::Identities;

use crate::endpoint;

/// An identity that was written, with a warning if no token can ever match it.
pub(crate) fn answer<W>(ctx: &Ctx, identities: &Identities, found: &Identity, to_wire: impl Fn(&Identity) -> W) -> Reply<W> {
    Reply { warning: identities.warning(found), ..endpoint::answer(ctx, found, to_wire) }
}

/// Functions between a relationship and the messages of the module `$wire`, in which static keys are `$keys`, at `$place`, and end at
/// `$end`.
macro_rules! relationships {
    ($wire:ident, $keys:ident at $place:literal until $end:ident) => {
        /// A relationship for an answer.
        pub(super) fn to_wire(relationship: &domain::iam::Relationship) -> $wire::Relationship {
            use domain::iam::Relationship as Domain;
            match relationship {
                Domain::ClaimMatch(rule) => $wire::Relationship::ClaimMatch(claims_to_wire(rule)),
                Domain::StaticKeys(keys) => $wire::Relationship::$keys(keys_to_wire(keys)),
                Domain::AwsIdentity(aws) => $wire::Relationship::AwsIdentity(aws_to_wire(aws)),
                Domain::ServicePrincipal { principal } => $wire::Relationship::ServicePrincipal(principal.0),
            }
        }

        /// What a request says, or violations and `None`. Sizes, patterns and keys are judged by the use case.
        pub(super) fn from_wire(
            wire: $wire::Relationship,
            violations: &mut domain::Violations,
        ) -> Option<domain::iam::Relationship> {
            use domain::iam::Relationship as Domain;
            Some(match wire {
                $wire::Relationship::ClaimMatch(rule) => Domain::ClaimMatch(claims_from_wire(rule, violations)?),
                $wire::Relationship::$keys(keys) => Domain::StaticKeys(keys_from_wire(keys, violations)?),
                $wire::Relationship::AwsIdentity(aws) => Domain::AwsIdentity(aws_from_wire(aws, violations)?),
                $wire::Relationship::ServicePrincipal(number) => {
                    Domain::ServicePrincipal { principal: crate::mirror::principal(number, violations)? }
                }
            })
        }

        fn keys_to_wire(keys: &domain::iam::StaticKeys) -> $wire::StaticKeys {
            $wire::StaticKeys {
                issuer: keys.issuer.clone(),
                subject: keys.subject.clone(),
                issuer_keys: keys.issuer_keys.clone(),
                $end: Some(crate::time::to_wire(keys.expires_at)),
                audiences: keys.audiences.clone(),
            }
        }

        fn keys_from_wire(keys: $wire::StaticKeys, violations: &mut domain::Violations) -> Option<domain::iam::StaticKeys> {
            crate::field::required_in(concat!($place, "."), &keys, violations);
            Some(domain::iam::StaticKeys {
                expires_at: crate::time::end(concat!($place, ".", stringify!($end)), keys.$end.as_ref(), violations)?,
                issuer: keys.issuer,
                subject: keys.subject,
                issuer_keys: keys.issuer_keys,
                audiences: keys.audiences,
            })
        }

        fn claims_to_wire(rule: &domain::iam::ClaimMatch) -> $wire::ClaimMatch {
            $wire::ClaimMatch {
                iss: Some(crate::mirror::OneOf::of(&rule.issuer)),
                sub: Some(crate::mirror::OneOf::of(&rule.subject)),
                aud: rule.audience.as_ref().map(crate::mirror::OneOf::of),
                claims: rule.claims.clone().into_iter().collect(),
                claim_patterns: rule.claim_patterns.clone().into_iter().collect(),
            }
        }

        fn claims_from_wire(rule: $wire::ClaimMatch, violations: &mut domain::Violations) -> Option<domain::iam::ClaimMatch> {
            crate::field::required_in("claim_match.", &rule, violations);
            let issuer = crate::mirror::required("claim_match.issuer", rule.iss, violations);
            let subject = crate::mirror::required("claim_match.subject", rule.sub, violations);
            Some(domain::iam::ClaimMatch {
                issuer: issuer?,
                subject: subject?,
                audience: crate::mirror::optional(rule.aud),
                claims: rule.claims.into_iter().collect(),
                claim_patterns: rule.claim_patterns.into_iter().collect(),
            })
        }

        fn aws_to_wire(aws: &domain::iam::AwsIdentity) -> $wire::AwsIdentity {
            $wire::AwsIdentity {
                aws_account: aws.account.clone(),
                aws_arn: Some(crate::mirror::OneOf::of(&aws.arn)),
                aws_user_id: Some(crate::mirror::OneOf::of(&aws.user_id)),
            }
        }

        fn aws_from_wire(aws: $wire::AwsIdentity, violations: &mut domain::Violations) -> Option<domain::iam::AwsIdentity> {
            crate::field::required_in("aws_identity.", &aws, violations);
            let arn = crate::mirror::required("aws_identity.arn", aws.aws_arn, violations);
            let user_id = crate::mirror::required("aws_identity.user_id", aws.aws_user_id, violations);
            Some(domain::iam::AwsIdentity { account: aws.aws_account, arn: arn?, user_id: user_id? })
        }
    };
}
pub(crate) use relationships;
