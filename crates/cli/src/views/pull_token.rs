//! Identities of pull tokens.

use contract::chainguard::platform::iam::v2beta1::{Identity, identity::Relationship};
use serde_json::{Value, json};

use crate::output::{Show, time};

/// An identity that was made for a pull token.
#[derive(Debug)]
pub(crate) struct PullTokenRow(pub(crate) Identity);

impl PullTokenRow {
    /// When it works no more.
    fn ends(&self) -> Option<String> {
        match &self.0.relationship {
            Some(Relationship::StaticKeys(keys)) => time::wire(keys.expiration_time.as_ref()),
            _ => None,
        }
    }

    /// When it was last used.
    fn seen(&self) -> Option<String> {
        time::wire(self.0.last_seen_time.as_ref())
    }
}

impl Show for PullTokenRow {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION", "EXPIRES", "LAST SEEN"];

    fn id(&self) -> &str {
        &self.0.uid
    }

    fn row(&self) -> Vec<String> {
        let identity = &self.0;
        let (ends, seen) = (self.ends().unwrap_or_default(), self.seen().unwrap_or_default());
        vec![identity.uid.clone(), identity.name.clone(), identity.description.clone(), ends, seen]
    }

    fn json(&self) -> Value {
        let identity = &self.0;
        json!({
            "id": identity.uid,
            "name": identity.name,
            "description": identity.description,
            "expiration": self.ends(),
            "last_seen": self.seen(),
            "created_at": time::wire(identity.create_time.as_ref()),
        })
    }
}
