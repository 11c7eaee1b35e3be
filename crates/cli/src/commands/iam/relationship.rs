//! The flags that say how an identity proves itself, and what they become on the wire.

use std::{collections::HashMap, fs, path::PathBuf};

use clap::Args;
use contract::chainguard::platform::iam::v2beta1::{
    ServicePrincipal,
    identity::{
        ClaimMatch, Relationship, StaticKeys,
        claim_match::{Aud, Iss, Sub},
    },
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};

use super::super::pair;
use crate::exit::Failure;

/// How an identity proves itself.
#[derive(Debug, Args)]
#[command(next_help_heading = "How it proves itself")]
pub(crate) struct Proof {
    /// The issuer of its tokens
    #[arg(long, value_name = "URL", conflicts_with = "identity_issuer_pattern")]
    identity_issuer: Option<String>,
    /// A pattern that the issuer matches as a whole
    #[arg(long, value_name = "PATTERN")]
    identity_issuer_pattern: Option<String>,
    /// The subject of its tokens
    #[arg(long, conflicts_with = "subject_pattern")]
    subject: Option<String>,
    /// A pattern that the subject matches as a whole
    #[arg(long, value_name = "PATTERN")]
    subject_pattern: Option<String>,
    /// The audience of its tokens; the server's own by default
    #[arg(id = "claim_audience", long = "audience", value_name = "AUDIENCE", conflicts_with = "audience_pattern")]
    audience: Option<String>,
    /// A pattern that the audience matches as a whole
    #[arg(long, value_name = "PATTERN")]
    audience_pattern: Option<String>,
    /// A claim that its tokens have; may be repeated
    #[arg(long = "claim", value_name = "NAME=VALUE", value_parser = pair)]
    claims: Vec<(String, String)>,
    /// A claim whose value matches a pattern as a whole; may be repeated
    #[arg(long = "claim-pattern", value_name = "NAME=PATTERN", value_parser = pair)]
    claim_patterns: Vec<(String, String)>,
    /// The issuer's public keys (a JSON Web Key Set), for issuers that the server cannot reach
    #[arg(long, value_name = "FILE")]
    issuer_keys: Option<PathBuf>,
    /// Expiration of the keys: a date, or a time in RFC 3339
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = expiration)]
    expiration: Option<Timestamp>,
    /// The platform component that it is, such as INGESTER
    #[arg(long, value_name = "NAME", value_parser = principal)]
    #[arg(conflicts_with_all = ["identity_issuer", "identity_issuer_pattern", "subject", "subject_pattern", "claim_audience",
        "audience_pattern", "claims", "claim_patterns", "issuer_keys", "expiration"])]
    service_principal: Option<ServicePrincipal>,
}

impl Proof {
    /// The relationship of a new identity.
    ///
    /// # Errors
    /// When the flags describe none; the server judges the values.
    pub(super) fn create(self) -> Result<Relationship, Failure> {
        if let Some(principal) = self.service_principal {
            return Ok(Relationship::ServicePrincipal(principal.into()));
        }
        if self.issuer_keys.is_some() {
            let (keys, _) = self.static_keys()?;
            return Ok(Relationship::StaticKeys(keys));
        }
        if self.expiration.is_some() {
            return Err(Failure::usage("--expiration goes with --issuer-keys"));
        }
        if self.identity_issuer.is_none() && self.identity_issuer_pattern.is_none() {
            return Err(Failure::usage("the relationship is missing: which tokens belong to the identity")
                .hint("give --identity-issuer and --subject, add --issuer-keys, or give --service-principal"));
        }
        Ok(Relationship::ClaimMatch(self.claim_match().0))
    }

    /// What changes in the relationship `current`: the new values, and the paths of the fields that have them.
    ///
    /// # Errors
    /// When the flags do not fit the kind of relationship.
    pub(super) fn update(self, current: Option<&Relationship>) -> Result<(Option<Relationship>, Vec<String>), Failure> {
        let wrong = |flag: &str, kind: &str| {
            Failure::usage(format!("{flag} cannot be used: this identity is recognized by {kind}"))
                .hint("the kind of relationship of an identity cannot be changed: create a new identity")
        };
        if let Some(principal) = self.service_principal {
            return match current {
                Some(Relationship::ServicePrincipal(_)) => {
                    Ok((Some(Relationship::ServicePrincipal(principal.into())), vec!["service_principal".to_owned()]))
                }
                _ => Err(wrong("--service-principal", "tokens")),
            };
        }
        let (relationship, paths) = match current {
            Some(Relationship::StaticKeys(_)) => {
                if self.identity_issuer_pattern.is_some() || self.subject_pattern.is_some() || self.audience_pattern.is_some() {
                    return Err(wrong("a pattern", "static keys"));
                }
                if !self.claims.is_empty() || !self.claim_patterns.is_empty() {
                    return Err(wrong("--claim", "static keys"));
                }
                let (keys, paths) = self.static_keys()?;
                (Relationship::StaticKeys(keys), paths)
            }
            Some(Relationship::ClaimMatch(_)) => {
                if self.issuer_keys.is_some() || self.expiration.is_some() {
                    return Err(wrong("--issuer-keys or --expiration", "the claims of its tokens"));
                }
                let (rule, paths) = self.claim_match();
                (Relationship::ClaimMatch(rule), paths)
            }
            Some(Relationship::AwsIdentity(_) | Relationship::ServicePrincipal(_)) | None => {
                let (_, mut paths) = self.claim_match();
                return if paths.is_empty() {
                    Ok((None, Vec::new()))
                } else {
                    Err(wrong(&format!("the change of {}", paths.remove(0)), "something else than tokens"))
                };
            }
        };
        Ok(if paths.is_empty() { (None, paths) } else { (Some(relationship), paths) })
    }

