//! Group invites.

use contract::chainguard::platform::iam::v2beta1::GroupInvite;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for GroupInvite {
    const COLUMNS: &'static [&'static str] = &["ID", "EXPIRATION", "KEYID", "ROLE"];
    const WIDE: &'static [&'static str] = &["ID", "EXPIRATION", "KEYID", "ROLE", "EMAIL", "SINGLE USE", "CREATED"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        match (role_name(self), self.email.as_str()) {
            (role, "") => role,
            (role, email) => format!("{role} for {email}"),
        }
    }

    fn row(&self) -> Vec<String> {
        let ends = time::wire(self.expiration_time.as_ref()).unwrap_or_default();
        vec![self.uid.clone(), ends, self.key_id.clone(), role_name(self)]
    }

    fn record(&self) -> Vec<String> {
        let created = time::wire(self.create_time.as_ref()).unwrap_or_default();
        self.row().into_iter().chain([self.email.clone(), self.single_use.to_string(), created]).collect()
    }

    fn json(&self) -> Value {
        let role = self.role.as_ref().map(|r| json!({"id": r.uid, "name": r.name, "description": r.description}));
        let mut told = json!({
            "id": self.uid,
            "expiration": time::wire(self.expiration_time.as_ref()),
            "key_id": self.key_id,
            "role": role,
            "email": self.email,
            "single_use": self.single_use,
            "created_at": time::wire(self.create_time.as_ref()),
        });
        // Only who has just made it is told.
        if let (Value::Object(fields), false) = (&mut told, self.code.is_empty()) {
            fields.insert("code".to_owned(), self.code.as_str().into());
        }
        told
    }
}

/// What people call the role of an invite.
fn role_name(invite: &GroupInvite) -> String {
    invite.role.as_ref().map_or_else(|| format!("{} (gone)", invite.role_uid), |role| role.name.clone())
}
