//! Writes JSON values as the fields of a message.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::{Member, Node, Value};
use crate::{
    behavior,
    wire::{error::shown, put, scalar},
};

/// A value that does not fit its field.
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) message: String,
    /// The path to the field, innermost segment first.
    path: Vec<String>,
}

impl Wrong {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), path: Vec::new() }
    }

    fn below(mut self, segment: impl Into<String>) -> Self {
        self.path.push(segment.into());
        self
    }

    /// The path from the outside in: names joined by dots, indices and map keys in brackets.
    pub(super) fn path(&self) -> String {
        self.path.iter().rev().fold(String::new(), |mut path, segment| {
            if !path.is_empty() && !segment.starts_with('[') {
                path.push('.');
            }
            path + segment
        })
    }
}

type Result = std::result::Result<(), Wrong>;

/// Appends the fields of a message that `node`, an object, holds.
pub(super) fn message(out: &mut Vec<u8>, message: &MessageDescriptor, node: &Node<'_>) -> Result {
    let Value::Object(members) = &node.value else {
        return Err(Wrong::new(node.at, format!("expected an object, got {}", describe(&node.value))));
    };
    let mut seen: Vec<(FieldDescriptor, &Member<'_>)> = Vec::new();
    for member in members {
        let Some(field) = behavior::find(message, &member.key) else { continue };
        if let Some((_, first)) = seen.iter().find(|(known, _)| *known == field) {
            let text = format!("the field is given twice, as {:?} and as {:?}", first.key, member.key);
            return Err(Wrong::new(member.at, text).below(field.json_name()));
        }
        if !matches!(member.node.value, Value::Null) {
            if let Some(oneof) = field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
                let given = |(known, first): &&(FieldDescriptor, &Member<'_>)| {
                    known.containing_oneof().as_ref() == Some(&oneof) && !matches!(first.node.value, Value::Null)
                };
                if let Some((_, first)) = seen.iter().find(given) {
                    let text = format!("cannot be combined with {:?}: only one of them may be set", first.key);
                    return Err(Wrong::new(member.at, text).below(field.json_name()));
                }
            }
            value(out, &field, &member.node).map_err(|wrong| wrong.below(field.json_name()))?;
        }
        seen.push((field, member));
    }
    Ok(())
}

/// Appends the value of a field: one, or for lists and maps several. `null` appends nothing.
pub(super) fn value(out: &mut Vec<u8>, field: &FieldDescriptor, node: &Node<'_>) -> Result {
    match (&node.value, field.kind()) {
        (Value::Null, _) => Ok(()),
        (Value::Object(members), Kind::Message(entry)) if field.is_map() => map(out, field, &entry, members),
        (Value::Array(nodes), kind) if field.is_list() => {
            for (index, node) in nodes.iter().enumerate() {
                single(out, field.number(), &kind, node).map_err(|wrong| wrong.below(format!("[{index}]")))?;
            }
            Ok(())
        }
        (other, _) if field.is_map() => Err(Wrong::new(node.at, format!("expected an object, got {}", describe(other)))),
        (other, _) if field.is_list() => Err(Wrong::new(node.at, format!("expected an array, got {}", describe(other)))),
        (_, kind) => single(out, field.number(), &kind, node),
    }
}

fn map(out: &mut Vec<u8>, field: &FieldDescriptor, entry: &MessageDescriptor, members: &[Member<'_>]) -> Result {
    let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
    for member in members {
        let mut bytes = Vec::new();
        let read = scalar::from_text(&key.kind(), &member.key).map_err(|problem| Wrong::new(member.at, problem));
        let written = read.and_then(|read| {
            put::field(&mut bytes, key.number(), &key.kind(), &read);
            single(&mut bytes, value.number(), &value.kind(), &member.node)
        });
        written.map_err(|wrong| wrong.below(format!("[{}]", shown(&member.key))))?;
        put::message(out, field.number(), &bytes);
    }
    Ok(())
}

fn single(out: &mut Vec<u8>, number: u32, kind: &Kind, node: &Node<'_>) -> Result {
    let scalar = match (&node.value, kind) {
        (Value::Object(_), Kind::Message(inner)) if is_plain(inner) => {
            let mut bytes = Vec::new();
            message(&mut bytes, inner, node)?;
            put::message(out, number, &bytes);
            return Ok(());
        }
        (Value::String(text), Kind::String) => {
            // As it is: texts may be as long as the body.
            put::message(out, number, text.as_bytes());
            return Ok(());
        }
        (Value::String(text), _) => scalar::from_string(kind, text),
        (Value::Number(text), _) => scalar::number(kind, text),
        (Value::Bool(value), Kind::Bool) => Ok(put::Scalar::Bool(*value)),
        (other, _) => Err(format!("expected {}, got {}", wanted(kind), describe(other))),
    };
    let scalar = scalar.map_err(|problem| Wrong::new(node.at, problem))?;
    put::field(out, number, kind, &scalar);
    Ok(())
}

/// Whether the message is written as an object with its fields as keys.
fn is_plain(message: &MessageDescriptor) -> bool {
    message.package_name() != "google.protobuf" || message.name() == "Empty"
}

fn wanted(kind: &Kind) -> &'static str {
    match kind {
        Kind::Bool => "true or false",
        Kind::Message(message) if is_plain(message) => "an object",
        Kind::Message(message) if message.name() == "Any" => "nothing, since this field cannot be read from JSON",
        Kind::String | Kind::Bytes | Kind::Enum(_) | Kind::Message(_) => "a string",
        _ => "a number",
    }
}

fn describe(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
