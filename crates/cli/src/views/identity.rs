//! Identities.

use std::collections::BTreeSet;

use contract::chainguard::platform::iam::v2beta1::{
    Identity, ServicePrincipal,
    identity::{
        AwsIdentity, ClaimMatch, Relationship, StaticKeys,
        aws_identity::{AwsArn, AwsUserId},
        claim_match::{Aud, Iss, Sub},
    },
};
use serde_json::{Map, Value, json};
use sts::claims::unusable_keys;

use super::{Held, short};
use crate::output::{Show, time};

/// An identity and the roles that it holds.
#[derive(Debug)]
pub(crate) struct IdentityRow {
    pub(crate) identity: Identity,
    /// `None` when nobody asked, or the caller may not see them.
    pub(crate) held: Option<Vec<Held>>,
}

impl IdentityRow {
    /// The names of its roles.
    fn roles(&self) -> String {
        let names: BTreeSet<_> = self.held.iter().flatten().map(|held| held.role.as_str()).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    }

    /// The subject of its tokens, as a pattern perhaps; empty where that is not what they are known by.
    fn subject(&self) -> &str {
        match &self.identity.relationship {
            Some(Relationship::ClaimMatch(ClaimMatch { sub: Some(Sub::Subject(text) | Sub::SubjectPattern(text)), .. })) => text,
            Some(Relationship::StaticKeys(keys)) => &keys.subject,
            _ => "",
        }
    }
}

impl Show for IdentityRow {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "TYPE", "DESCRIPTION", "ROLES", "ISSUER", "EXPIRES"];
    const WIDE: &'static [&'static str] =
        &["ID", "NAME", "TYPE", "DESCRIPTION", "ROLES", "ISSUER", "EXPIRES", "SUBJECT", "EMAIL", "LAST SEEN", "CREATED"];

    fn id(&self) -> &str {
        &self.identity.uid
    }

    fn label(&self) -> String {
        self.identity.name.clone()
    }

    fn row(&self) -> Vec<String> {
        let identity = &self.identity;
        let (kind, issuer, expires) = match &identity.relationship {
            Some(Relationship::ClaimMatch(rule)) => ("claim_match", issuer(rule).to_owned(), None),
            Some(Relationship::StaticKeys(keys)) => {
                let kind = if unusable_keys(&keys.issuer_keys).is_some() { "static (unusable)" } else { "static" };
                (kind, keys.issuer.clone(), time::wire(keys.expiration_time.as_ref()))
            }
            Some(Relationship::AwsIdentity(_)) => ("aws", String::new(), None),
            Some(Relationship::ServicePrincipal(number)) => ("service_principal", principal(*number), None),
            None => ("", String::new(), None),
        };
        let (name, description) = (identity.name.clone(), identity.description.clone());
        let roles = self.roles();
        vec![identity.uid.clone(), name, kind.to_owned(), description, roles, issuer, expires.unwrap_or_default()]
    }

    fn record(&self) -> Vec<String> {
        let Identity { email, last_seen_time, create_time, .. } = &self.identity;
        let times = [last_seen_time, create_time].map(|at| time::wire(at.as_ref()).unwrap_or_default());
        self.row().into_iter().chain([self.subject().to_owned(), email.clone()]).chain(times).collect()
    }

    fn json(&self) -> Value {
        let identity = &self.identity;
        let mut value = json!({
            "id": identity.uid,
            "name": identity.name,
            "description": identity.description,
            "email": identity.email,
            "email_unverified": identity.email_unverified,
            "created_at": time::wire(identity.create_time.as_ref()),
            "updated_at": time::wire(identity.update_time.as_ref()),
            "last_seen": time::wire(identity.last_seen_time.as_ref()),
        });
        let relationship = match &identity.relationship {
            Some(Relationship::ClaimMatch(rule)) => Some(("claim_match", claim_match(rule))),
            Some(Relationship::StaticKeys(keys)) => Some(("static", static_keys(keys))),
            Some(Relationship::AwsIdentity(aws)) => Some(("aws_identity", aws_identity(aws))),
            Some(Relationship::ServicePrincipal(number)) => Some(("service_principal", json!(principal(*number)))),
            None => None,
        };
        if let Some(fields) = value.as_object_mut() {
            fields.extend(relationship.map(|(name, relationship)| (name.to_owned(), relationship)));
            fields.extend(self.held.as_ref().map(|held| ("roles".to_owned(), Held::json(held))));
        }
        value
    }
}

fn issuer(rule: &ClaimMatch) -> &str {
    match &rule.iss {
        Some(Iss::Issuer(text) | Iss::IssuerPattern(text)) => text,
        None => "",
    }
}

fn principal(number: i32) -> String {
    ServicePrincipal::try_from(number)
        .map_or_else(|_| number.to_string(), |principal| short(principal.as_str_name(), "SERVICE_PRINCIPAL_").to_owned())
}

fn claim_match(rule: &ClaimMatch) -> Value {
    let mut value = Map::new();
    let mut put = |name: &str, text: &str| value.insert(name.to_owned(), json!(text));
    match &rule.iss {
        Some(Iss::Issuer(text)) => put("issuer", text),
        Some(Iss::IssuerPattern(text)) => put("issuer_pattern", text),
        None => None,
    };
    match &rule.sub {
        Some(Sub::Subject(text)) => put("subject", text),
        Some(Sub::SubjectPattern(text)) => put("subject_pattern", text),
        None => None,
    };
    match &rule.aud {
        Some(Aud::Audience(text)) => put("audience", text),
        Some(Aud::AudiencePattern(text)) => put("audience_pattern", text),
        None => None,
    };
    value.insert("claims".to_owned(), json!(rule.claims));
    value.insert("claim_patterns".to_owned(), json!(rule.claim_patterns));
    Value::Object(value)
}

fn static_keys(keys: &StaticKeys) -> Value {
    let unusable =
        unusable_keys(&keys.issuer_keys).map(|why| ("unusable", json!(format!("no token will match: the keys {why}"))));
    let fields = [
        ("issuer", json!(keys.issuer)),
        ("subject", json!(keys.subject)),
        ("issuer_keys", json!(keys.issuer_keys)),
        ("expiration", json!(time::wire(keys.expiration_time.as_ref()))),
        ("audiences", json!(keys.audiences)),
    ];
    fields.into_iter().chain(unusable).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn aws_identity(aws: &AwsIdentity) -> Value {
    let mut value = Map::new();
    value.insert("aws_account".to_owned(), json!(aws.aws_account));
    let mut put = |name: &str, text: &str| value.insert(name.to_owned(), json!(text));
    match &aws.aws_arn {
        Some(AwsArn::Arn(text)) => put("arn", text),
        Some(AwsArn::ArnPattern(text)) => put("arn_pattern", text),
        None => None,
    };
    match &aws.aws_user_id {
        Some(AwsUserId::UserId(text)) => put("user_id", text),
        Some(AwsUserId::UserIdPattern(text)) => put("user_id_pattern", text),
        None => None,
    };
    Value::Object(value)
}
