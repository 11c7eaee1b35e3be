//! Random messages for property tests, made from the descriptors.

use proptest::{prelude::*, test_runner::TestRng};
use prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage as _, Value};

use crate::pool;

/// Every message of the contract that JSON can be read into: all but those that hold a `google.protobuf.Any`.
pub(crate) fn messages() -> Vec<MessageDescriptor> {
    let ours = |message: &MessageDescriptor| {
        let package = message.package_name().to_owned();
        let generated = package.starts_with("chainguard.platform") || package == "google.rpc";
        generated && package.rsplit('.').next() != Some("v2") && !message.is_map_entry() && message.name() != "Status"
    };
    pool().all_messages().filter(ours).collect()
}

/// Any message of the contract with random fields.
pub(crate) fn message() -> impl Strategy<Value = DynamicMessage> {
    prop::sample::select(messages()).prop_flat_map(of)
}

/// A message of one type with random fields.
pub(crate) fn of(descriptor: MessageDescriptor) -> impl Strategy<Value = DynamicMessage> {
    Just(descriptor).prop_perturb(|descriptor, mut random| plain(&fill(&descriptor, &mut random, 0)))
}

/// The message as it arrives over the wire: without fields that are set to their default, which would compare as different.
pub(crate) fn plain(message: &DynamicMessage) -> DynamicMessage {
    DynamicMessage::decode(message.descriptor(), message.encode_to_vec().as_slice()).expect("it decodes")
}

fn fill(descriptor: &MessageDescriptor, random: &mut TestRng, depth: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    match descriptor.full_name() {
        "google.protobuf.Timestamp" => {
            message.set_field_by_name("seconds", Value::I64(random.random_range(-62_135_596_800..=253_402_300_799)));
            message.set_field_by_name("nanos", Value::I32(random.random_range(0..1000) * 1_000_000));
        }
        "google.protobuf.Duration" => {
            let sign: i32 = if random.random() { 1 } else { -1 };
            message.set_field_by_name("seconds", Value::I64(i64::from(sign) * random.random_range(0..10_000_000)));
            let unit = [1_000_000_000, 1_000_000, 1_000, 1][random.random_range(0..4)];
            message.set_field_by_name("nanos", Value::I32(sign * (random.random_range(0..1_000_000_000) / unit * unit)));
        }
        "google.protobuf.FieldMask" => {
            let paths = ["name", "claim_match.issuer_pattern", "a.b_c.d"].map(|path| Value::String(path.to_owned()));
            let count = random.random_range(0..=paths.len());
            message.set_field_by_name("paths", Value::List(paths.into_iter().take(count).collect()));
        }
        _ => {
            for field in descriptor.fields() {
                if random.random_bool(if depth > 3 { 0.1 } else { 0.6 }) {
                    let value = field_value(&field, random, depth);
                    message.set_field(&field, value);
                }
            }
        }
    }
    message
}

fn field_value(field: &FieldDescriptor, random: &mut TestRng, depth: usize) -> Value {
    let count = random.random_range(0..4);
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            let (key, value) = (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
            Value::Map((0..count).map(|_| (map_key(&key, random), single(&value, random, depth + 1))).collect())
        }
        kind if field.is_list() => Value::List((0..count).map(|_| single(&kind, random, depth + 1)).collect()),
        kind => single(&kind, random, depth + 1),
    }
}

fn map_key(kind: &Kind, random: &mut TestRng) -> MapKey {
    match single(kind, random, 0) {
        Value::I64(key) => MapKey::I64(key),
        Value::I32(key) => MapKey::I32(key),
        Value::String(key) => MapKey::String(key),
        other => panic!("the contract has no map with keys like {other:?}"),
    }
}

fn single(kind: &Kind, random: &mut TestRng, depth: usize) -> Value {
    match kind {
        Kind::Bool => Value::Bool(random.random()),
        Kind::Int32 => Value::I32(random.random()),
        Kind::Int64 => Value::I64(random.random()),
        Kind::Uint32 => Value::U32(random.random()),
        Kind::Uint64 => Value::U64(random.random()),
        Kind::String => Value::String(text(random)),
        Kind::Bytes => Value::Bytes((0..random.random_range(0..9)).map(|_| random.random::<u8>()).collect::<Vec<_>>().into()),
        Kind::Enum(enumeration) if random.random_bool(0.8) => {
            let numbers: Vec<_> = enumeration.values().map(|value| value.number()).collect();
            Value::EnumNumber(numbers[random.random_range(0..numbers.len())])
        }
        Kind::Enum(_) => Value::EnumNumber(random.random_range(-9..9999)),
        Kind::Message(message) => Value::Message(fill(message, random, depth)),
        other => panic!("the contract has no {other:?}"),
    }
}

fn text(random: &mut TestRng) -> String {
    let alphabets = ["abc -_./", "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}", "é漢😀\u{2028}\u{feff}\u{10ffff}"];
    let mut text = String::new();
    for _ in 0..random.random_range(0..8) {
        let characters: Vec<_> = alphabets[random.random_range(0..alphabets.len())].chars().collect();
        text.push(characters[random.random_range(0..characters.len())]);
    }
    text
}

#[test]
fn there_is_something_to_try() {
    assert!(messages().len() > 150);
    assert!(messages().iter().all(|message| DynamicMessage::new(message.clone()).descriptor() == *message));
}
