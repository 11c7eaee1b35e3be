//! Organizations and folders.

use contract::chainguard::platform::iam::v2beta1::Group;
use serde_json::{Value, json};

use super::short;
use crate::output::{Show, time};

impl Show for Group {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION"];
    const WIDE: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION", "VERIFIED", "KIND", "STATUS", "CREATED"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), self.name.clone(), self.description.clone()]
    }

    fn record(&self) -> Vec<String> {
        let (kind, status) = (short(self.kind().as_str_name(), "ORG_KIND_"), short(self.status().as_str_name(), "ORG_STATUS_"));
        let further = [self.verified.to_string(), kind.to_owned(), status.to_owned()];
        self.row().into_iter().chain(further).chain([time::wire(self.create_time.as_ref()).unwrap_or_default()]).collect()
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "name": self.name,
            "description": self.description,
            "resource_limits": self.resource_limits,
            "verified": self.verified,
            "kind": short(self.kind().as_str_name(), "ORG_KIND_"),
            "status": short(self.status().as_str_name(), "ORG_STATUS_"),
            "created_at": time::wire(self.create_time.as_ref()),
            "updated_at": time::wire(self.update_time.as_ref()),
        })
    }
}
