//! Instants on the wire.

use std::time::Duration;

use domain::{Timestamp, Violations};
use prost_types::{Duration as Length, Timestamp as Wire};

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
pub(crate) fn duration(milliseconds: i64) -> Length {
    let nanos = i32::try_from(milliseconds % 1000 * 1_000_000).unwrap_or_default();
    Length { seconds: milliseconds / 1000, nanos }
}

/// The length of time of a request in milliseconds, what is less than one cut off, or a violation of `field` and `None` where it is
/// negative or none at all. A length that no count holds is the longest.
pub(crate) fn milliseconds(field: &str, length: &Length, violations: &mut Violations) -> Option<i64> {
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

/// A time span, or a violation of `field` and `None` where there is none, and where it ends before it begins.
pub(crate) fn span(field: &str, span: Option<&Length>, violations: &mut Violations) -> Option<Duration> {
    let label = crate::field::last(field);
    let Some(span) = span else {
        violations.add(field, format!("{label} is required"));
        return None;
    };
    let (seconds, nanos) = (u64::try_from(span.seconds).ok(), u32::try_from(span.nanos).ok());
    match (seconds, nanos) {
        (Some(seconds), Some(nanos)) if nanos < 1_000_000_000 => Some(Duration::new(seconds, nanos)),
        _ => {
            violations.add(field, format!("{label} must be greater than zero"));
            None
        }
    }
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
        let read = |seconds, nanos| milliseconds("overlap", &Length { seconds, nanos }, &mut Violations::default());
        assert_eq!([read(0, 0), read(1, 999_999_999), read(0, 999_999)], [Some(0), Some(1999), Some(0)]);
        assert_eq!([read(-1, 0), read(0, -1), read(1, -1), read(0, 1_000_000_000)], [None; 4]);
        assert_eq!(read(i64::MAX, 0), Some(i64::MAX));
        assert_eq!(duration(1999), Length { seconds: 1, nanos: 999_000_000 });
    }

    #[test]
    fn spans_are_there_and_not_negative() {
        let read = |wire: Option<(i64, i32)>| {
            let mut violations = Violations::default();
            let wire = wire.map(|(seconds, nanos)| Length { seconds, nanos });
            let read = span("ttl", wire.as_ref(), &mut violations);
            violations.check().map(|()| read).map_err(|error| error.message().to_owned())
        };
        assert_eq!(read(Some((3, 5))), Ok(Some(Duration::new(3, 5))));
        assert_eq!(read(Some((i64::MAX, 0))), Ok(Some(Duration::from_secs(i64::MAX.unsigned_abs()))));
        assert_eq!(read(None), Err("Invalid argument: ttl: ttl is required".to_owned()));
        for wire in [(-1, 0), (0, -1), (1, -1), (0, 1_000_000_000)] {
            assert_eq!(read(Some(wire)), Err("Invalid argument: ttl: ttl must be greater than zero".to_owned()), "{wire:?}");
        }
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
