//! Tokens: who gets one, what it keeps, how long it is good.

use serde_json::json;

use super::{Given, rights::need};
use crate::model::{
    answer::{Done, Outcome, Refusal, not_found, nothing, refused},
    history::{Caller, Narrowing, Noun, Proof, Ref},
    state::{State, Token, What, instant, within},
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
            Caller::Bearer(step) => self.tokens.get(&step),
        };
        let Some(token) = token else { return refused("UNAUTHENTICATED", "TOKEN_MISSING") };
        if self.seconds() >= token.expires {
            return refused("UNAUTHENTICATED", "TOKEN_EXPIRED");
        }
        match &token.identity {
            Some(identity) if self.proofs(identity) != Some(token.proofs) => refused("UNAUTHENTICATED", "TOKEN_REVOKED"),
            _ => Ok(token),
        }
    }

    pub(super) fn operate(&mut self, number: usize, given: &Given) -> Done {
        let expires = self.seconds() + OPERATORS_LIFETIME;
        let text = given.token.clone().unwrap_or_default();
        let token = Token { text, identity: None, proofs: 0, expires, scopes: None, capabilities: None };
        self.tokens.insert(number, token);
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
            // Without a name it is for the user that the token is of; of these there is one.
            None if subject == "admin" && self.things.contains_key(&self.admin) => self.admin.clone(),
            None => return not_found(),
        };
        let proofs = match self.find(Noun::Identity, &uid).map(|thing| &thing.what) {
            Some(What::Identity { proof: Proof::Subject(accepted), proofs, .. }) if accepted == subject => *proofs,
            _ => return refused("PERMISSION_DENIED", "CLAIM_MISMATCH"),
        };
        let token = Token {
            text: String::new(),
            identity: Some(uid),
            proofs,
            expires: self.seconds() + LIFETIME,
            scopes: None,
            capabilities: None,
        };
        let (mut answer, tagged) = self.give(number, given, token, narrowing);
        // Who names nobody is a user who logs in.
        answer["refreshToken"] = if identity.is_none() { "some" } else { "" }.into();
        Ok((answer, tagged))
    }

    pub(super) fn narrow(&mut self, number: usize, given: &Given, caller: Caller, narrowing: &Narrowing) -> Outcome {
        let own = match caller {
            // Not one of ours, and for no identity.
            Caller::Garbage => return refused("UNAUTHENTICATED", "TOKEN_INVALID"),
            _ => self.judge(caller)?.clone(),
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
        self.tokens.insert(number, Token { text, scopes, capabilities, ..token });
        (json!({"refreshToken": "", "expiry": expiry}), None)
    }

    fn proofs(&self, identity: &str) -> Option<u64> {
        match self.find(Noun::Identity, identity).map(|thing| &thing.what) {
            Some(What::Identity { proofs, .. }) => Some(*proofs),
            _ => None,
        }
    }

    fn seconds(&self) -> i64 {
        self.now.div_euclid(1000)
    }
}
