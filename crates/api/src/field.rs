//! Names of fields in violations, and the two complaints that every kind of field shares.

use contract::Message;
use domain::Violations;

/// The last segment of a field's path, which descriptions call it by.
pub(crate) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Adds a violation for each required field of a nested message that is absent. `place` is where the message stands,
/// with a dot at its end.
pub(crate) fn required_in(place: &str, message: &impl Message, violations: &mut Violations) {
    for field in message.missing() {
        violations.add(format!("{place}{field}"), format!("{field} is required"));
    }
}

/// The enum value of this number, or a violation of `field` and `None` when the contract has none.
pub(crate) fn known<E: TryFrom<i32>>(field: &str, number: i32, violations: &mut Violations) -> Option<E> {
    let value = E::try_from(number).ok();
    if value.is_none() {
        violations.add(field, format!("{} has no value {number}", last(field)));
    }
    value
}
