//! Instants on the wire.

use domain::{Timestamp, Violations};
use prost_types::{Duration, Timestamp as Wire};

/// The first second of the year 1, the earliest that google.protobuf.Timestamp holds.
const FIRST: i64 = -62_135_596_800;
/// The last second of the year 9999.
const LAST: i64 = 253_402_300_799;

/// The instant for an answer.
pub(crate) fn to_wire(instant: Timestamp) -> Wire {
    let nanos = i32::try_from(instant.0.rem_euclid(1000) * 1_000_000).unwrap_or_default();
    Wire { seconds: instant.seconds(), nanos }
}

/// The instant of a request, cut to milliseconds, or a violation of `field` and `None` outside the years 1 to 9999.
pub(crate) fn parse(field: &str, instant: &Wire, violations: &mut Violations) -> Option<Timestamp> {
    if (FIRST..=LAST).contains(&instant.seconds) && (0..1_000_000_000).contains(&instant.nanos) {
        return Some(Timestamp(instant.seconds * 1000 + i64::from(instant.nanos / 1_000_000)));
    }
    violations.add(field, format!("{} must be a time in the years 1 to 9999", crate::field::last(field)));
    None
}

/// A length of time in milliseconds for an answer.
pub(crate) fn duration(milliseconds: i64) -> Duration {
    let nanos = i32::try_from(milliseconds % 1000 * 1_000_000).unwrap_or_default();
    Duration { seconds: milliseconds / 1000, nanos }
}

/// The length of time of a request in milliseconds, what is less than one cut off, or a violation of `field` and `None` where it is
/// negative or none at all. A length that no count holds is the longest.
pub(crate) fn milliseconds(field: &str, length: &Duration, violations: &mut Violations) -> Option<i64> {
    if length.seconds >= 0 && (0..1_000_000_000).contains(&length.nanos) {
        return Some(length.seconds.saturating_mul(1000).saturating_add(i64::from(length.nanos / 1_000_000)));
    }
    violations.add(field, format!("{} must be a length of time that is not negative", crate::field::last(field)));
    None
}

/// When something ends: time zero, which use cases replace by the latest allowed, where the request does not say; or a violation of
/// `field` and `None`.
pub(crate) fn end(field: &str, instant: Option<&Wire>, violations: &mut Violations) -> Option<Timestamp> {
    let Some(instant) = instant else { return Some(Timestamp::default()) };
    let wished = parse(field, instant, violations)?;
    if wished == Timestamp::default() {
        violations.add(field, format!("{} must be in the future", crate::field::last(field)));
    }
    Some(wished)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn instants_survive_the_wire(milliseconds in FIRST * 1000..=LAST * 1000 + 999) {
            let mut violations = Violations::default();
            let wire = to_wire(Timestamp(milliseconds));
            prop_assert!((0..1_000_000_000).contains(&wire.nanos));
            prop_assert_eq!(parse("t", &wire, &mut violations), Some(Timestamp(milliseconds)));
        }

        #[test]
        fn no_instant_panics(seconds in any::<i64>(), nanos in any::<i32>()) {
            let mut violations = Violations::default();
            let accepted = parse("t", &Wire { seconds, nanos }, &mut violations).is_some();
            prop_assert_eq!(accepted, violations.is_empty());
        }
    }

    #[test]
    fn lengths_are_not_negative() {
        let read = |seconds, nanos| milliseconds("overlap", &Duration { seconds, nanos }, &mut Violations::default());
        assert_eq!([read(0, 0), read(1, 999_999_999), read(0, 999_999)], [Some(0), Some(1999), Some(0)]);
        assert_eq!([read(-1, 0), read(0, -1), read(1, -1), read(0, 1_000_000_000)], [None; 4]);
        assert_eq!(read(i64::MAX, 0), Some(i64::MAX));
        assert_eq!(duration(1999), Duration { seconds: 1, nanos: 999_000_000 });
    }

    #[test]
    fn times_outside_the_calendar_are_refused_by_name() {
        for wire in
            [Wire { seconds: LAST + 1, nanos: 0 }, Wire { seconds: 0, nanos: -1 }, Wire { seconds: 0, nanos: 1_000_000_000 }]
        {
            let mut violations = Violations::default();
            assert_eq!(parse("static_keys.expiration_time", &wire, &mut violations), None);
            let message = violations.check().map_err(|e| e.message().to_owned());
            let expected = "Invalid argument: static_keys.expiration_time: expiration_time must be a time in the years 1 to 9999";
            assert_eq!(message, Err(expected.to_owned()));
        }
    }
}
