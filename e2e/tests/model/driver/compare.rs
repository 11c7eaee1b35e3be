//! What of an answer counts.

use serde_json::Value;
use testkit::Outcome;

use crate::model::answer::Refusal;

/// The value without the time when an identity was last seen, which is written later, and with sets in order.
pub(super) fn normal(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut kept: Vec<_> = fields.iter().filter(|(key, _)| *key != "lastSeenTime").collect();
            kept.sort_by_key(|(key, _)| *key);
            let entry = |(key, value): (&String, &Value)| {
                let mut value = normal(value);
                if let (Value::Array(names), "capabilities") = (&mut value, key.as_str()) {
                    names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                }
                (key.clone(), value)
            };
            Value::Object(kept.into_iter().map(entry).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(normal).collect()),
        other => other.clone(),
    }
}

/// The error, if it is one: its code, its rule and, for invalid arguments, the fields that are wrong.
pub(super) fn refusal(outcome: &Outcome) -> Option<Refusal> {
    let details = outcome.body["details"].as_array()?;
    let rule = details.first()?["metadata"]["rule"].as_str()?;
    let violations = details.iter().filter_map(|detail| detail["fieldViolations"].as_array()).flatten();
    let fields = violations.filter_map(|violation| violation["field"].as_str()).map(str::to_owned).collect();
    Some(Refusal { code: outcome.code.clone(), rule: rule.to_owned(), fields })
}
