//! Reads values from text: what path variables, query parameters and JSON strings have in common.

use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use prost::Message as _;
use prost_reflect::{EnumDescriptor, Kind};

use super::{
    error::{cut, shown},
    put::{self, Scalar},
    time,
};

/// Reads a parameter: any kind that a single text can stand for.
pub(super) fn from_text(kind: &Kind, text: &str) -> Result<Scalar, String> {
    match kind {
        Kind::Bool => match text {
            "true" => Ok(Scalar::Bool(true)),
            "false" => Ok(Scalar::Bool(false)),
            _ => Err(format!("expected true or false, got {}", shown(text))),
        },
        Kind::Enum(enumeration) => match integer(text) {
            Ok(_) => number(kind, text),
            Err(_) => enum_name(enumeration, text),
        },
        Kind::String | Kind::Bytes | Kind::Message(_) => from_string(kind, text),
        _ => number(kind, text),
    }
}

/// Reads a JSON string for a kind that is written as one; numbers in quotes are among them.
pub(super) fn from_string(kind: &Kind, text: &str) -> Result<Scalar, String> {
    match kind {
        Kind::String => Ok(Scalar::Bytes(text.as_bytes().to_vec())),
        Kind::Bytes => bytes(text),
        Kind::Enum(enumeration) => enum_name(enumeration, text),
        Kind::Bool => Err("expected true or false, got a string".to_owned()),
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Timestamp" => Ok(Scalar::Bytes(time::timestamp(text)?.encode_to_vec())),
            "google.protobuf.Duration" => Ok(Scalar::Bytes(time::duration(text)?.encode_to_vec())),
            "google.protobuf.FieldMask" => Ok(Scalar::Bytes(field_mask(text))),
            _ => Err("expected an object, got a string".to_owned()),
        },
        Kind::Double | Kind::Float => match text {
            "NaN" => Ok(Scalar::Float(f64::NAN)),
            "Infinity" => Ok(Scalar::Float(f64::INFINITY)),
            "-Infinity" => Ok(Scalar::Float(f64::NEG_INFINITY)),
            _ => number(kind, text),
        },
        _ => number(kind, text),
    }
}

/// Reads a number, written as JSON writes numbers.
pub(super) fn number(kind: &Kind, text: &str) -> Result<Scalar, String> {
    let signed = |low: i64, high: i64| ranged(text, i128::from(low), i128::from(high)).map(Scalar::Signed);
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 | Kind::Enum(_) => signed(i32::MIN.into(), i32::MAX.into()),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => signed(i64::MIN, i64::MAX),
        Kind::Uint32 | Kind::Fixed32 => ranged(text, 0, u32::MAX.into()).map(Scalar::Unsigned),
        Kind::Uint64 | Kind::Fixed64 => ranged(text, 0, u64::MAX.into()).map(Scalar::Unsigned),
        Kind::Double | Kind::Float => float(text, matches!(kind, Kind::Float)),
        Kind::Bool => Err("expected true or false, got a number".to_owned()),
        Kind::String | Kind::Bytes => Err("expected a string, got a number".to_owned()),
        Kind::Message(_) => Err("expected an object, got a number".to_owned()),
    }
}

/// Whether the text is a number by the grammar of RFC 8259, section 6.
pub(super) fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(digits) && exponent.is_none_or(digits)
}

fn ranged<T: TryFrom<i128>>(text: &str, low: i128, high: i128) -> Result<T, String> {
    let value = integer(text)?;
    let out_of_range = || format!("{} is out of range, which is {low} to {high}", cut(text));
    let value = value.filter(|value| (low..=high).contains(value)).ok_or_else(out_of_range)?;
    T::try_from(value).map_err(|_| out_of_range())
}

/// The value of an integer; `5.0` and `1e3` are integers too. `None` when it is far beyond 64 bits.
fn integer(text: &str) -> Result<Option<i128>, String> {
    let wrong = || format!("expected an integer, got {}", shown(text));
    if !is_number(text) {
        return Err(wrong());
    }
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(Some(0));
    }
    // A number that does not even fit here has an exponent beyond any use.
    let exponent: i64 =
        exponent.trim_start_matches('+').parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).unwrap_or(i64::MAX);
    let shift = exponent.saturating_add(zeros).saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX));
    let Ok(shift) = u32::try_from(shift) else {
        return if shift < 0 { Err(wrong()) } else { Ok(None) };
    };
    let value = significant.parse::<i128>().ok().zip(10_i128.checked_pow(shift));
    let value = value.and_then(|(digits, scale)| digits.checked_mul(scale));
    Ok(value.map(|value| if negative { -value } else { value }))
}

