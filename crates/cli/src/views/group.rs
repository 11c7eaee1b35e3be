//! Organizations and folders.

use contract::chainguard::platform::iam::v2beta1::Group;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for Group {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), self.name.clone(), self.description.clone()]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "name": self.name,
            "description": self.description,
            "resource_limits": self.resource_limits,
            "verified": self.verified,
            "kind": self.kind().as_str_name(),
            "status": self.status().as_str_name(),
            "created_at": time::wire(self.create_time.as_ref()),
            "updated_at": time::wire(self.update_time.as_ref()),
        })
    }
}
