//! Outlines: one `name: value` line per field, nested fields indented.

use serde_json::Value;

use crate::plain::plain;

/// The outline of a JSON object. Empty texts, lists and objects and nulls are left out.
pub(super) fn render(value: &Value) -> String {
    let mut lines = Vec::new();
    write(value, 0, &mut lines);
    lines.join("\n")
}

fn write(value: &Value, depth: usize, lines: &mut Vec<String>) {
    let Value::Object(fields) = value else { return };
    let indent = "  ".repeat(depth);
    for (name, value) in fields {
        let name = plain(name);
        match value {
            value if is_empty(value) => {}
            Value::Object(_) => {
                lines.push(format!("{indent}{name}:"));
                write(value, depth + 1, lines);
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                for item in items {
                    lines.push(format!("{indent}{name}:"));
                    write(item, depth + 1, lines);
                }
            }
            Value::Array(items) => {
                lines.push(format!("{indent}{name}: {}", items.iter().map(scalar).collect::<Vec<_>>().join(", ")));
            }
            value => lines.push(format!("{indent}{name}: {}", scalar(value))),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn outlines_nest_and_leave_out_what_is_empty() {
        let value = json!({"id": "a", "verified": false, "none": null, "empty": "", "caps": ["x", "y"],
            "rule": {"issuer": "i"}, "items": [{"n": 1}, {"n": 2}]});
        insta::assert_snapshot!(render(&value), @r"
        id: a
        verified: false
        caps: x, y
        rule:
          issuer: i
        items:
          n: 1
        items:
          n: 2
        ");
    }
}
