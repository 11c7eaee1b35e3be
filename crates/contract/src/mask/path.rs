//! Paths of masks, as the fields that they go through.

use prost_reflect::{FieldDescriptor, MessageDescriptor};

use super::Problem;
use crate::behavior;

/// The fields from the resource down to the one that a path names.
pub(super) type Fields = Vec<FieldDescriptor>;

/// Looks up every segment of a path, up to the first that is not there. `*` is the message itself: no field.
pub(super) fn resolve(message: &MessageDescriptor, path: &str) -> Result<Fields, Problem> {
    let mut fields: Fields = Vec::new();
    if path == "*" {
        return Ok(fields);
    }
    let mut here = message.clone();
    for segment in path.split('.') {
        if let Some(last) = fields.last() {
            here = match behavior::nested(last) {
                Some(message) => message,
                None if last.is_list() || last.is_map() => return Err(Problem::IntoCollection),
                None => return Err(Problem::IntoValue),
            };
        }
        fields.push(behavior::find(&here, segment).ok_or(Problem::UnknownField)?);
    }
    Ok(fields)
}
