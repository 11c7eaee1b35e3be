//! External group role mappings.

use contract::chainguard::platform::iam::v2beta1::ExternalGroupRoleMapping;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for ExternalGroupRoleMapping {
    const COLUMNS: &'static [&'static str] = &["ID", "GROUP", "ROLE", "SCOPE"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.external_group_id.clone()
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), self.external_group_id.clone(), self.role_uid.clone(), self.scope.clone()]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "identity_provider_uidp": self.identity_provider_uid,
            "external_group_id": self.external_group_id,
            "role_uidp": self.role_uid,
            "scope": self.scope,
            "created_at": time::wire(self.create_time.as_ref()),
        })
    }
}
