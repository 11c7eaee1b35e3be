//! Appends single fields in protobuf's binary form.

use prost::encoding::{WireType, encode_key, encode_varint};
use prost_reflect::Kind;

/// A value on its way to its field.
#[derive(Debug)]
pub(super) enum Scalar {
    /// `bool`
    Bool(bool),
    /// A signed integer or enum, already checked against the range of its kind.
    Signed(i64),
    /// An unsigned integer, already checked against the range of its kind.
    Unsigned(u64),
    /// A floating-point number.
    Float(f64),
    /// A string, bytes or an encoded message.
    Bytes(Vec<u8>),
}

/// Appends a field. Kind and value must belong together.
pub(super) fn field(out: &mut Vec<u8>, number: u32, kind: &Kind, value: &Scalar) {
    match value {
        Scalar::Bytes(bytes) => {
            encode_key(number, WireType::LengthDelimited, out);
            encode_varint(bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        }
        Scalar::Bool(value) => varint(out, number, u64::from(*value)),
        Scalar::Signed(value) => match kind {
            Kind::Sint32 | Kind::Sint64 => varint(out, number, ((value << 1) ^ (value >> 63)).cast_unsigned()),
            Kind::Sfixed32 => fixed32(out, number, &value.to_le_bytes()),
            Kind::Sfixed64 => fixed64(out, number, value.to_le_bytes()),
            _ => varint(out, number, value.cast_unsigned()),
        },
        Scalar::Unsigned(value) => match kind {
            Kind::Fixed32 => fixed32(out, number, &value.to_le_bytes()),
            Kind::Fixed64 => fixed64(out, number, value.to_le_bytes()),
            _ => varint(out, number, *value),
        },
        Scalar::Float(value) => match kind {
            #[expect(clippy::cast_possible_truncation, reason = "a float field keeps as much as a float can hold")]
            Kind::Float => fixed32(out, number, &(*value as f32).to_le_bytes()),
            _ => fixed64(out, number, value.to_le_bytes()),
        },
    }
}

/// Appends a field that holds bytes as they are: a text, an encoded message or an entry of a map.
pub(super) fn message(out: &mut Vec<u8>, number: u32, body: &[u8]) {
    encode_key(number, WireType::LengthDelimited, out);
    encode_varint(body.len() as u64, out);
    out.extend_from_slice(body);
}

fn varint(out: &mut Vec<u8>, number: u32, value: u64) {
    encode_key(number, WireType::Varint, out);
    encode_varint(value, out);
}

/// The four low bytes, which for negative numbers in range are their 32-bit form.
fn fixed32(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    encode_key(number, WireType::ThirtyTwoBit, out);
    out.extend(bytes.iter().take(4));
}

fn fixed64(out: &mut Vec<u8>, number: u32, bytes: [u8; 8]) {
    encode_key(number, WireType::SixtyFourBit, out);
    out.extend_from_slice(&bytes);
}
