//! Instants as text.

use domain::Timestamp;
use server::time::text;

/// An instant of the wire; `None` when it is absent.
pub(crate) fn wire(at: Option<&contract::prost_types::Timestamp>) -> Option<String> {
    at.map(|at| text(Timestamp(at.seconds.saturating_mul(1000).saturating_add(i64::from(at.nanos) / 1_000_000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_the_wire_look_like_the_api_writes_them() {
        assert_eq!(
            wire(Some(&contract::prost_types::Timestamp { seconds: 0, nanos: 5_999_999 })).as_deref(),
            Some("1970-01-01T00:00:00.005Z")
        );
        assert_eq!(wire(None), None);
    }
}
