//! Generates the `Message` implementation of every message of the contract.

use std::{fmt::Write as _, fs, io::Write as _, path::Path};

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::{Result, compile::Compiled, json, lists, names, options};

/// Appends the implementations to the files that prost wrote, and writes `by_name.rs` and `details.rs`, which pick one by
/// message name: of all messages, for tests, and of the details of errors. What names a message is in the program, so a
/// message that no handler uses costs it nothing as long as no such table names it.
pub(crate) fn generate(compiled: &Compiled, out: &Path) -> Result<()> {
    let (mut by_name, mut details) = (String::new(), String::new());
    for file in compiled.files() {
        let mut code = String::new();
        for message in file.messages() {
            implement(&message, &mut code, &mut by_name)?;
            lists::implement(&message, &mut code)?;
            if is_detail(&message) {
                details.push_str(&arm(&message));
            }
        }
        append(&out.join(names::package_file(file.package_name())), &code)?;
    }
    for (name, arms) in [("by_name.rs", by_name), ("details.rs", details)] {
        fs::write(out.join(name), format!("match name {{\n{arms}_ => false,\n}}"))?;
    }
    Ok(())
}

/// Whether a message is made to be packed into an error.
fn is_detail(message: &MessageDescriptor) -> bool {
    message.package_name() == "google.rpc" || message.name().ends_with("Detail")
}

fn arm(message: &MessageDescriptor) -> String {
    format!("{:?} => write::<{}>(out, wire),\n", message.full_name(), names::message(message))
}

/// Appends code to a generated file.
pub(crate) fn append(path: &Path, code: &str) -> Result<()> {
    if !code.is_empty() {
        fs::OpenOptions::new().append(true).open(path)?.write_all(code.as_bytes())?;
    }
    Ok(())
}

fn implement(message: &MessageDescriptor, code: &mut String, by_name: &mut String) -> Result<()> {
    if message.is_map_entry() {
        return Ok(());
    }
    let (path, name) = (names::message(message), message.full_name());
    let (json, scope, missing) = (json::writer(message)?, scope(message), missing(message)?);
    write!(
        code,
        "\nimpl crate::Message for {path} {{\n\
         const NAME: &'static str = {name:?};\n\
         fn write_json(&self, out: &mut String) {{\n{json}\n}}\n\
         fn scope(&self) -> Option<&str> {{ {scope} }}\n\
         fn missing(&self) -> Vec<&'static str> {{ {missing} }}\n}}\n"
    )?;
    by_name.push_str(&arm(message));
    message.child_messages().try_for_each(|child| implement(&child, code, by_name))
}

/// The expression for the value of the field that says where the message acts.
fn scope(message: &MessageDescriptor) -> String {
    let field = options::fields(message).into_iter().find(options::is_scope);
    match field {
        None => "None".to_owned(),
        Some(field) => {
            let name = names::field(field.name());
            match field.kind() {
                Kind::Message(_) => format!("self.{name}.as_ref().and_then(|message| message.scope())"),
                _ => format!("Some(&self.{name})"),
            }
        }
    }
}

/// The expression for the names of the required fields that are not filled in.
fn missing(message: &MessageDescriptor) -> Result<String> {
    let mut code = String::new();
    for field in options::fields(message) {
        if options::behaves(&field, "REQUIRED")
            && let Some(absent) = absent(&field)
        {
            write!(code, "if {absent} {{ missing.push({:?}); }} ", field.name())?;
        }
    }
    Ok(if code.is_empty() { "Vec::new()".to_owned() } else { format!("let mut missing = Vec::new(); {code} missing") })
}

/// The condition under which a field counts as not filled in; none for `bool`, whose `false` is a value like any other.
fn absent(field: &FieldDescriptor) -> Option<String> {
    let name = names::field(field.name());
    Some(match (field.kind(), field.containing_oneof()) {
        _ if field.is_list() || field.is_map() => format!("self.{name}.is_empty()"),
        (_, Some(oneof)) if !oneof.is_synthetic() => return None,
        (Kind::Message(_), _) | (_, Some(_)) => format!("self.{name}.is_none()"),
        (Kind::String | Kind::Bytes, None) => format!("self.{name}.is_empty()"),
        (Kind::Bool | Kind::Double | Kind::Float, None) => return None,
        _ => format!("self.{name} == 0"),
    })
}