fn float(text: &str, single: bool) -> Result<Scalar, String> {
    let value = Some(text).filter(|text| is_number(text)).and_then(|text| text.parse::<f64>().ok());
    let value = value.ok_or_else(|| format!("expected a number, got {}", shown(text)))?;
    let largest = if single { f64::from(f32::MAX) } else { f64::MAX };
    if value.abs() <= largest { Ok(Scalar::Float(value)) } else { Err(format!("{} is out of range", cut(text))) }
}

fn enum_name(enumeration: &EnumDescriptor, name: &str) -> Result<Scalar, String> {
    /// More values than this would not help anybody in an error message.
    const SHOWN: usize = 16;
    match enumeration.get_value_by_name(name) {
        Some(value) => Ok(Scalar::Signed(value.number().into())),
        None if enumeration.values().len() <= SHOWN => {
            let names: Vec<_> = enumeration.values().map(|value| value.name().to_owned()).collect();
            Err(format!("{} is not a value of {}; use one of {}", shown(name), enumeration.name(), names.join(", ")))
        }
        None => Err(format!("{} is not a value of {}", shown(name), enumeration.name())),
    }
}

/// Standard and URL-safe base64, with or without padding.
fn bytes(text: &str) -> Result<Scalar, String> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let decoded = GeneralPurpose::new(alphabet, LENIENT).decode(text);
    decoded.map(Scalar::Bytes).map_err(|error| format!("not base64: {error}"))
}

/// Paths separated by commas, brought into snake case: a field mask in binary form, however many they are.
fn field_mask(text: &str) -> Vec<u8> {
    /// The number of `google.protobuf.FieldMask.paths`.
    const PATHS: u32 = 1;
    let mut wire = Vec::with_capacity(text.len() + 2);
    for path in text.split(',').filter(|path| !path.is_empty()) {
        put::message(&mut wire, PATHS, snake_case(path.trim()).as_bytes());
    }
    wire
}

fn snake_case(path: &str) -> String {
    let mut snake = String::with_capacity(path.len() + 4);
    for c in path.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_may_be_written_in_many_ways() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("5.0", 5),
            ("1e3", 1000),
            ("1.5e1", 15),
            ("1200e-2", 12),
            ("0.0e99", 0),
            ("-9223372036854775808", i64::MIN.into()),
        ] {
            assert_eq!(integer(text), Ok(Some(value)), "{text}");
        }
        for text in ["", "-", "01", "+1", "1.", ".5", "1e", "0.5", "1e-1", "0x1", " 1", "1 ", "NaN", "1e-99999999999999999999"] {
            assert!(integer(text).is_err(), "{text}");
        }
        assert_eq!(integer("1e99999999999999999999"), Ok(None));
        assert_eq!(integer("99999999999999999999999999999999999999999"), Ok(None));
    }

    #[test]
    fn ranges_are_those_of_the_kind() {
        assert!(number(&Kind::Int32, "2147483647").is_ok() && number(&Kind::Uint64, "18446744073709551615").is_ok());
        let error = number(&Kind::Int32, "2147483648").map(|_| ());
        assert_eq!(error, Err("2147483648 is out of range, which is -2147483648 to 2147483647".to_owned()));
        assert!(number(&Kind::Uint32, "-1").is_err() && number(&Kind::Float, "1e39").is_err());
    }

    #[test]
    fn base64_comes_in_four_forms() {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            assert!(matches!(bytes(text), Ok(Scalar::Bytes(bytes)) if bytes == [0xfb, 0xff]), "{text}");
        }
        assert!(bytes("!").is_err() && bytes("+_8=").is_err());
    }

    #[test]
    fn masks_become_snake_case() {
        let paths = |text| prost_types::FieldMask::decode(field_mask(text).as_slice()).expect("a mask").paths;
        assert_eq!(paths("claimMatch.issuerPattern,name, sync_config"), ["claim_match.issuer_pattern", "name", "sync_config"]);
        assert_eq!(paths("").len(), 0);
        assert_eq!(paths("*"), ["*"]);
    }
}
