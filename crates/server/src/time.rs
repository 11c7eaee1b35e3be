//! Instants as text.

use domain::Timestamp;

/// RFC 3339 in UTC with three fraction digits, as the API writes them. Instants beyond year 9999 become their milliseconds.
#[must_use]
pub fn text(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| at.0.to_string(), |at| format!("{at:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_look_like_the_api_writes_them() {
        assert_eq!(text(Timestamp(1_700_000_000_120)), "2023-11-14T22:13:20.120Z");
        assert_eq!(text(Timestamp(i64::MAX)), i64::MAX.to_string());
    }
}
