//! The comments of the `.proto` files, by what they stand at.

use std::collections::HashMap;

use prost_reflect::{
    EnumDescriptor, EnumValueDescriptor, FieldDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor,
};

use crate::compile::Compiled;

/// Comments by file name and path within the file's descriptor.
pub(crate) struct Comments(HashMap<(String, Vec<i32>), String>);

impl Comments {
    /// The comments of everything that is compiled.
    pub(crate) fn of(compiled: &Compiled) -> Self {
        let mut comments = HashMap::new();
        for file in compiled.pool.files() {
            let info = file.file_descriptor_proto().source_code_info.clone().unwrap_or_default();
            for location in info.location {
                let text = location.leading_comments.as_deref().map(tidy).filter(|text| !text.is_empty());
                comments.extend(text.map(|text| ((file.name().to_owned(), location.path), text)));
            }
        }
        Self(comments)
    }

    /// The comment of a service.
    pub(crate) fn of_service(&self, service: &ServiceDescriptor) -> &str {
        self.find(service.parent_file().name(), service.path())
    }

    /// The comment of a method.
    pub(crate) fn of_method(&self, method: &MethodDescriptor) -> &str {
        self.find(method.parent_file().name(), method.path())
    }

    /// The comment of a message.
    pub(crate) fn of_message(&self, message: &MessageDescriptor) -> &str {
        self.find(message.parent_file().name(), message.path())
    }

    /// The comment of a field.
    pub(crate) fn of_field(&self, field: &FieldDescriptor) -> &str {
        self.find(field.parent_file().name(), field.path())
    }

    /// The comment of an enum.
    pub(crate) fn of_enum(&self, enumeration: &EnumDescriptor) -> &str {
        self.find(enumeration.parent_file().name(), enumeration.path())
    }

    /// The comment of an enum's value.
    pub(crate) fn of_value(&self, value: &EnumValueDescriptor) -> &str {
        self.find(value.parent_file().name(), value.path())
    }

    fn find(&self, file: &str, path: &[i32]) -> &str {
        self.0.get(&(file.to_owned(), path.to_vec())).map_or("", String::as_str)
    }
}

/// The text of a comment with the lines of each paragraph joined.
fn tidy(comment: &str) -> String {
    let paragraphs = comment.split("\n\n").flat_map(|block| block.split("\n \n"));
    let joined = paragraphs
        .map(|paragraph| paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "));
    joined.filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n")
}
