//! Generates what must be counted in requests: how many elements each list and map takes.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, Value};

use crate::{Result, compile::Compiled, options};

/// Writes `shapes.rs`: a table for each message that is part of a request.
pub(crate) fn generate(compiled: &Compiled, out: &Path) -> Result<()> {
    let mut shapes = Shapes::default();
    let services = compiled.files().flat_map(|file| file.services().collect::<Vec<_>>());
    for method in services.flat_map(|service| service.methods().collect::<Vec<_>>()) {
        shapes.add(&method.input())?;
    }
    let slots = shapes.widest.max(1);
    let mut code = format!("/// Lists and maps in the message that has most of them.\nconst SLOTS: usize = {slots};\n");
    for (name, fields) in &shapes.done {
        writeln!(code, "pub(crate) static {}: Shape = Shape {{ fields: &[{fields}] }};", identifier(name))?;
    }
    fs::write(out.join("shapes.rs"), code)?;
    Ok(())
}

/// The path of the table of a request.
pub(crate) fn path(message: &MessageDescriptor) -> String {
    format!("crate::bounds::{}", identifier(message.full_name()))
}

fn identifier(name: &str) -> String {
    name.replace('.', "_").to_uppercase()
}

#[derive(Default)]
struct Shapes {
    /// The fields of each message, by its name.
    done: BTreeMap<String, String>,
    /// The most slots that a message needs.
    widest: usize,
}

impl Shapes {
    fn add(&mut self, message: &MessageDescriptor) -> Result<()> {
        if self.done.contains_key(message.full_name()) {
            return Ok(());
        }
        self.done.insert(message.full_name().to_owned(), String::new());
        let (mut code, mut slot) = (String::new(), 0);
        for field in options::fields(message).into_iter().filter(counts) {
            let entries = if field.is_list() || field.is_map() {
                let entries = format!(
                    "Some(Entries {{ most: {}, may_be_empty: {}, slot: {slot} }})",
                    most(&field)?,
                    !options::behaves(&field, "REQUIRED")
                );
                slot += 1;
                entries
            } else {
                "None".to_owned()
            };
            let holds = match field.kind() {
                Kind::Message(inner) => {
                    self.add(&inner)?;
                    let base = if flows_together(&field, &inner) {
                        let base = slot;
                        slot += slots(&inner);
                        format!("Some({base})")
                    } else {
                        "None".to_owned()
                    };
                    format!("Holds::Message {{ shape: &{}, base: {base} }}", identifier(inner.full_name()))
                }
                Kind::String | Kind::Bytes => "Holds::Single".to_owned(),
                Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => "Holds::Numbers(|packed| packed.len() / 8)".to_owned(),
                Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => "Holds::Numbers(|packed| packed.len() / 4)".to_owned(),
                _ => "Holds::Numbers(varints)".to_owned(),
            };
            let (number, name) = (field.number(), field.name());
            write!(code, "Field {{ number: {number}, name: {name:?}, entries: {entries}, holds: {holds} }}, ")?;
        }
        self.widest = self.widest.max(slot);
        self.done.insert(message.full_name().to_owned(), code);
        Ok(())
    }
}

/// Whether a field is counted, or is a message, in which there are fields to count. Maps are lists of entries.
fn counts(field: &FieldDescriptor) -> bool {
    field.is_list() || field.is_map() || matches!(field.kind(), Kind::Message(_))
}

/// Whether what is encoded twice becomes one message, whose lists are counted among those of the message around it. One that
/// may contain itself is counted by itself.
fn flows_together(field: &FieldDescriptor, inner: &MessageDescriptor) -> bool {
    !field.is_list() && !field.is_map() && !reaches(inner, field.parent_message().full_name(), &mut Vec::new())
}

fn reaches(message: &MessageDescriptor, name: &str, seen: &mut Vec<String>) -> bool {
    if message.full_name() == name {
        return true;
    }
    if seen.iter().any(|known| known == message.full_name()) {
        return false;
    }
    seen.push(message.full_name().to_owned());
    message.fields().any(|field| matches!(field.kind(), Kind::Message(inner) if reaches(&inner, name, seen)))
}

/// The lists and maps of a message and of those that flow together with it.
fn slots(message: &MessageDescriptor) -> usize {
    let of = |field: FieldDescriptor| {
        let own = usize::from(field.is_list() || field.is_map());
        match field.kind() {
            Kind::Message(inner) if flows_together(&field, &inner) => own + slots(&inner),
            _ => own,
        }
    };
    message.fields().map(of).sum()
}

/// How many elements a list or map takes.
fn most(field: &FieldDescriptor) -> Result<String> {
    let said = options::extension(field.parent_pool(), &field.options(), "provost.annotations.max_entries");
    match (said, field.kind()) {
        (Some(Value::U32(most)), _) if most > 0 => Ok(most.to_string()),
        (Some(other), _) => Err(format!("{}: max_entries cannot be {other:?}", field.full_name()).into()),
        (None, _) if field.is_map() => Ok("MAP".to_owned()),
        // There is no use in more than all of them.
        (None, Kind::Enum(enumeration)) => Ok(enumeration.values().len().to_string()),
        (None, _) => Ok("LIST".to_owned()),
    }
}
