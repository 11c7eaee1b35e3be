//! Every required field of every resource, found in the contract's descriptors, is really asked for.

use std::collections::BTreeSet;

use contract::Message;
use domain::{Error, error::Detail};
use prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};

/// Takes each required field away from the `full` messages in turn and checks that `read` refuses the rest with a
/// violation of that field. Together the messages must reach every required field of their type.
pub(crate) fn is_asked_for<W: Message, T>(full: Vec<W>, read: impl Fn(W) -> Result<T, Error>) {
    let descriptor = contract::message_descriptor(W::NAME).expect("the type is in the contract");
    let mut reached = BTreeSet::new();
    for message in full {
        assert!(read(message.clone()).is_ok(), "the full message is accepted");
        let whole = DynamicMessage::decode(descriptor.clone(), message.encode_to_vec().as_slice()).expect("the type matches");
        for (path, without) in without_each(&whole) {
            let message = W::decode(without.encode_to_vec().as_slice()).expect("the type matches");
            let fields = read(message).err().map(|error| fields(&error)).unwrap_or_default();
            assert_eq!(fields, [path.as_str()], "{path} is required");
            reached.insert(path.replace("[0]", "[]"));
        }
    }
    assert_eq!(reached, required_leaves(&descriptor, ""), "the full messages hold every required field");
}

fn fields(error: &Error) -> Vec<String> {
    let named = error.details().iter().filter_map(|detail| match detail {
        Detail::Fields(violations) => Some(violations.iter().map(|violation| violation.field.clone())),
        _ => None,
    });
    named.flatten().collect()
}

fn behaves(field: &FieldDescriptor, behaviour: &str) -> bool {
    let extension = contract::pool().get_extension_by_name("google.api.field_behavior").expect("it is in the contract");
    let Kind::Enum(behaviours) = extension.kind() else { return false };
    let number = behaviours.get_value_by_name(behaviour).map(|value| value.number());
    match field.options().get_extension(&extension).as_ref() {
        Value::List(list) => list.iter().any(|value| value.as_enum_number() == number),
        _ => false,
    }
}

fn inner(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    match field.kind() {
        Kind::Message(inner) if !field.is_map() && inner.package_name().starts_with("chainguard.") => Some(inner),
        _ => None,
    }
}

/// The paths of all required fields; `[]` stands for the index in a list.
fn required_leaves(message: &MessageDescriptor, place: &str) -> BTreeSet<String> {
    let mut leaves = BTreeSet::new();
    for field in message.fields().filter(|field| !behaves(field, "OUTPUT_ONLY")) {
        let path = format!("{place}{}", field.name());
        if let Some(inner) = inner(&field) {
            let brackets = if field.is_list() { "[]" } else { "" };
            leaves.extend(required_leaves(&inner, &format!("{path}{brackets}.")));
        }
        if behaves(&field, "REQUIRED") {
            leaves.insert(path);
        }
    }
    leaves
}

/// The message once for each required field that it has, without that field.
fn without_each(message: &DynamicMessage) -> Vec<(String, DynamicMessage)> {
    let mut all = Vec::new();
    let descriptor = message.descriptor();
    for field in descriptor.fields().filter(|field| message.has_field(field) && !behaves(field, "OUTPUT_ONLY")) {
        if behaves(&field, "REQUIRED") {
            let mut without = message.clone();
            without.clear_field(&field);
            all.push((field.name().to_owned(), without));
        }
        let mut replaced = |path: String, value: Value| {
            let mut changed = message.clone();
            changed.set_field(&field, value);
            all.push((path, changed));
        };
        match message.get_field(&field).as_ref() {
            Value::Message(inner) => {
                for (path, without) in without_each(inner) {
                    replaced(format!("{}.{path}", field.name()), Value::Message(without));
                }
            }
            Value::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    for (path, without) in item.as_message().map(without_each).unwrap_or_default() {
                        let mut items = items.clone();
                        items[i] = Value::Message(without);
                        replaced(format!("{}[{i}].{path}", field.name()), Value::List(items));
                    }
                }
            }
            _ => (),
        }
    }
    all
}
