//! Times as documents write them (RFC 3339).

use domain::Timestamp;

use crate::Rejected;

/// The first and the last millisecond that RFC 3339 can write, of the years 1 and 9999. Some databases write the first for what they do not
/// know.
const TIMES: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// The instant that the text names.
///
/// # Errors
/// When it names none in the years 1 to 9999.
pub(crate) fn read(field: &str, text: &str) -> Result<Timestamp, Rejected> {
    let read: Option<jiff::Timestamp> = if text.len() <= 40 { text.parse().ok() } else { None };
    match read.map(jiff::Timestamp::as_millisecond) {
        Some(at) if TIMES.contains(&at) => Ok(Timestamp(at)),
        _ => Err(Rejected(format!("{field} must be a time such as 2024-01-31T00:00:00Z"))),
    }
}

/// The same, where it may be left out.
///
/// # Errors
/// As [`read`].
pub(crate) fn optional(field: &str, text: Option<&str>) -> Result<Option<Timestamp>, Rejected> {
    text.map(|text| read(field, text)).transpose()
}

/// The instant as a text.
pub(crate) fn write(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| "1970-01-01T00:00:00Z".to_owned(), |at| at.to_string())
}
