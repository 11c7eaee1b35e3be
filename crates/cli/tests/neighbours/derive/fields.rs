//! The fields of a request, found from its descriptor.

use contract::Method;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, Value};

/// How deep a field may lie: below that there is nothing in a contract that is not also above.
const DEEPEST: usize = 5;

/// A field that can be filled, with the fields that lead to it from the request.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// From the request's own field on; the field itself is the last.
    pub(crate) path: Vec<FieldDescriptor>,
}

impl Target {
    /// The field itself.
    pub(crate) fn field(&self) -> &FieldDescriptor {
        self.path.last().expect("a target has a field")
    }

    /// The fields that lead to it.
    pub(crate) fn parents(&self) -> &[FieldDescriptor] {
        &self.path[..self.path.len() - 1]
    }

    /// The path with dots, as masks and errors name it.
    pub(crate) fn name(&self) -> String {
        self.path.iter().map(FieldDescriptor::name).collect::<Vec<_>>().join(".")
    }

    /// The same in JSON's spelling.
    pub(crate) fn json_name(&self) -> String {
        self.path.iter().map(FieldDescriptor::json_name).collect::<Vec<_>>().join(".")
    }

    /// Whether it is a message of its own, neither list nor map.
    pub(crate) fn is_message(&self) -> bool {
        let field = self.field();
        matches!(field.kind(), Kind::Message(_)) && !field.is_list() && !field.is_map()
    }

    /// Whether it is an update mask.
    pub(crate) fn is_mask(&self) -> bool {
        matches!(self.field().kind(), Kind::Message(message) if message.full_name() == "google.protobuf.FieldMask")
    }
}

/// The descriptor of a method's request.
pub(crate) fn request(method: &Method) -> MessageDescriptor {
    contract::message_descriptor(method.request).expect("the request is in the contract")
}

/// Every field of the message and of those that are in it.
pub(crate) fn targets(message: &MessageDescriptor) -> Vec<Target> {
    let mut found = Vec::new();
    walk(message, &mut Vec::new(), &mut found);
    found
}

fn walk(message: &MessageDescriptor, path: &mut Vec<FieldDescriptor>, found: &mut Vec<Target>) {
    for field in message.fields() {
        path.push(field);
        let target = Target { path: path.clone() };
        if target.is_message()
            && !target.is_mask()
            && path.len() < DEEPEST
            && let Kind::Message(inner) = target.field().kind()
        {
            walk(&inner, path, found);
        }
        found.push(target);
        path.pop();
    }
}

/// The field that says where a request acts, looked for in the messages that it embeds as well.
pub(crate) fn scope(message: &MessageDescriptor) -> Option<Vec<String>> {
    let extension = contract::pool().get_extension_by_name("chainguard.annotations.iam_scope")?;
    let mut path = Vec::new();
    let mut message = message.clone();
    loop {
        let marked = |field: &FieldDescriptor| {
            field.options().has_extension(&extension) && *field.options().get_extension(&extension) == Value::Bool(true)
        };
        let field = message.fields().find(marked)?;
        path.push(field.name().to_owned());
        match field.kind() {
            Kind::Message(inner) if path.len() < DEEPEST => message = inner,
            _ => return Some(path),
        }
    }
}
