//! What is public.

use contract::provost::registry::v1::Visibility;
use serde_json::{Value, json};

use crate::output::Show;

impl Show for Visibility {
    const COLUMNS: &'static [&'static str] = &["ID", "VISIBILITY", "BY"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn row(&self) -> Vec<String> {
        let by = if self.public { &self.uid } else { &self.public_by };
        let word = if by.is_empty() { "private" } else { "public" };
        vec![self.uid.clone(), word.to_owned(), by.clone()]
    }

    fn json(&self) -> Value {
        json!({ "id": self.uid, "public": self.public, "public_by": self.public_by })
    }
}
