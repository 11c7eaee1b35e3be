//! Image tags.

use contract::chainguard::platform::registry::v2beta1::Tag;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for Tag {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "DIGEST", "UPDATED"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        let updated = time::wire(self.update_time.as_ref()).unwrap_or_default();
        vec![self.uid.clone(), self.name.clone(), self.digest.clone(), updated]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "name": self.name,
            "digest": self.digest,
            "last_updated": time::wire(self.update_time.as_ref()),
            "deprecated": self.deprecated,
            "bundles": self.bundles,
        })
    }
}
