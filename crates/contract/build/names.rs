//! How prost names things in Rust.

use heck::{ToSnakeCase, ToUpperCamelCase};
use prost_reflect::{EnumDescriptor, FieldDescriptor, MessageDescriptor, OneofDescriptor};

/// Path of a message's struct from the crate root.
pub(crate) fn message(message: &MessageDescriptor) -> String {
    if message.full_name() == "google.protobuf.Empty" {
        return "()".to_owned();
    }
    format!("{}::{}", scope(message.package_name(), message.parent_message()), camel(message.name()))
}

/// Path of an enum from the crate root.
pub(crate) fn enumeration(enumeration: &EnumDescriptor) -> String {
    format!("{}::{}", scope(enumeration.package_name(), enumeration.parent_message()), camel(enumeration.name()))
}

/// Path of the enum that holds a oneof's members.
pub(crate) fn oneof(oneof: &OneofDescriptor) -> String {
    let parent = oneof.parent_message();
    format!("{}::{}", scope(parent.package_name(), Some(parent.clone())), camel(oneof.name()))
}

/// Name of a field, or of the field that holds a oneof.
pub(crate) fn field(name: &str) -> String {
    sanitize(name.to_snake_case())
}

/// Name of the enum variant that holds a oneof member.
pub(crate) fn variant(field: &FieldDescriptor) -> String {
    camel(field.name())
}

/// Path of a package's module from the crate root.
pub(crate) fn package(package: &str) -> String {
    package.split('.').fold("crate".to_owned(), |path, segment| path + "::" + &sanitize(segment.to_snake_case()))
}

/// Name of the file that prost writes a package's types to.
pub(crate) fn package_file(package: &str) -> String {
    let segments: Vec<_> = package.split('.').map(ToSnakeCase::to_snake_case).collect();
    format!("{}.rs", segments.join("."))
}

fn scope(package_name: &str, parent: Option<MessageDescriptor>) -> String {
    match parent {
        None => package(package_name),
        Some(parent) => {
            let outer = scope(package_name, parent.parent_message());
            format!("{outer}::{}", sanitize(parent.name().to_snake_case()))
        }
    }
}

fn camel(name: &str) -> String {
    sanitize(name.to_upper_camel_case())
}

fn sanitize(name: String) -> String {
    const KEYWORDS: [&str; 45] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "false",
        "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override",
        "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "use", "virtual",
        "where", "while",
    ];
    match name.as_str() {
        "self" | "super" | "extern" | "crate" | "Self" => name + "_",
        keyword if KEYWORDS.contains(&keyword) => format!("r#{name}"),
        _ => name,
    }
}
