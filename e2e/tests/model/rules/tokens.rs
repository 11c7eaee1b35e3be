//! Tokens: who gets one, what it keeps, how long it is good.

use std::sync::Arc;

use serde_json::json;

use super::{Given, rights::need};
use crate::model::{
    answer::{Done, Outcome, Refusal, not_found, nothing, refused},
    history::{Caller, Narrowing, Ref},
    nouns::Noun,
    state::{State, Token, instant, within},
};

const LIFETIME: i64 = 3600;
/// What the driver asks for.
const OPERATORS_LIFETIME: i64 = 600;

impl State {
    /// Whether the caller has a good token.
    pub(crate) fn is_good(&self, caller: Caller) -> bool {
        self.judge(caller).is_ok()
    }

    /// The token, if it is good.
    pub(super) fn judge(&self, caller: Caller) -> Result<&Token, Refusal> {
        let token = match caller {
            Caller::Nobody => None,
            Caller::Garbage => return refused("UNAUTHENTICATED", "TOKEN_INVALID"),
            Caller::Bearer(step) => self.tokens.get(&step).map(Arc::as_ref),
        };
        let Some(token) = token else { return refused("UNAUTHENTICATED", "TOKEN_MISSING") };
        if self.seconds() >= token.expires {
            return refused("UNAUTHENTICATED", "TOKEN_EXPIRED");
        }
        if token.revoked { refused("UNAUTHENTICATED", "TOKEN_REVOKED") } else { Ok(token) }
    }

    pub(super) fn operate(&mut self, number: usize, given: &Given) -> Done {
        let expires = self.seconds() + OPERATORS_LIFETIME;
        let text = given.token.clone().unwrap_or_default();
        let token = Token { text, identity: None, revoked: false, expires, scopes: None, capabilities: None };
        self.tokens.insert(number, Arc::new(token));
        nothing()
    }

    pub(super) fn exchange(
        &mut self,
        number: usize,
        given: &Given,
        subject: &str,
        identity: Option<&Ref>,
        narrowing: &Narrowing,
    ) -> Outcome {
        let uid = match identity {
            Some(identity) => self.uid(identity),
            // Without a name it is for the user that the token is of.
            None => match self.users.get(subject) {
                Some(user) if self.find(Noun::Identity, user).is_some() => user.clone(),
                _ => return not_found(),
            },
        };
        let accepted = self.find(Noun::Identity, &uid).map(|identity| identity.fields.text("claim_match.subject"));
        if accepted != Some(subject) {
            return refused("PERMISSION_DENIED", "CLAIM_MISMATCH");
        }
        let expires = self.seconds() + LIFETIME;
        let token = Token { text: String::new(), identity: Some(uid), revoked: false, expires, scopes: None, capabilities: None };
        let (mut answer, tagged) = self.give(number, given, token, narrowing);
        // Who names nobody is a user who logs in.
        answer["refreshToken"] = if identity.is_none() { "some" } else { "" }.into();
        Ok((answer, tagged))
    }

    pub(super) fn narrow(&mut self, number: usize, given: &Given, caller: Caller, narrowing: &Narrowing) -> Outcome {
        let own = match caller {
            // Not one of ours, and for no identity.
            Caller::Garbage => return refused("UNAUTHENTICATED", "TOKEN_INVALID"),
            _ => Token::clone(self.judge(caller)?),
        };
        let scopes: Vec<_> = narrowing.scopes.iter().map(|scope| self.uid(scope)).collect();
        let inside = |kept: &Vec<String>| scopes.iter().all(|scope| kept.iter().any(|kept| within(scope, kept)));
        let among = |kept: &std::collections::BTreeSet<String>| narrowing.capabilities.iter().all(|c| kept.contains(need(c)));
        if !own.scopes.as_ref().is_none_or(inside) || !own.capabilities.as_ref().is_none_or(among) {
            return refused("PERMISSION_DENIED", "ESCALATION");
        }
        let expires = own.expires.min(self.seconds() + LIFETIME);
        Ok(self.give(number, given, Token { expires, ..own }, narrowing))
    }

    fn give(&mut self, number: usize, given: &Given, token: Token, narrowing: &Narrowing) -> Done {
        let scopes: Vec<_> = narrowing.scopes.iter().map(|scope| self.uid(scope)).collect();
        let capabilities = narrowing.capabilities.iter().map(|capability| need(capability).to_owned());
        let expiry = instant(token.expires * 1000);
        let text = given.token.clone().unwrap_or_default();
        let scopes = if scopes.is_empty() { token.scopes } else { Some(scopes) };
        let capabilities = if narrowing.capabilities.is_empty() { token.capabilities } else { Some(capabilities.collect()) };
        self.tokens.insert(number, Arc::new(Token { text, scopes, capabilities, ..token }));
        (json!({"refreshToken": "", "expiry": expiry}), None)
    }

    fn seconds(&self) -> i64 {
        self.now.div_euclid(1000)
    }
}
