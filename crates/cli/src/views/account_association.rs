//! Account associations.

use contract::chainguard::platform::iam::v2beta1::AccountAssociation;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for AccountAssociation {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "AWS", "GCP", "AZURE"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        let aws = self.amazon.as_ref().map(|amazon| amazon.account.clone()).unwrap_or_default();
        let gcp = self.google.as_ref().map(|google| google.project_id.clone()).unwrap_or_default();
        let azure = self.azure.as_ref().map(|azure| azure.tenant_id.clone()).unwrap_or_default();
        vec![self.uid.clone(), self.name.clone(), aws, gcp, azure]
    }

    fn json(&self) -> Value {
        let amazon = self.amazon.as_ref().map(|amazon| json!({ "account": amazon.account }));
        let google = self
            .google
            .as_ref()
            .map(|google| json!({ "project_id": google.project_id, "project_number": google.project_number }));
        let azure = self.azure.as_ref().map(|azure| json!({ "tenant_id": azure.tenant_id, "client_ids": azure.client_ids }));
        let bindings = self.chainguard.as_ref().map(|bound| json!({ "service_bindings": bound.service_bindings }));
        json!({
            "group": self.uid,
            "name": self.name,
            "description": self.description,
            "amazon": amazon,
            "google": google,
            "azure": azure,
            "chainguard": bindings,
            "created_at": time::wire(self.create_time.as_ref()),
            "updated_at": time::wire(self.update_time.as_ref()),
        })
    }
}
