//! Folders, with where they lie.

use contract::chainguard::platform::iam::v2beta1::Group;
use serde_json::Value;

use crate::output::{Show, time};

/// A folder and its path.
#[derive(Debug)]
pub(crate) struct FolderRow {
    pub(crate) group: Group,
    pub(crate) path: String,
}

impl Show for FolderRow {
    const COLUMNS: &'static [&'static str] = &["ID", "PATH", "DESCRIPTION"];
    const WIDE: &'static [&'static str] = &["ID", "PATH", "NAME", "DESCRIPTION", "CREATED", "UPDATED"];

    fn id(&self) -> &str {
        &self.group.uid
    }

    fn row(&self) -> Vec<String> {
        vec![self.group.uid.clone(), self.path.clone(), self.group.description.clone()]
    }

    fn record(&self) -> Vec<String> {
        let Group { uid, name, description, create_time, update_time, .. } = &self.group;
        let times = [create_time, update_time].map(|at| time::wire(at.as_ref()).unwrap_or_default());
        [uid, &self.path, name, description].map(Clone::clone).into_iter().chain(times).collect()
    }

    fn json(&self) -> Value {
        self.group.json()
    }
}
