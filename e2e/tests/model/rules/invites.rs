//! Invites.

use super::Given;
use crate::model::state::{Fields, State};

/// Seconds.
const LONGEST: i64 = 365 * 86_400;

impl State {
    /// An invite works from now on for the time that was wished, by a code that only its maker sees.
    pub(super) fn offer(&mut self, given: &Given, uid: &str, made: &mut Fields) {
        let ttl = seconds(made.text("ttl")).unwrap_or_default();
        made.set("ttl", "");
        made.set("expires", self.now + ttl * 1000);
        made.set("key_id", given.key.as_str());
        self.codes.extend(given.code.clone().map(|code| (uid.to_owned(), code)));
    }
}

pub(super) fn bad(fields: &Fields) -> Vec<String> {
    let mut bad = Vec::new();
    if !seconds(fields.text("ttl")).is_some_and(|ttl| (1..=LONGEST).contains(&ttl)) {
        bad.push("ttl".to_owned());
    }
    let email = fields.text("email");
    if !email.is_empty() && !email.contains('@') {
        bad.push("email".to_owned());
    }
    bad
}

/// A length of time as JSON has it.
fn seconds(text: &str) -> Option<i64> {
    text.strip_suffix('s')?.parse().ok()
}
