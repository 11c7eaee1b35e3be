//! Users: people who register, and leave again.

use serde_json::json;

use super::{Given, bindings::binding, rights::Rights};
use crate::model::{
    answer::{Done, Outcome, Refusal, not_found, nothing, refused, wrong},
    history::{Ref, Step},
    nouns::Noun,
    state::{Fields, State, parent},
};

/// The address that the development issuer knows of a person, and whether it vouches for it.
pub(crate) fn address(subject: &str) -> Option<(String, bool)> {
    (subject != "admin").then(|| (format!("{subject}@example.com"), subject != "s3"))
}

impl State {
    /// Whoever has an account at the login provider becomes a user; with an invite, one who holds its role.
    pub(super) fn register(&mut self, step: &Step, given: &Given, subject: &str, invite: Option<&Ref>) -> Outcome {
        let invite = invite.map(|invite| self.uid(invite));
        let known = self.users.get(subject).filter(|user| self.find(Noun::Identity, user).is_some()).cloned();
        if known.as_ref().is_some_and(|user| self.of(Noun::Identity, user).text("claim_match.subject") != subject) {
            return refused("PERMISSION_DENIED", "CLAIM_MISMATCH");
        }
        if invite.as_ref().is_some_and(|invite| !self.codes.contains_key(invite)) {
            return wrong("FIELD", &["code"]);
        }
        let offer = match &invite {
            Some(invite) => Some(self.taken_up(subject, invite)?),
            None => None,
        };
        let user = known.unwrap_or_else(|| self.add_user(step, given, subject));
        let Some(offer) = offer else { return Ok(registered(&user, "")) };
        let invite = invite.unwrap_or_default();
        let group = parent(&invite).unwrap_or("/");
        let bound = binding(&user, offer.text("role_uid"));
        if !self.all(Noun::Binding).any(|(at, known)| parent(at) == Some(group) && known.fields == bound) {
            self.check_room(Noun::Binding, group)?;
            let uid = given.binding.clone().unwrap_or_else(|| format!("{group}/?"));
            self.add(Ref::Made(step.number, 1), Noun::Binding, &uid, bound);
        }
        if offer.is("single_use") {
            self.remove(Noun::Invite, &invite);
        }
        Ok(registered(&user, group))
    }

    /// What an invite offers, if it is for this person now.
    fn taken_up(&self, subject: &str, invite: &str) -> Result<Fields, Refusal> {
        let Some(offer) = self.find(Noun::Invite, invite).map(|invite| invite.fields.clone()) else { return not_found() };
        let email = offer.text("email");
        let fits = email.is_empty() || address(subject) == Some((email.to_owned(), true));
        if self.now >= offer.number("expires") || !fits {
            return refused("PERMISSION_DENIED", "INVITE_REFUSED");
        }
        if self.find(Noun::Role, offer.text("role_uid")).is_none() {
            return refused("FAILED_PRECONDITION", "NO_SUCH_RESOURCE");
        }
        Ok(offer)
    }

    fn add_user(&mut self, step: &Step, given: &Given, subject: &str) -> String {
        let user = given.uids.first().cloned().unwrap_or_else(|| "?".to_owned());
        let mut fields = Fields::default();
        fields.set("name", subject);
        fields.set("claim_match.issuer", self.issuer.as_str());
        fields.set("claim_match.subject", subject);
        if let Some((email, verified)) = address(subject) {
            fields.set("name", email.replace('@', "-"));
            fields.set(if verified { "email" } else { "email_unverified" }, email);
        }
        self.add(Ref::Made(step.number, 0), Noun::Identity, &user, fields);
        self.users.insert(subject.to_owned(), user.clone());
        user
    }

    /// Users delete their own accounts, with tokens that can do all that they can.
    pub(super) fn leave(&mut self, rights: &Rights, uid: &str) -> Outcome {
        if rights.identity.as_deref() != Some(uid) || parent(uid).is_some() || rights.is_narrowed() {
            return refused("PERMISSION_DENIED", "OWN_ACCOUNT_ONLY");
        }
        self.remove(Noun::Identity, uid);
        Ok(nothing())
    }
}

fn registered(user: &str, group: &str) -> Done {
    (json!({ "identity": user, "group": group }), None)
}
