//! `google.protobuf.Any` in JSON.

use prost_types::Any;

use super::{bytes, string};
use crate::Message;

/// Appends a packed message: its fields beside `@type`, for the error details of google.rpc. What cannot be unpacked is
/// written as `@type` and `value`, the latter in base64.
pub fn any(out: &mut String, value: &Any) {
    let name = value.type_url.rsplit('/').next().unwrap_or_default();
    out.push_str("{\"@type\":");
    string(out, &value.type_url);
    if !known(out, name, &value.value) {
        out.push_str(",\"value\":");
        bytes(out, &value.value);
    }
    out.push('}');
}

/// Appends the fields of a message of this name, each after a comma; false when the type is unknown or does not decode.
fn known(out: &mut String, name: &str, body: &[u8]) -> bool {
    fn write<T: Message>(body: &[u8], out: &mut String) -> bool {
        let Ok(message) = T::decode(body) else { return false };
        let mut object = String::new();
        message.write_json(&mut object);
        match object.strip_prefix('{').and_then(|object| object.strip_suffix('}')) {
            Some("") => true,
            Some(fields) => {
                out.push(',');
                out.push_str(fields);
                true
            }
            None => false,
        }
    }
    include!(concat!(env!("OUT_DIR"), "/any.rs"))
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
