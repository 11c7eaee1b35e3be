//! Recipes as protocol buffers: the base's own bytes, and behind them the bytes of what is made large. The format merges both.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _, prost::Message as _};

use super::{
    fields::{Target, targets},
    recipe::{Class, Paths, Recipe, paths},
};

/// A field number that no message of the contract has.
const UNKNOWN: u32 = 5_000;

const VARINT: u32 = 0;
const LENGTH: u32 = 2;
const GROUP_BEGIN: u32 = 3;
const GROUP_END: u32 = 4;

/// A request of about `room` bytes.
pub(crate) fn message(base: &DynamicMessage, recipe: &Recipe, room: usize) -> Vec<u8> {
    let mut bytes = base.encode_to_vec();
    if let Some((mask, kind)) = &recipe.mask {
        // What is large beside a mask leaves room for it.
        let share = if *kind == Paths::Repeated { room / 10 } else { room };
        let list = paths(recipe, &targets(&base.descriptor()), share);
        let list = list.iter().flat_map(|path| field(1, path.as_bytes())).collect();
        bytes.extend(below(&mask.path, list));
    }
    let rest = room.saturating_sub(bytes.len());
    bytes.extend(match &recipe.target {
        Some(target) => below(target.parents(), filled(target, recipe.class, rest)),
        None if recipe.mask.is_some() => Vec::new(),
        None if recipe.class == Class::Nesting => {
            let (begin, end) = (tag(UNKNOWN, GROUP_BEGIN), tag(UNKNOWN, GROUP_END));
            [begin.repeat(rest / 2 / begin.len()), end.repeat(rest / 2 / begin.len())].concat()
        }
        None => often(&[tag(UNKNOWN, VARINT), vec![0]].concat(), rest),
    });
    bytes
}

/// The field's bytes, as many as there is room for.
fn filled(target: &Target, class: Class, room: usize) -> Vec<u8> {
    let descriptor = target.field();
    let number = descriptor.number();
    match (class, descriptor.kind()) {
        (Class::Packed, _) => field(number, &vec![1; room]),
        (Class::Text, _) => field(number, &vec![b'x'; room]),
        _ if descriptor.is_map() => {
            let mut entries = Vec::with_capacity(room);
            for key in 0_u32.. {
                if entries.len() + 16 > room {
                    break;
                }
                entries.extend(field(number, &entry(descriptor, key)));
            }
            entries
        }
        // Beside a mask a text is worth more in one piece.
        (Class::Mask, Kind::String | Kind::Bytes) if !descriptor.is_list() => field(number, &vec![b'x'; room]),
        (Class::Again, Kind::String | Kind::Bytes) => often(&field(number, b"x"), room),
        (_, Kind::String | Kind::Bytes | Kind::Message(_)) => often(&field(number, b""), room),
        (_, Kind::Double | Kind::Fixed64 | Kind::Sfixed64) => often(&[tag(number, 1), vec![0; 8]].concat(), room),
        (_, Kind::Float | Kind::Fixed32 | Kind::Sfixed32) => often(&[tag(number, 5), vec![0; 4]].concat(), room),
        _ => often(&[tag(number, VARINT), vec![1]].concat(), room),
    }
}

/// An entry of a map that no other has the key of.
fn entry(map: &FieldDescriptor, key: u32) -> Vec<u8> {
    let Kind::Message(entry) = map.kind() else { unreachable!("the entries of a map are messages") };
    match entry.map_entry_key_field().kind() {
        Kind::String => field(1, format!("k{key:x}").as_bytes()),
        _ => [tag(1, VARINT), varint(key)].concat(),
    }
}

fn often(bytes: &[u8], room: usize) -> Vec<u8> {
    bytes.repeat(room / bytes.len())
}

/// The bytes inside the messages that lead to them.
fn below(parents: &[FieldDescriptor], bytes: Vec<u8>) -> Vec<u8> {
    parents.iter().rev().fold(bytes, |bytes, parent| field(parent.number(), &bytes))
}

/// A field that begins with its length.
pub(crate) fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("inputs are of some megabytes");
    [tag(number, LENGTH), varint(length), bytes.to_vec()].concat()
}

fn tag(number: u32, kind: u32) -> Vec<u8> {
    varint(number << 3 | kind)
}

fn varint(mut value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).expect("seven bits") | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).expect("seven bits"));
    bytes
}
