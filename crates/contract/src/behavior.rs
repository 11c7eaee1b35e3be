//! What the annotations say about a field: who may write it, and when.

use std::{collections::HashMap, sync::LazyLock};

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, Value};

use crate::pool;

/// The behaviours of google.api.FieldBehavior (AIP-203) that matter for writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Behavior {
    /// Callers cannot set it; what they send is ignored.
    pub(crate) output_only: bool,
    /// It keeps the value that it got at creation.
    pub(crate) immutable: bool,
}

/// The behaviour of a field.
pub(crate) fn of(field: &FieldDescriptor) -> Behavior {
    static BY_NAME: LazyLock<HashMap<String, Behavior>> = LazyLock::new(|| {
        let fields = pool().all_messages().flat_map(|message| message.fields().collect::<Vec<_>>());
        let pairs = fields.map(|field| (field.full_name().to_owned(), read(&field)));
        pairs.filter(|(_, behavior)| *behavior != Behavior::default()).collect()
    });
    BY_NAME.get(field.full_name()).copied().unwrap_or_default()
}

/// The message that a singular field holds, if paths may go into it: lists, maps and the well-known types are values as a
/// whole.
pub(crate) fn nested(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    match field.kind() {
        Kind::Message(message) if !field.is_list() && !field.is_map() && message.package_name() != "google.protobuf" => {
            Some(message)
        }
        _ => None,
    }
}

/// The field with this proto or JSON name.
pub(crate) fn find(message: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    message.get_field_by_name(name).or_else(|| message.get_field_by_json_name(name))
}

fn read(field: &FieldDescriptor) -> Behavior {
    let Some(extension) = pool().get_extension_by_name("google.api.field_behavior") else { return Behavior::default() };
    let options = field.options();
    let value = options.get_extension(&extension);
    let has = |number| value.as_list().is_some_and(|list| list.contains(&Value::EnumNumber(number)));
    Behavior { output_only: has(3), immutable: has(5) }
}
