//! Messages whose type is only known by name: `google.protobuf.Any` in JSON.

use prost_types::Any;

use super::{bytes, string};
use crate::Message;

/// Appends the JSON form of a message in binary form. `name` is its full name.
///
/// False, with nothing appended, when the contract has no such message or the bytes are not one.
#[cfg(test)]
pub(crate) fn message(out: &mut String, name: &str, wire: &[u8]) -> bool {
    include!(concat!(env!("OUT_DIR"), "/by_name.rs"))
}

/// The same for the messages that are details of errors.
fn detail(out: &mut String, name: &str, wire: &[u8]) -> bool {
    include!(concat!(env!("OUT_DIR"), "/details.rs"))
}

fn write<T: Message>(out: &mut String, wire: &[u8]) -> bool {
    T::decode(wire).map(|message| message.write_json(out)).is_ok()
}

/// Appends a packed detail of an error: its fields beside `@type`. What the contract does not have as one is written as
/// `@type` and `value`, the latter in base64.
pub fn any(out: &mut String, value: &Any) {
    let name = value.type_url.rsplit('/').next().unwrap_or_default();
    out.push_str("{\"@type\":");
    string(out, &value.type_url);
    let mut object = String::new();
    if detail(&mut object, name, &value.value) {
        let fields = object.trim_start_matches('{');
        if fields != "}" {
            out.push(',');
        }
        out.push_str(fields);
    } else {
        out.push_str(",\"value\":");
        bytes(out, &value.value);
        out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::google::rpc::{BadRequest, Status, bad_request::FieldViolation};

    #[test]
    fn error_details_are_unpacked() {
        let violation = FieldViolation { field: "name".to_owned(), description: "name \"x\"".to_owned() };
        let detail = BadRequest { field_violations: vec![violation] };
        let status = Status {
            code: 3,
            message: "Invalid argument".to_owned(),
            details: vec![
                Any { type_url: format!("type.googleapis.com/{}", BadRequest::NAME), value: detail.encode_to_vec() },
                Any { type_url: "type.googleapis.com/other.Type".to_owned(), value: vec![1, 2] },
                Any { type_url: format!("type.googleapis.com/{}", BadRequest::NAME), value: vec![0xff] },
            ],
        };
        let mut out = String::new();
        status.write_json(&mut out);
        assert_eq!(
            out,
            concat!(
                r#"{"code":3,"message":"Invalid argument","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","#,
                r#""fieldViolations":[{"field":"name","description":"name \"x\""}]},"#,
                r#"{"@type":"type.googleapis.com/other.Type","value":"AQI="},"#,
                r#"{"@type":"type.googleapis.com/google.rpc.BadRequest","value":"/w=="}]}"#
            )
        );
    }
}
