//! Examples: requests that a server was sent, and what it answered. The golden tests record them.

use std::fs;

use serde_json::{Map, Value};

use crate::Result;

/// Where they are, seen from this package.
pub(crate) const FILE: &str = "../../docs/api/examples.json";

/// The recorded calls by the identifier of their operation: `parameters` by name, `request` and `response`.
pub(crate) struct Examples(Map<String, Value>);

impl Examples {
    pub(crate) fn read() -> Result<Self> {
        Ok(Self(serde_json::from_str(&fs::read_to_string(FILE)?)?))
    }

    /// Adds what was recorded of an operation to it.
    pub(crate) fn add_to(&self, operation: &mut Map<String, Value>) {
        let Some(recorded) = operation.get("operationId").and_then(Value::as_str).and_then(|id| self.0.get(id)) else { return };
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten().filter_map(Value::as_object_mut) {
            let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
            if let Some(example) = recorded.get("parameters").and_then(|parameters| parameters.get(name)) {
                parameter.insert("example".to_owned(), example.clone());
            }
        }
        let put = |contents: Option<&mut Value>, example: Option<&Value>| {
            let contents = contents.and_then(Value::as_object_mut).into_iter().flat_map(|contents| contents.values_mut());
            for (content, example) in contents.filter_map(Value::as_object_mut).zip(example.into_iter().cycle()) {
                content.insert("example".to_owned(), example.clone());
            }
        };
        put(operation.get_mut("requestBody").and_then(|body| body.get_mut("content")), recorded.get("request"));
        let success = operation.get_mut("responses").and_then(|responses| responses.get_mut("200"));
        put(success.and_then(|success| success.get_mut("content")), recorded.get("response"));
    }
}
