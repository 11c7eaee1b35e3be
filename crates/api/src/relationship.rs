//! What all versions of the wire say in the same words about how identities prove themselves.

/// Functions between claims, AWS identities and the messages of the module `$wire`.
macro_rules! alike {
    ($wire:ident) => {
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
pub(crate) use alike;
