//! An error in as few lines as tell all of it.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The canonical codes, by their numbers.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The error `body` of this code: rule and message, and a line for each detail that the message does not tell. `None` for a body that
/// could not be made from these lines again.
pub(super) fn lines(code: &str, body: &Value) -> Option<String> {
    let message = body["message"].as_str()?;
    let details = body["details"].as_array()?;
    let (info, details) = details.split_first()?;
    let rule = info["metadata"]["rule"].as_str()?;
    let mut text = format!("{rule}\n{message}\n");
    let mut again =
        vec![named("ErrorInfo", json!({ "reason": code, "domain": "iam.chainguard.dev", "metadata": { "rule": rule } }))];
    for detail in details {
        let (lines, detail) = told(message, detail)?;
        text.push_str(&lines);
        again.push(detail);
    }
    let number = CODES.iter().position(|known| *known == code)?;
    (*body == json!({ "code": number, "message": message, "details": again })).then_some(text)
}

/// The lines of a detail, and the detail that they tell.
fn told(message: &str, detail: &Value) -> Option<(String, Value)> {
    let mut lines = String::new();
    let again = match detail["@type"].as_str()?.rsplit('.').next()? {
        "BadRequest" => {
            let violations = detail["fieldViolations"].as_array()?.iter();
            let violations = violations.map(|violation| Some((text(violation, "field")?, text(violation, "description")?)));
            let violations = violations.collect::<Option<Vec<_>>>()?;
            let all: Vec<_> = violations.iter().map(|(field, description)| format!("{field}: {description}")).collect();
            if message != format!("Invalid argument: {}", all.join("; ")) {
                for line in &all {
                    _ = writeln!(lines, "  {line}");
                }
            }
            let again = |(field, description)| json!({ "field": field, "description": description });
            named("BadRequest", json!({ "fieldViolations": violations.into_iter().map(again).collect::<Vec<_>>() }))
        }
        "PreconditionFailure" => {
            let [violation] = detail["violations"].as_array()?.as_slice() else { return None };
            let (kind, subject) = (text(violation, "type")?, text(violation, "subject")?);
            _ = writeln!(lines, "  {kind} {subject}");
            let description = message.strip_prefix("Precondition failed: ")?;
            let violation = json!({ "type": kind, "subject": subject, "description": description });
            named("PreconditionFailure", json!({ "violations": [violation] }))
        }
        "ResourceInfo" => {
            let (kind, name) = (text(detail, "resourceType")?, text(detail, "resourceName")?);
            if message != format!("{kind} {name} not found") {
                _ = writeln!(lines, "  {kind} {name}");
            }
            named("ResourceInfo", json!({ "resourceType": kind, "resourceName": name, "owner": "", "description": "" }))
        }
        "RetryInfo" => {
            let delay = text(detail, "retryDelay")?;
            _ = writeln!(lines, "  retry after {delay}");
            named("RetryInfo", json!({ "retryDelay": delay }))
        }
        _ => return None,
    };
    Some((lines, again))
}

fn text<'a>(object: &'a Value, field: &str) -> Option<&'a str> {
    object[field].as_str()
}

fn named(name: &str, mut detail: Value) -> Value {
    detail["@type"] = format!("type.googleapis.com/google.rpc.{name}").into();
    detail
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str, details: Vec<Value>) -> Value {
        let info =
            named("ErrorInfo", json!({ "reason": "NOT_FOUND", "domain": "iam.chainguard.dev", "metadata": { "rule": "X" } }));
        json!({ "code": 5, "message": message, "details": ([vec![info], details].concat()) })
    }

    #[test]
    fn what_the_message_tells_is_not_told_again() {
        let violation = json!({ "field": "name", "description": "is bad" });
        let fields = |field: &Value| vec![named("BadRequest", json!({ "fieldViolations": [field] }))];
        let of = |message, details| lines("NOT_FOUND", &error(message, details));
        assert_eq!(
            of("Invalid argument: name: is bad", fields(&violation)).as_deref(),
            Some("X\nInvalid argument: name: is bad\n")
        );
        assert_eq!(of("Too bad", fields(&violation)).as_deref(), Some("X\nToo bad\n  name: is bad\n"));
        let retry = vec![named("RetryInfo", json!({ "retryDelay": "1s" }))];
        assert_eq!(of("Later", retry).as_deref(), Some("X\nLater\n  retry after 1s\n"));
    }

    #[test]
    fn what_the_lines_do_not_tell_is_not_lost() {
        let of = |body: &Value| lines("NOT_FOUND", body);
        let plain = error("a", Vec::new());
        assert_eq!(of(&plain).as_deref(), Some("X\na\n"));
        for (at, value) in [
            ("/code", json!(6)),
            ("/more", json!(1)),
            ("/details/0/reason", json!("OTHER")),
            ("/details/0/metadata/more", json!("x")),
            ("/details/0/domain", json!("example.com")),
        ] {
            let mut other = plain.clone();
            let (parent, key) = at.rsplit_once('/').expect("a path");
            other.pointer_mut(parent).expect("it is there")[key] = value;
            assert_eq!(of(&other), None, "{at}");
        }
        assert_eq!(of(&error("a", vec![json!({ "@type": "type.googleapis.com/google.rpc.Help" })])), None);
        assert_eq!(lines("OTHER", &plain), None);
    }
}
