//! Messages and enums as JSON schemas.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::{comments::Comments, short};
use crate::{Result, options};

/// The schemas of these messages and enums and of everything that they are made of, by full name.
pub(crate) fn all(pool: &DescriptorPool, roots: BTreeSet<String>, comments: &Comments) -> Result<Map<String, Value>> {
    let mut open: Vec<String> = roots.into_iter().collect();
    let mut done = BTreeMap::new();
    while let Some(name) = open.pop() {
        if done.contains_key(&name) {
            continue;
        }
        let mut used = BTreeSet::new();
        let schema = match (pool.get_message_by_name(&name), pool.get_enum_by_name(&name)) {
            (Some(message), _) => of_message(&message, comments, &mut used),
            (_, Some(enumeration)) => of_enum(&enumeration, comments),
            _ => return Err(format!("{name} is referred to but not defined").into()),
        };
        done.insert(name, schema);
        open.extend(used);
    }
    Ok(done.into_iter().map(|(name, schema)| (short(&name).to_owned(), schema)).collect())
}

/// A reference to the schema of a message or enum.
pub(crate) fn reference(full_name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{}", short(full_name)) })
}

/// The schema of a field in a parameter, where it is never `null`.
pub(crate) fn of_input(field: &FieldDescriptor, used: &mut BTreeSet<String>) -> Value {
    let item = single(&field.kind(), used);
    if field.is_list() { json!({ "type": "array", "items": item }) } else { item }
}

fn of_message(message: &MessageDescriptor, comments: &Comments, used: &mut BTreeSet<String>) -> Value {
    let mut properties = Map::new();
    for field in options::fields(message) {
        properties.insert(field.json_name().to_owned(), of_field(&field, comments, used));
    }
    let mut description = comments.of_message(message).to_owned();
    for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
        let members: Vec<_> = oneof.fields().map(|field| format!("`{}`", field.json_name())).collect();
        if members.len() > 1 {
            description.extend(["\n\nAt most one of ", &members.join(", "), " is set."]);
        }
    }
    json!({ "type": "object", "description": description.trim(), "properties": properties })
}

fn of_enum(enumeration: &EnumDescriptor, comments: &Comments) -> Value {
    let names: Vec<_> = enumeration.values().map(|value| value.name().to_owned()).collect();
    let mut description = comments.of_enum(enumeration).to_owned();
    for value in enumeration.values() {
        let text = comments.of_value(&value);
        if !text.is_empty() {
            let separator = if description.contains("\n- ") { "\n" } else { "\n\n" };
            description.extend([separator, "- `", value.name(), "`: ", text]);
        }
    }
    json!({ "type": "string", "description": description.trim(), "enum": names })
}

fn of_field(field: &FieldDescriptor, comments: &Comments, used: &mut BTreeSet<String>) -> Value {
    let mut schema = match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            json!({ "type": "object", "additionalProperties": single(&entry.map_entry_value_field().kind(), used) })
        }
        kind if field.is_list() => json!({ "type": "array", "items": single(&kind, used) }),
        kind if matches!(kind, Kind::Message(_)) && field.containing_oneof().is_none() => nullable(single(&kind, used)),
        kind => single(&kind, used),
    };
    if let Value::Object(schema) = &mut schema {
        let description = comments.of_field(field);
        let description =
            if options::behaves(field, "REQUIRED") { format!("Required. {description}") } else { description.to_owned() };
        schema.insert("description".to_owned(), json!(description.trim()));
        let deprecated = field.field_descriptor_proto().options.as_ref().is_some_and(prost_types::FieldOptions::deprecated);
        let flags = [
            ("readOnly", options::behaves(field, "OUTPUT_ONLY")),
            ("writeOnly", options::is_brought(field)),
            ("deprecated", deprecated),
        ];
        schema.extend(flags.into_iter().filter(|(_, set)| *set).map(|(flag, set)| (flag.to_owned(), json!(set))));
    }
    schema
}

fn nullable(mut schema: Value) -> Value {
    match schema.get_mut("type") {
        Some(kind) => {
            *kind = json!([kind, "null"]);
            schema
        }
        None => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

fn single(kind: &Kind, used: &mut BTreeSet<String>) -> Value {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::String => json!({ "type": "string" }),
        Kind::Bytes => json!({ "type": "string", "contentEncoding": "base64" }),
        Kind::Double | Kind::Float => json!({ "type": "number" }),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => json!({ "type": "integer", "format": "int32" }),
        Kind::Uint32 | Kind::Fixed32 => json!({ "type": "integer", "format": "int64", "minimum": 0 }),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => json!({ "type": "string", "format": "int64" }),
        Kind::Uint64 | Kind::Fixed64 => json!({ "type": "string", "format": "uint64" }),
        Kind::Enum(enumeration) => {
            used.insert(enumeration.full_name().to_owned());
            reference(enumeration.full_name())
        }
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Timestamp" => json!({ "type": "string", "format": "date-time" }),
            "google.protobuf.Duration" => json!({ "type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$" }),
            "google.protobuf.FieldMask" => json!({ "type": "string" }),
            "google.protobuf.Empty" => json!({ "type": "object" }),
            "google.protobuf.Any" => {
                json!({ "type": "object", "properties": { "@type": { "type": "string" } }, "additionalProperties": true })
            }
            name => {
                used.insert(name.to_owned());
                reference(name)
            }
        },
    }
}
