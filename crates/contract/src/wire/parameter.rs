//! Path variables and query parameters.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::{
    FieldError,
    error::{cut, shown},
    put, scalar,
};
use crate::{behavior, bounds};

/// Appends the value of a path variable, such as `group.uid`, percent-decoded.
///
/// An empty value is appended too: what the path says holds, also over the body.
///
/// # Errors
/// When the message has no such field, or the value is not one of the field's kind.
pub fn append_path_value(out: &mut Vec<u8>, message: &MessageDescriptor, path: &str, value: &str) -> Result<(), FieldError> {
    let fields = resolve(message, path)?;
    append(out, &fields, path, value)
}

/// Most parameters that one request has: a list of the most elements that lists take, and as many others.
pub const PARAMETERS_MAX: usize = 2 * bounds::LIST as usize;

/// Most errors that one answer names: a parameter of two bytes must not become an error of a hundred.
pub(super) const ERRORS_MAX: usize = 100;

/// Appends query parameters. Keys are field names in proto or JSON form, with dots between levels; a repeated field takes
/// one value per occurrence of its key.
///
/// # Errors
/// Every key that names no field or one that a parameter cannot set, every value that is not one of the field's kind, and
/// every key of a single-valued field that occurs again; the first hundred of them.
pub fn append_query<K, V>(
    out: &mut Vec<u8>,
    message: &MessageDescriptor,
    pairs: impl IntoIterator<Item = (K, V)>,
) -> Result<(), Vec<FieldError>>
where
    K: AsRef<str>,
    V: AsRef<str>,
{
    let mut seen: Vec<Vec<FieldDescriptor>> = Vec::new();
    let mut errors = Vec::new();
    for (key, value) in pairs {
        let (key, value) = (key.as_ref(), value.as_ref());
        let appended = resolve(message, key).and_then(|fields| {
            check_repetition(&fields, &seen, key)?;
            append(out, &fields, key, value)?;
            // A list that comes again is known already: what is compared grows with the message, not with the request.
            if !seen.contains(&fields) {
                seen.push(fields);
            }
            Ok(())
        });
        errors.extend(appended.err());
        if errors.len() == ERRORS_MAX {
            break;
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The fields that a dotted name goes through.
pub(super) fn resolve(message: &MessageDescriptor, name: &str) -> Result<Vec<FieldDescriptor>, FieldError> {
    let error = |problem: String| FieldError { field: cut(name).into_owned(), problem };
    let mut fields: Vec<FieldDescriptor> = Vec::new();
    let mut here = message.clone();
    for segment in name.split('.') {
        if let Some(last) = fields.last() {
            here = behavior::nested(last).ok_or_else(|| error(format!("{} has no fields of its own", last.name())))?;
        }
        let unknown = || error(format!("unknown parameter; {} has no field {}", here.name(), shown(segment)));
        fields.push(behavior::find(&here, segment).ok_or_else(unknown)?);
    }
    Ok(fields)
}

fn check_repetition(fields: &[FieldDescriptor], seen: &[Vec<FieldDescriptor>], key: &str) -> Result<(), FieldError> {
    let error = |problem: String| Err(FieldError { field: cut(key).into_owned(), problem });
    let Some((last, above)) = fields.split_last() else { return Ok(()) };
    for other in seen {
        if other == fields && !last.is_list() {
            return error("given more than once, but takes one value".to_owned());
        }
        let sibling = other.split_last().filter(|(_, other_above)| *other_above == above).map(|(other, _)| other);
        if let (Some(oneof), Some(sibling)) = (last.containing_oneof(), sibling)
            && sibling != last
            && sibling.containing_oneof() == Some(oneof)
        {
            return error(format!("cannot be combined with {}", sibling.name()));
        }
    }
    Ok(())
}

fn append(out: &mut Vec<u8>, fields: &[FieldDescriptor], name: &str, value: &str) -> Result<(), FieldError> {
    let error = |problem: String| FieldError { field: cut(name).into_owned(), problem };
    let Some((last, above)) = fields.split_last() else { return Ok(()) };
    let mut bytes = Vec::new();
    match last.kind() {
        Kind::Message(_) if last.is_map() => return Err(error("a map cannot be set by a parameter".to_owned())),
        Kind::Message(inner) if behavior::nested(last).is_some() => {
            if !value.is_empty() {
                let example =
                    inner.fields().next().map_or_else(String::new, |field| format!(", such as {}.{}", cut(name), field.name()));
                return Err(error(format!("has no value of its own; set its fields{example}")));
            }
            put::message(&mut bytes, last.number(), &[]);
        }
        kind => put::field(&mut bytes, last.number(), &kind, &scalar::from_text(&kind, value).map_err(error)?),
    }
    for field in above.iter().rev() {
        let inner = std::mem::take(&mut bytes);
        put::message(&mut bytes, field.number(), &inner);
    }
    out.append(&mut bytes);
    Ok(())
}
