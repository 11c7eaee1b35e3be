//! Account associations.

use serde_json::Value;

use crate::model::{
    answer::{Refusal, refused, wrong},
    nouns::Noun,
    state::{Fields, State, parent},
};

const BOUND: &str = "chainguard.service_bindings";

impl State {
    /// A group has one. A part of the platform acts as an identity of the group itself that is this very part.
    pub(super) fn check_accounts(&self, uid: &str, before: Option<&Fields>, wished: &Fields) -> Result<(), Refusal> {
        let fits = |(part, identity): (&String, &Value)| {
            let identity = identity.as_str().unwrap_or_default();
            let found = self.find(Noun::Identity, identity).map(|identity| identity.fields.text("service_principal"));
            parent(identity) == Some(uid) && found == Some(format!("SERVICE_PRINCIPAL_{part}").as_str())
        };
        if before.is_none() && self.find(Noun::Accounts, uid).is_some() {
            return refused("ALREADY_EXISTS", "ONE_PER_GROUP");
        }
        let bound = wished.get(BOUND).and_then(Value::as_object);
        if bound.into_iter().flatten().all(fits) { Ok(()) } else { wrong("OTHER_ORGANIZATION", &[BOUND]) }
    }

    /// Forgets what is said of an identity that is gone or has become another: its tokens, and as which part of the platform it acts.
    pub(super) fn forget(&mut self, identity: &str) {
        for token in self.tokens.values_mut().filter(|token| token.identity.as_deref() == Some(identity)) {
            std::sync::Arc::make_mut(token).revoked = true;
        }
        let names = |bound: &Value| bound.as_object().into_iter().flatten().any(|(_, uid)| uid == identity);
        for uid in self.which(Noun::Accounts, |_, fields| fields.get(BOUND).is_some_and(names)) {
            self.change(Noun::Accounts, &uid, |fields| {
                let left = fields.get(BOUND).and_then(Value::as_object).into_iter().flatten();
                let left = left.filter(|(_, uid)| *uid != identity).map(|(part, uid)| (part.clone(), uid.clone()));
                let left: Value = left.collect();
                fields.set(BOUND, left);
            });
        }
    }
}

/// The account of Amazon has 12 digits.
pub(super) fn bad(fields: &Fields) -> Option<String> {
    let fits = |account: &Value| account.as_str().is_some_and(|a| a.len() == 12 && a.bytes().all(|b| b.is_ascii_digit()));
    let bad = fields.get("amazon.account").is_some_and(|account| !fits(account));
    bad.then(|| "amazon.account".to_owned())
}
