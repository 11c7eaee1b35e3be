//! Acceptances of terms.

use contract::chainguard::platform::iam::v2beta1::TermsAcceptance;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for TermsAcceptance {
    const COLUMNS: &'static [&'static str] = &["DOCUMENT", "GROUP", "ACCEPTED BY", "ACCEPTED"];

    fn id(&self) -> &str {
        &self.doc_id
    }

    fn row(&self) -> Vec<String> {
        let accepted = time::wire(self.create_time.as_ref()).unwrap_or_default();
        vec![self.doc_id.clone(), self.org_uid.clone(), self.accepted_by.clone(), accepted]
    }

    fn json(&self) -> Value {
        json!({
            "doc_id": self.doc_id,
            "group": self.org_uid,
            "accepted_by": self.accepted_by,
            "accepted_at": time::wire(self.create_time.as_ref()),
        })
    }
}