    fn static_keys(self) -> Result<(StaticKeys, Vec<String>), Failure> {
        let issuer_keys = match &self.issuer_keys {
            Some(file) => Some(
                fs::read_to_string(file).map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?,
            ),
            None => None,
        };
        let given = [
            ("issuer", self.identity_issuer.is_some()),
            ("subject", self.subject.is_some()),
            ("issuer_keys", issuer_keys.is_some()),
            ("expiration_time", self.expiration.is_some()),
            ("audiences", self.audience.is_some()),
        ];
        let keys = StaticKeys {
            issuer: self.identity_issuer.unwrap_or_default(),
            subject: self.subject.unwrap_or_default(),
            issuer_keys: issuer_keys.unwrap_or_default(),
            expiration_time: self
                .expiration
                .map(|at| contract::prost_types::Timestamp { seconds: at.as_second(), nanos: at.subsec_nanosecond() }),
            audiences: self.audience.into_iter().collect(),
        };
        Ok((keys, paths("static_keys", &given)))
    }

    fn claim_match(self) -> (ClaimMatch, Vec<String>) {
        let given = [
            ("issuer", self.identity_issuer.is_some()),
            ("issuer_pattern", self.identity_issuer_pattern.is_some()),
            ("subject", self.subject.is_some()),
            ("subject_pattern", self.subject_pattern.is_some()),
            ("audience", self.audience.is_some()),
            ("audience_pattern", self.audience_pattern.is_some()),
            ("claims", !self.claims.is_empty()),
            ("claim_patterns", !self.claim_patterns.is_empty()),
        ];
        let rule = ClaimMatch {
            iss: self.identity_issuer.map(Iss::Issuer).or(self.identity_issuer_pattern.map(Iss::IssuerPattern)),
            sub: self.subject.map(Sub::Subject).or(self.subject_pattern.map(Sub::SubjectPattern)),
            aud: self.audience.map(Aud::Audience).or(self.audience_pattern.map(Aud::AudiencePattern)),
            claims: self.claims.into_iter().collect::<HashMap<_, _>>().into_iter().collect(),
            claim_patterns: self.claim_patterns.into_iter().collect(),
        };
        (rule, paths("claim_match", &given))
    }
}

/// The mask paths of what was given.
fn paths(of: &str, given: &[(&str, bool)]) -> Vec<String> {
    given.iter().filter(|(_, given)| *given).map(|(field, _)| format!("{of}.{field}")).collect()
}

/// A day means its end in UTC: "until then" includes it.
fn expiration(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let next_day = text.parse::<Date>().and_then(Date::tomorrow).and_then(|day| day.to_zoned(TimeZone::UTC));
    next_day.map(|start| start.timestamp()).map_err(|_| "must be a day such as 2030-12-31, or an instant in RFC 3339".to_owned())
}

fn principal(text: &str) -> Result<ServicePrincipal, String> {
    let name = text.to_ascii_uppercase();
    let all = (1..).map_while(|number| ServicePrincipal::try_from(number).ok());
    let short = |principal: &ServicePrincipal| principal.as_str_name().trim_start_matches("SERVICE_PRINCIPAL_");
    let known: Vec<_> = all.collect();
    known.iter().find(|principal| short(principal) == name).copied().ok_or_else(|| {
        let names: Vec<_> = known.iter().map(short).collect();
        format!("must be one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_lasts_until_its_end() {
        let at = |text| expiration(text).map(|at| at.to_string());
        assert_eq!(at("2030-12-31").as_deref(), Ok("2031-01-01T00:00:00Z"));
        assert_eq!(at("2030-12-31T10:00:00Z").as_deref(), Ok("2030-12-31T10:00:00Z"));
        for bad in ["", "tomorrow", "2030-13-01"] {
            assert!(at(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn principals_are_named_without_their_prefix() {
        assert_eq!(principal("ingester"), Ok(ServicePrincipal::Ingester));
        assert!(principal("nobody").is_err_and(|told| told.starts_with("must be one of COSIGNED, INGESTER,")));
    }
}
