//! Reads points in time and spans of time.

use std::ops::RangeInclusive;

use prost_types::{Duration, Timestamp};

use super::error::shown;
use crate::calendar;

/// The seconds that a duration may have: about 10 000 years either way.
const SPAN: RangeInclusive<i64> = -315_576_000_000..=315_576_000_000;

/// Reads an RFC 3339 timestamp with up to nine fraction digits, in any time zone.
pub(super) fn timestamp(text: &str) -> Result<Timestamp, String> {
    let wrong = || format!("expected a timestamp such as \"2026-01-31T12:00:00Z\", got {}", shown(text));
    let value = parse(text).ok_or_else(wrong)?;
    let out_of_range = || format!("{} is outside the years 1 to 9999", shown(text));
    if calendar::SECONDS.contains(&value.seconds) { Ok(value) } else { Err(out_of_range()) }
}

/// Reads a duration: seconds with up to nine fraction digits, and `s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a duration in seconds such as \"3600s\" or \"1.5s\", got {}", shown(text));
    let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let unsigned = unsigned.strip_suffix('s').ok_or_else(wrong)?;
    let (whole, fraction) = unsigned.split_once('.').map_or((unsigned, None), |(whole, fraction)| (whole, Some(fraction)));
    let seconds = digits(whole).ok_or_else(wrong)?;
    let nanos = fraction.map_or(Some(0), nanos).ok_or_else(wrong)?;
    if !SPAN.contains(&seconds) {
        return Err(format!("{} is out of range, which is {}s to {}s", shown(text), SPAN.start(), SPAN.end()));
    }
    let sign = if negative { -1 } else { 1 };
    Ok(Duration { seconds: seconds * i64::from(sign), nanos: nanos * sign })
}

/// `YYYY-MM-DDTHH:MM:SS`, a fraction, and `Z` or an offset.
fn parse(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_once('T')?;
    if date.len() != 10 || date.find('-') != Some(4) {
        return None;
    }
    let mut parts = date.split('-').map(digits);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (time, offset) = split_offset(time)?;
    let (time, fraction) = time.split_once('.').map_or((time, None), |(time, fraction)| (time, Some(fraction)));
    let mut clock = time.split(':');
    let (hour, minute, second) = (two(clock.next()?, 23)?, two(clock.next()?, 59)?, two(clock.next()?, 59)?);
    if time.len() != 8 || parts.next().is_some() || clock.next().is_some() {
        return None;
    }
    let days = calendar::days(year, month, day)?;
    let nanos = fraction.map_or(Some(0), nanos)?;
    Some(Timestamp { seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset, nanos })
}

/// The time of day and the seconds that its zone is ahead of UTC.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix('Z') {
        return Some((time, 0));
    }
    let (time, offset) = text.split_at_checked(text.rfind(['+', '-'])?)?;
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let seconds = two(hours, 23)? * 3600 + two(minutes, 59)? * 60;
    Some((time, if offset.starts_with('-') { -seconds } else { seconds }))
}

fn two(text: &str, largest: i64) -> Option<i64> {
    digits(text).filter(|value| text.len() == 2 && *value <= largest)
}

fn digits(text: &str) -> Option<i64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

/// The nanoseconds of one to nine fraction digits.
fn nanos(fraction: &str) -> Option<i32> {
    let missing = 9_u32.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    i32::try_from(digits(fraction)? * 10_i64.pow(missing)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_follow_rfc_3339() {
        for (text, seconds, nanos) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("2026-01-31T12:00:00.5Z", 1_769_860_800, 500_000_000),
            ("2026-01-31T12:00:00.123456789+02:00", 1_769_853_600, 123_456_789),
            ("1969-12-31T23:59:59-00:30", 1_799, 0),
            ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
        ] {
            assert_eq!(timestamp(text), Ok(Timestamp { seconds, nanos }), "{text}");
        }
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T12:00Z",
            "2026-01-31T12:00:00",
            "2026-01-31 12:00:00Z",
            "2026-02-30T12:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T12:00:60Z",
            "2026-1-31T12:00:00Z",
            "+2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.Z",
            "2026-01-31T12:00:00.1234567890Z",
            "2026-01-31T12:00:00+0200",
            "12026-01-1T12:00:00Z",
            "29999999999999025-05-02T03:04:05Z",
            "2026-999999999999999999-02T03:04:05Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2026-01-31T12:00:00Zé",
            "2026-01-31T12:00:00-é:00",
        ] {
            assert!(timestamp(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_are_seconds() {
        for (text, seconds, nanos) in
            [("3600s", 3600, 0), ("1.5s", 1, 500_000_000), ("-0.000000001s", 0, -1), ("-2.5s", -2, -500_000_000), ("0s", 0, 0)]
        {
            assert_eq!(duration(text), Ok(Duration { seconds, nanos }), "{text}");
        }
        for text in
            ["", "s", "1", "1m", "1h", ".5s", "1.s", "1.0000000001s", "+1s", "1 s", "315576000001s", "99999999999999999999s"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
