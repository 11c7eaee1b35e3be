//! Access requests.

use contract::provost::iam::v1::AccessRequest;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for AccessRequest {
    const COLUMNS: &'static [&'static str] = &["ID", "EMAIL", "IDENTITY", "MADE", "REFUSED"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.email.clone()
    }

    fn row(&self) -> Vec<String> {
        let at = |moment| time::wire(moment).unwrap_or_default();
        let (made, refused) = (at(self.create_time.as_ref()), at(self.refuse_time.as_ref()));
        vec![self.uid.clone(), self.email.clone(), self.identity_uid.clone(), made, refused]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "identity": self.identity_uid,
            "email": self.email,
            "created_at": time::wire(self.create_time.as_ref()),
            "refused_at": time::wire(self.refuse_time.as_ref()),
        })
    }
}
