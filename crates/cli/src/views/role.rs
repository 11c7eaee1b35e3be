//! Roles.

use contract::chainguard::platform::iam::v2beta1::Role;
use domain::Capability;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for Role {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION", "CAPABILITIES"];
    const WIDE: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION", "CAPABILITIES", "CREATED", "UPDATED"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        let capabilities = match capabilities(&self.capabilities) {
            few if few.len() <= 3 => few.join(", "),
            many => format!("{} capabilities", many.len()),
        };
        vec![self.uid.clone(), self.name.clone(), self.description.clone(), capabilities]
    }

    fn record(&self) -> Vec<String> {
        let capabilities = capabilities(&self.capabilities).join(", ");
        let times = [&self.create_time, &self.update_time].map(|at| time::wire(at.as_ref()).unwrap_or_default());
        let record = [self.uid.clone(), self.name.clone(), self.description.clone(), capabilities];
        record.into_iter().chain(times).collect()
    }

    fn json(&self) -> Value {
        json!({
            "id": self.uid,
            "name": self.name,
            "description": self.description,
            "capabilities": capabilities(&self.capabilities),
            "created_at": time::wire(self.create_time.as_ref()),
            "updated_at": time::wire(self.update_time.as_ref()),
        })
    }
}

/// The dotted names; numbers of later servers stay numbers.
fn capabilities(numbers: &[i32]) -> Vec<String> {
    let name = |number: &i32| Capability::from_number(*number).map_or_else(|| number.to_string(), |c| c.name().to_owned());
    numbers.iter().map(name).collect()
}
