//! Capabilities.

use domain::Capability;
use serde_json::{Value, json};

use crate::output::Show;

/// What a role may let its holders do.
#[derive(Debug)]
pub(crate) struct CapabilityRow(pub(crate) Capability);

impl CapabilityRow {
    /// What it is about, such as `identity`.
    pub(crate) fn resource(&self) -> &'static str {
        self.0.name().rsplit_once('.').map_or("", |(resource, _)| resource)
    }

    /// What may be done to that, such as `list`.
    pub(crate) fn action(&self) -> &'static str {
        self.0.name().rsplit('.').next().unwrap_or_default()
    }
}

impl Show for CapabilityRow {
    const COLUMNS: &'static [&'static str] = &["CAPABILITY", "RESOURCE", "ACTION"];

    fn id(&self) -> &str {
        self.0.name()
    }

    fn row(&self) -> Vec<String> {
        [self.0.name(), self.resource(), self.action()].map(str::to_owned).to_vec()
    }

    fn json(&self) -> Value {
        json!({ "name": self.0.name(), "resource": self.resource(), "action": self.action() })
    }
}
