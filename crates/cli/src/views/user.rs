//! Users of an organization: people, with what they hold there.

use serde_json::{Value, json};

use super::Held;
use crate::output::Show;

/// A user, and the roles that it holds in a part of the tree.
#[derive(Debug)]
pub(crate) struct UserRow {
    pub(crate) uid: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) held: Vec<Held>,
}

impl UserRow {
    /// What it holds, and where, in words.
    pub(crate) fn roles(&self) -> String {
        let roles: Vec<_> = self.held.iter().map(|held| format!("{} at {}", held.role, held.group)).collect();
        roles.join(", ")
    }
}

impl Show for UserRow {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "EMAIL", "ROLES"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        if self.email.is_empty() { self.name.clone() } else { self.email.clone() }
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), self.name.clone(), self.email.clone(), self.roles()]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "name": self.name,
            "email": self.email,
            "roles": Held::json(&self.held),
        })
    }
}
