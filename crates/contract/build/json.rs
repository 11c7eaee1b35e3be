//! Generates the JSON writer of one message: proto3 JSON with every field emitted, in declaration order.
//!
//! Unset message fields are written as `null`, empty lists and maps as such; only unset members of a oneof and unset
//! `optional` fields are left out.

use std::fmt::Write as _;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor};

use crate::{Result, names, options};

/// The body of `write_json`.
pub(crate) fn writer(message: &MessageDescriptor) -> Result<String> {
    let mut body = Body::default();
    let mut done: Vec<String> = Vec::new();
    for field in options::fields(message) {
        match field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
            Some(oneof) if done.contains(&oneof.name().to_owned()) => {}
            Some(oneof) => {
                body.oneof(&oneof)?;
                done.push(oneof.name().to_owned());
            }
            None if field.containing_oneof().is_some() => body.optional(&field)?,
            None => body.always(&field)?,
        }
    }
    Ok(body.finish())
}

/// The statements so far, and what is known about the text that they will have written.
#[derive(Default)]
struct Body {
    code: String,
    /// Text that is certain to follow and not yet in `code`.
    pending: String,
    /// Whether a member is certain to have been written.
    has_member: bool,
    /// Whether a member may have been written.
    may_have_member: bool,
}

impl Body {
    fn always(&mut self, field: &FieldDescriptor) -> Result<()> {
        self.key(field);
        let place = Place::field(&names::field(field.name()));
        self.has_member = true;
        if field.is_map() || field.is_list() {
            return self.write(&collection(field, &place)?);
        }
        match field.kind() {
            Kind::Message(_) => {
                let some = value(field, &Place::reference("value"))?;
                let field = place.value;
                self.write(&format!("match &{field} {{ Some(value) => {{ {some} }} None => crate::json::null(out), }}"))
            }
            _ => self.write(&value(field, &place)?),
        }
    }

    fn optional(&mut self, field: &FieldDescriptor) -> Result<()> {
        let place = Place::field(&names::field(field.name()));
        let mut inner = self.branch();
        inner.key(field);
        inner.write(&value(field, &Place::reference("value"))?)?;
        self.flush();
        writeln!(self.code, "if let Some(value) = &{} {{ {} }}", place.value, inner.code)?;
        self.may_have_member = true;
        Ok(())
    }

    fn oneof(&mut self, oneof: &OneofDescriptor) -> Result<()> {
        let mut arms = String::new();
        for field in oneof.fields() {
            let mut inner = self.branch();
            inner.key(&field);
            inner.write(&value(&field, &Place::reference("value"))?)?;
            write!(arms, "Some({}::{}(value)) => {{ {} }} ", names::oneof(oneof), names::variant(&field), inner.code)?;
        }
        self.flush();
        writeln!(self.code, "match &self.{} {{ {arms} None => {{}} }}", names::field(oneof.name()))?;
        self.may_have_member = true;
        Ok(())
    }

    fn branch(&self) -> Self {
        Self { has_member: self.has_member, may_have_member: self.may_have_member, ..Self::default() }
    }

    fn key(&mut self, field: &FieldDescriptor) {
        if self.has_member {
            self.pending.push(',');
        } else if self.may_have_member {
            self.flush();
            self.code.push_str("crate::json::separate(out);\n");
        }
        self.pending.extend(["\"", field.json_name(), "\":"]);
    }

    fn write(&mut self, statement: &str) -> Result<()> {
        self.flush();
        writeln!(self.code, "{statement}")?;
        Ok(())
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let text = format!("out.push_str({:?});\n", self.pending);
            self.code.push_str(&text);
            self.pending.clear();
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        format!("out.push('{{');\n{}out.push('}}');", self.code)
    }
}

/// Where a value is, as an expression for the value and one for a reference to it.
struct Place {
    value: String,
    reference: String,
}

impl Place {
    fn field(name: &str) -> Self {
        Self { value: format!("self.{name}"), reference: format!("&self.{name}") }
    }

    fn reference(name: &str) -> Self {
        Self { value: format!("*{name}"), reference: name.to_owned() }
    }
}

fn collection(field: &FieldDescriptor, place: &Place) -> Result<String> {
    let item = Place::reference("value");
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            let key = match entry.map_entry_key_field().kind() {
                Kind::String => "crate::json::string(out, key);",
                Kind::Bool => "crate::json::quoted(out, if *key { \"true\" } else { \"false\" });",
                _ => "crate::json::quoted_integer(out, *key);",
            };
            let value = value(&entry.map_entry_value_field(), &item)?;
            Ok(format!("crate::json::map(out, {}, |out, key| {{ {key} }}, |out, value| {{ {value} }});", place.reference))
        }
        _ => Ok(format!("crate::json::list(out, {}, |out, value| {{ {} }});", place.reference, value(field, &item)?)),
    }
}

fn value(field: &FieldDescriptor, place: &Place) -> Result<String> {
    let Place { value, reference } = place;
    Ok(match field.kind() {
        Kind::String => format!("crate::json::string(out, {reference});"),
        Kind::Bytes => format!("crate::json::bytes(out, {reference});"),
        Kind::Bool => format!("crate::json::boolean(out, {value});"),
        Kind::Double => format!("crate::json::float(out, {value});"),
        Kind::Float => format!("crate::json::float(out, f64::from({value}));"),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Uint32 | Kind::Fixed32 => {
            format!("crate::json::integer(out, {value});")
        }
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 => {
            format!("crate::json::quoted_integer(out, {value});")
        }
        Kind::Enum(enumeration) => format!(
            "match {}::try_from({value}) {{ Ok(value) => crate::json::quoted(out, value.as_str_name()), \
             Err(_) => crate::json::integer(out, {value}), }}",
            names::enumeration(&enumeration)
        ),
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Timestamp" => format!("crate::json::timestamp(out, {reference});"),
            "google.protobuf.Duration" => format!("crate::json::duration(out, {reference});"),
            "google.protobuf.FieldMask" => format!("crate::json::field_mask(out, {reference});"),
            "google.protobuf.Any" => format!("crate::json::any(out, {reference});"),
            "google.protobuf.Empty" => "out.push_str(\"{}\");".to_owned(),
            name if name.starts_with("google.protobuf.") => {
                return Err(format!("{}: the JSON writer does not know {name} yet", field.full_name()).into());
            }
            _ => format!("crate::Message::write_json({reference}, out);"),
        },
    })
}
