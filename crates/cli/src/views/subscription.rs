//! Subscriptions.

use contract::chainguard::platform::events::v2beta1::Subscription;
use serde_json::{Value, json};

use crate::output::Show;

impl Show for Subscription {
    const COLUMNS: &'static [&'static str] = &["ID", "SINK"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.sink.clone()
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), self.sink.clone()]
    }

    fn json(&self) -> Value {
        json!({ "id": self.uid, "sink": self.sink })
    }
}
