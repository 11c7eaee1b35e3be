//! Paths of masks, as the fields that they go through.

use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor};

use super::Problem;
use crate::behavior;

/// The fields from the resource down to the one that a path names.
pub(super) type Fields = Vec<FieldDescriptor>;

/// Looks up every segment of a path.
pub(super) fn resolve(message: &MessageDescriptor, path: &str) -> Result<Fields, Problem> {
    let mut fields: Fields = Vec::new();
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

/// The paths of the populated fields: the leaves, and messages that are present but have nothing in them.
pub(super) fn populated(message: &DynamicMessage) -> Vec<Fields> {
    let mut paths = Vec::new();
    collect(message, &mut Vec::new(), &mut paths);
    paths
}

fn collect(message: &DynamicMessage, above: &mut Fields, paths: &mut Vec<Fields>) {
    for (field, value) in message.fields() {
        if behavior::of(&field).output_only {
            continue;
        }
        let inner = value.as_message().filter(|inner| behavior::nested(&field).is_some() && inner.fields().next().is_some());
        above.push(field);
        match inner {
            Some(inner) => collect(inner, above, paths),
            None => paths.push(above.clone()),
        }
        above.pop();
    }
}
