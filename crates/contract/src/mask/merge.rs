//! Writes fields of one message over another, with respect for who may write what.

use prost_reflect::{DynamicMessage, FieldDescriptor, ReflectMessage as _, Value};

use super::{MaskError, Problem};
use crate::behavior;

/// Writes the last one of `fields`, which lead there, from `patch` over `target`.
pub(super) fn one(target: &mut DynamicMessage, patch: &DynamicMessage, fields: &[FieldDescriptor], errors: &mut Vec<MaskError>) {
    descend(target, patch, fields, &mut Vec::new(), errors);
}

/// Writes every writable field of `patch` over `target`.
pub(super) fn all(target: &mut DynamicMessage, patch: &DynamicMessage, errors: &mut Vec<MaskError>) {
    replace_all(target, patch, &mut Vec::new(), errors);
}

/// Takes away what only the server may set.
pub(super) fn strip(message: &mut DynamicMessage) {
    let hidden: Vec<_> = message.fields().map(|(field, _)| field).filter(|field| behavior::of(field).output_only).collect();
    for field in hidden {
        message.clear_field(&field);
    }
    for (_, value) in message.fields_mut() {
        strip_value(value);
    }
}

fn strip_value(value: &mut Value) {
    match value {
        Value::Message(message) => strip(message),
        Value::List(values) => values.iter_mut().for_each(strip_value),
        Value::Map(entries) => entries.values_mut().for_each(strip_value),
        _ => {}
    }
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
            strip_value(&mut value);
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
