//! JSON bodies: read strictly, then written as the binary form of a message.

use std::borrow::Cow;

use prost_reflect::{FieldDescriptor, MessageDescriptor};

use super::JsonError;
use crate::{Body, behavior, bounds};

mod bind;
mod scope;
mod syntax;

pub(super) use scope::look;

/// A JSON text with the position of everything in it.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a [u8],
    root: Node<'a>,
}

/// A value and where it begins.
#[derive(Debug)]
struct Node<'a> {
    at: usize,
    value: Value<'a>,
}

#[derive(Debug)]
enum Value<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Node<'a>>),
    Object(Vec<Member<'a>>),
}

#[derive(Debug)]
struct Member<'a> {
    /// Where the key begins.
    at: usize,
    key: Cow<'a, str>,
    node: Node<'a>,
}

impl<'a> Document<'a> {
    /// Deepest nesting of objects and arrays.
    pub const MAX_DEPTH: usize = 64;
    /// Most values in one text, those of unknown keys included: three for each element that a request may have. What is made of
    /// so many takes no more than a body of the largest size.
    pub const MAX_VALUES: usize = bounds::FIELDS as usize;

    /// Reads a JSON text (RFC 8259).
    ///
    /// # Errors
    /// With the position of the first thing that is malformed, nested too deeply, one value too many, or a key that its object
    /// already has.
    pub fn parse(text: &'a [u8]) -> Result<Self, JsonError> {
        Ok(Self { text, root: syntax::parse(text)? })
    }

    /// Appends what the document holds to a request in binary form: the request message itself or one field of it.
    ///
    /// Keys are field names in proto or JSON form; unknown ones are ignored, `null` counts as absent.
    ///
    /// # Errors
    /// With path and position of the first value of a wrong type or range, of a field that is given in both forms of its
    /// name, and of a second member of a oneof.
    pub fn append(&self, out: &mut Vec<u8>, request: &MessageDescriptor, body: Body) -> Result<(), JsonError> {
        let appended = match body {
            Body::None => Ok(()),
            Body::All => bind::message(out, request, &self.root),
            Body::Field(name) => match request.get_field_by_name(name) {
                Some(field) => bind::value(out, &field, &self.root),
                None => Ok(()),
            },
        };
        appended.map_err(|wrong| JsonError::at(self.text, wrong.at, wrong.path(), wrong.message))
    }

    /// The paths of the fields of `message` that the document has a value for, down to the leaves: values, `null`, lists,
    /// maps and empty objects. Unknown keys are skipped.
    #[must_use]
    pub fn paths(&self, message: &MessageDescriptor) -> Vec<String> {
        let mut paths = Vec::new();
        collect(&self.root, message, "", &mut paths);
        paths
    }

    /// As [`Self::paths`], for the value of one field of the document; `None` when that is absent.
    pub(super) fn paths_within(&self, field: &FieldDescriptor) -> Option<Vec<String>> {
        let mut paths = Vec::new();
        collect(self.member(field)?, &behavior::nested(field)?, "", &mut paths);
        Some(paths)
    }

    /// Whether the document has a value for the field.
    pub(super) fn names(&self, field: &FieldDescriptor) -> bool {
        self.member(field).is_some_and(|node| !matches!(node.value, Value::Null))
    }

    fn member(&self, field: &FieldDescriptor) -> Option<&Node<'a>> {
        let Value::Object(members) = &self.root.value else { return None };
        let named = |member: &&Member<'_>| member.key == field.name() || member.key == field.json_name();
        members.iter().find(named).map(|member| &member.node)
    }
}

fn collect(node: &Node<'_>, message: &MessageDescriptor, above: &str, paths: &mut Vec<String>) {
    let Value::Object(members) = &node.value else { return };
    for member in members {
        let Some(field) = behavior::find(message, &member.key) else { continue };
        let path = if above.is_empty() { field.name().to_owned() } else { format!("{above}.{}", field.name()) };
        match (behavior::nested(&field), &member.node.value) {
            (Some(inner), Value::Object(members)) if !members.is_empty() => collect(&member.node, &inner, &path, paths),
            _ => paths.push(path),
        }
    }
}
