//! Points in time and spans of time in JSON.

use prost_types::{Duration, Timestamp};

use super::integer;
use crate::calendar::{SECONDS, date};

/// Appends a timestamp in RFC 3339 with milliseconds and `Z`, finer digits cut off.
///
/// Values outside the years 1 to 9999, which proto3 does not allow, are written as the nearest allowed second.
pub fn timestamp(out: &mut String, value: &Timestamp) {
    let seconds = value.seconds.clamp(*SECONDS.start(), *SECONDS.end());
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let clock = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let millis = i64::from(value.nanos.clamp(0, 999_999_999)) / 1_000_000;
    let text = [
        b'"',
        digit(year / 1000),
        digit(year / 100),
        digit(year / 10),
        digit(year),
        b'-',
        digit(month / 10),
        digit(month),
        b'-',
        digit(day / 10),
        digit(day),
        b'T',
        digit(hour / 10),
        digit(hour),
        b':',
        digit(minute / 10),
        digit(minute),
        b':',
        digit(second / 10),
        digit(second),
        b'.',
        digit(millis / 100),
        digit(millis / 10),
        digit(millis),
        b'Z',
        b'"',
    ];
    out.push_str(str::from_utf8(&text).unwrap_or_default());
}

/// Appends a duration in seconds, with 0, 3, 6 or 9 fraction digits as needed, and `s`.
pub fn duration(out: &mut String, value: &Duration) {
    out.push('"');
    if value.seconds < 0 || value.nanos < 0 {
        out.push('-');
    }
    integer(out, value.seconds.unsigned_abs());
    let nanos = i64::from(value.nanos.unsigned_abs());
    match nanos {
        0 => {}
        _ if nanos % 1_000_000 == 0 => fraction(out, nanos / 1_000_000, 3),
        _ if nanos % 1_000 == 0 => fraction(out, nanos / 1_000, 6),
        _ => fraction(out, nanos, 9),
    }
    out.push_str("s\"");
}

fn fraction(out: &mut String, value: i64, width: u32) {
    out.push('.');
    digits(out, value, width);
}

/// Appends exactly `width` digits of a number that is not negative.
fn digits(out: &mut String, value: i64, width: u32) {
    for place in (0..width).rev() {
        out.push(char::from(digit(value / 10_i64.pow(place))));
    }
}

/// The last digit of a number that is not negative.
#[expect(clippy::cast_sign_loss, reason = "a digit is a number from 0 to 9")]
fn digit(value: i64) -> u8 {
    b'0' + (value % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(seconds: i64, nanos: i32) -> String {
        let mut out = String::new();
        timestamp(&mut out, &Timestamp { seconds, nanos });
        out
    }

    fn span(seconds: i64, nanos: i32) -> String {
        let mut out = String::new();
        duration(&mut out, &Duration { seconds, nanos });
        out
    }

    #[test]
    fn timestamps_have_three_fraction_digits() {
        assert_eq!(time(0, 0), r#""1970-01-01T00:00:00.000Z""#);
        assert_eq!(time(1_735_689_599, 999_999_999), r#""2024-12-31T23:59:59.999Z""#);
        assert_eq!(time(951_782_400, 5_000_000), r#""2000-02-29T00:00:00.005Z""#);
        assert_eq!(time(-1, 500_000_000), r#""1969-12-31T23:59:59.500Z""#);
        assert_eq!(time(i64::MIN, 0), r#""0001-01-01T00:00:00.000Z""#);
        assert_eq!(time(i64::MAX, 0), r#""9999-12-31T23:59:59.000Z""#);
    }

    #[test]
    fn timestamps_agree_with_prost() {
        for days in (-719_162..2_932_896_i64).step_by(37) {
            let value = Timestamp { seconds: days * 86_400 + 3_723, nanos: 0 };
            assert_eq!(time(value.seconds, 0), format!("\"{}\"", value.to_string().replace('Z', ".000Z")));
        }
    }

    #[test]
    fn durations_have_as_many_digits_as_needed() {
        assert_eq!(span(3600, 0), r#""3600s""#);
        assert_eq!(span(1, 500_000_000), r#""1.500s""#);
        assert_eq!(span(0, 1_000), r#""0.000001s""#);
        assert_eq!(span(-1, -1), r#""-1.000000001s""#);
        assert_eq!(span(0, -20_000_000), r#""-0.020s""#);
    }
}
