//! Role bindings.

use contract::chainguard::platform::iam::v2beta1::RoleBinding;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for RoleBinding {
    const COLUMNS: &'static [&'static str] = &["ID", "IDENTITY", "ROLE", "GROUP"];
    const WIDE: &'static [&'static str] =
        &["ID", "IDENTITY", "ROLE", "GROUP", "IDENTITY ID", "ROLE ID", "GROUP ID", "ISSUER", "SUBJECT", "CREATED"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        match self.row().as_slice() {
            [_, identity, role, ..] => format!("{identity}: {role}"),
            _ => self.uid.clone(),
        }
    }

    fn row(&self) -> Vec<String> {
        let identity = self.identity.as_ref().map(|identity| match identity.email.as_str() {
            "" => identity.name.clone(),
            email => email.to_owned(),
        });
        let identity = identity.filter(|name| !name.is_empty()).unwrap_or_else(|| self.identity_uid.clone());
        let role = self.role.as_ref().map_or_else(|| self.role_uid.clone(), |role| role.name.clone());
        let group = self.group.as_ref().map_or_else(String::new, |group| group.name.clone());
        vec![self.uid.clone(), identity, role, group]
    }

    fn record(&self) -> Vec<String> {
        let identity = self.identity.clone().unwrap_or_default();
        let group = self.uid.rsplit_once('/').map_or("", |(group, _)| group).to_owned();
        let created = time::wire(self.create_time.as_ref()).unwrap_or_default();
        let further = [self.identity_uid.clone(), self.role_uid.clone(), group, identity.issuer, identity.subject, created];
        self.row().into_iter().chain(further).collect()
    }

    fn json(&self) -> Value {
        let identity = self.identity.as_ref();
        let group = self.group.as_ref().map(|g| json!({"id": g.uid, "name": g.name, "description": g.description}));
        let role = self.role.as_ref().map(|r| json!({"id": r.uid, "name": r.name, "description": r.description}));
        json!({
            "id": self.uid,
            "group": group,
            "identity": identity.map_or(&self.identity_uid, |identity| &identity.uid),
            "role": role,
            "email": identity.map(|identity| &identity.email),
            "claim_match_issuer": identity.map(|identity| &identity.issuer),
            "claim_match_subject": identity.map(|identity| &identity.subject),
            "created_at": time::wire(self.create_time.as_ref()),
        })
    }
}
