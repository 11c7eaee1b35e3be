//! Settings of registries.

use contract::chainguard::platform::registry::RegistrySettings;
use serde_json::{Value, json};

use crate::output::Show;

impl Show for RegistrySettings {
    const COLUMNS: &'static [&'static str] = &["ID", "UNIQUE TAGS", "EOL GRACE PERIOD"];

    fn id(&self) -> &str {
        &self.registry_id
    }

    fn row(&self) -> Vec<String> {
        vec![self.registry_id.clone(), self.unique_tags.to_string(), self.eol_grace_period.to_string()]
    }

    fn json(&self) -> Value {
        json!({
            "registry_id": self.registry_id,
            "unique_tags": self.unique_tags,
            "eol_grace_period": self.eol_grace_period,
        })
    }
}
