//! Instants as text.

use domain::Timestamp;

/// RFC 3339 in UTC with three fraction digits, as the API writes them. Instants beyond year 9999 become their milliseconds.
pub(crate) fn text(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| at.0.to_string(), |at| format!("{at:.3}"))
}

/// The same for an instant of the wire; `None` when it is absent.
pub(crate) fn wire(at: Option<&contract::prost_types::Timestamp>) -> Option<String> {
    at.map(|at| text(Timestamp(at.seconds.saturating_mul(1000).saturating_add(i64::from(at.nanos) / 1_000_000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_look_like_the_api_writes_them() {
        assert_eq!(text(Timestamp(1_700_000_000_120)), "2023-11-14T22:13:20.120Z");
        assert_eq!(
            wire(Some(&contract::prost_types::Timestamp { seconds: 0, nanos: 5_999_999 })).as_deref(),
            Some("1970-01-01T00:00:00.005Z")
        );
        assert_eq!((wire(None), text(Timestamp(i64::MAX))), (None, i64::MAX.to_string()));
    }
}
