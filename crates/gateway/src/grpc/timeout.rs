//! The deadline that a gRPC client sends along.

use std::time::Duration;

use http::HeaderMap;

/// The client's `grpc-timeout`: at most eight digits and a unit. What cannot be read counts as absent.
pub(crate) fn of(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if !(1..=8).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(value * 3600)),
        "M" => Some(Duration::from_secs(value * 60)),
        "S" => Some(Duration::from_secs(value)),
        "m" => Some(Duration::from_millis(value)),
        "u" => Some(Duration::from_micros(value)),
        "n" => Some(Duration::from_nanos(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_units_are_read_and_nothing_else() {
        let timeout =
            |text: &str| of(&[(http::HeaderName::from_static("grpc-timeout"), text.parse().unwrap())].into_iter().collect());
        assert_eq!(timeout("1H"), Some(Duration::from_hours(1)));
        assert_eq!(timeout("2M"), Some(Duration::from_mins(2)));
        assert_eq!(timeout("3S"), Some(Duration::from_secs(3)));
        assert_eq!(timeout("250m"), Some(Duration::from_millis(250)));
        assert_eq!(timeout("99999999u"), Some(Duration::from_micros(99_999_999)));
        assert_eq!(timeout("7n"), Some(Duration::from_nanos(7)));
        for bad in ["", "S", "1", "1x", "-1S", "100000000S", "1.5S"] {
            assert_eq!(timeout(bad), None, "{bad}");
        }
    }
}
