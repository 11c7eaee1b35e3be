//! What masks mean, said in the plainest way: path after path, each on a copy. Properties compare with it.

use prost_reflect::{DynamicMessage, FieldDescriptor, ReflectMessage as _, Value};

use super::{MaskError, Problem, merge, path::Fields};
use crate::behavior;

/// Writes the last one of `fields`, which lead there, from `patch` over `target`.
pub(super) fn one(target: &mut DynamicMessage, patch: &DynamicMessage, fields: &[FieldDescriptor], errors: &mut Vec<MaskError>) {
    descend(target, patch, fields, &mut Vec::new(), errors);
}

/// Writes every writable field of `patch` over `target`.
pub(super) fn all(target: &mut DynamicMessage, patch: &DynamicMessage, errors: &mut Vec<MaskError>) {
    replace_all(target, patch, &mut Vec::new(), errors);
}

fn descend(
    target: &mut DynamicMessage,
    patch: &DynamicMessage,
    fields: &[FieldDescriptor],
    above: &mut Vec<String>,
    errors: &mut Vec<MaskError>,
) {
    let Some((field, below)) = fields.split_first() else { return };
    if below.is_empty() {
        return replace(target, patch, field, above, errors);
    }
    if behavior::of(field).output_only || !(target.has_field(field) || patch.has_field(field)) {
        return;
    }
    let (Some(inner_patch), Some(mut after)) = (message_at(patch, field), message_at(target, field)) else { return };
    above.push(field.name().to_owned());
    descend(&mut after, &inner_patch, below, above, errors);
    above.pop();
    write(target, field, Some(Value::Message(after)), above, errors);
}

fn replace_all(target: &mut DynamicMessage, patch: &DynamicMessage, above: &mut Vec<String>, errors: &mut Vec<MaskError>) {
    for field in patch.descriptor().fields() {
        replace(target, patch, &field, above, errors);
    }
}

fn replace(
    target: &mut DynamicMessage,
    patch: &DynamicMessage,
    field: &FieldDescriptor,
    above: &mut Vec<String>,
    errors: &mut Vec<MaskError>,
) {
    if behavior::of(field).output_only {
        return;
    }
    let wished = patch.has_field(field).then(|| patch.get_field(field).into_owned());
    let wished = match wished {
        Some(Value::Message(inner)) if behavior::nested(field).is_some() => {
            let Some(mut merged) = message_at(target, field) else { return };
            above.push(field.name().to_owned());
            replace_all(&mut merged, &inner, above, errors);
            above.pop();
            Some(Value::Message(merged))
        }
        Some(mut value) => {
            strip(&mut value);
            Some(value)
        }
        None => None,
    };
    write(target, field, wished, above, errors);
}

/// Sets or clears a field, unless that would change an immutable one.
fn write(
    target: &mut DynamicMessage,
    field: &FieldDescriptor,
    wished: Option<Value>,
    above: &[String],
    errors: &mut Vec<MaskError>,
) {
    let current = target.has_field(field).then(|| target.get_field(field).into_owned());
    if current == wished {
        return;
    }
    if behavior::of(field).immutable {
        let path = above.iter().map(String::as_str).chain([field.name()]).collect::<Vec<_>>().join(".");
        errors.push(MaskError { path, problem: Problem::Immutable });
        return;
    }
    match wished {
        // INVARIANT: the value comes from the same field of another message, so its type fits.
        Some(value) => drop(target.try_set_field(field, value)),
        None => target.clear_field(field),
    }
}

fn message_at(message: &DynamicMessage, field: &FieldDescriptor) -> Option<DynamicMessage> {
    message.get_field(field).as_message().cloned()
}

/// Takes away what no path can write.
pub(super) fn strip(value: &mut Value) {
    match value {
        Value::Message(message) => merge::strip(message),
        Value::List(values) => values.iter_mut().for_each(strip),
        Value::Map(entries) => entries.values_mut().for_each(strip),
        _ => {}
    }
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
