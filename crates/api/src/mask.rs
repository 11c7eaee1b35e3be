//! Updates: from a request's resource and update mask to the wished value.

use std::sync::Arc;

use contract::{
    Message,
    mask::{self, MaskError, Problem},
};
use domain::{Error, Patch, Rule, Violations, error::Violation};
use prost_types::FieldMask;

/// Most paths of a mask.
const PATHS_MAX: usize = 1000;

/// The change that an update request asks for. It runs on the current value, inside the write transaction: both go to
/// the wire's shape, the mask is applied there, and the outcome is read and judged as a whole.
pub(crate) fn patch<T: 'static, W: Message>(
    wished: W,
    mask: Option<FieldMask>,
    to_wire: fn(&T) -> W,
    from_wire: fn(W) -> Result<T, Error>,
) -> Patch<T> {
    Arc::new(move |current| {
        if mask.as_ref().is_some_and(|mask| mask.paths.len() > PATHS_MAX) {
            return Err(unknown(format!("update_mask must have at most {PATHS_MAX} paths")));
        }
        from_wire(mask::apply(&to_wire(current), &wished, mask.as_ref()).map_err(refused)?)
    })
}

/// Whether a mask lets the value of a top-level field through. `field` is spelled the same in JSON.
pub(crate) fn touches(mask: Option<&FieldMask>, field: &str) -> bool {
    let paths = mask.map(|mask| mask.paths.as_slice()).unwrap_or_default();
    paths.is_empty() || paths.iter().any(|path| path == "*" || path.split('.').next() == Some(field))
}

/// The error for what a mask cannot do: unknown paths are the mask's fault, immutable fields stand for themselves.
fn refused(errors: Vec<MaskError>) -> Error {
    let (immutable, bad): (Vec<_>, Vec<_>) = errors.into_iter().partition(|error| error.problem == Problem::Immutable);
    if bad.is_empty() {
        let violation = |MaskError { path, problem }| Violation { description: format!("{path} {problem}"), field: path };
        return Error::fields(Rule::Immutable, immutable.into_iter().take(Violations::MAX).map(violation).collect());
    }
    let list: Vec<_> = bad.iter().take(Violations::MAX).map(|error| format!("{:?}: {}", error.path, error.problem)).collect();
    unknown(list.join("; "))
}

fn unknown(description: String) -> Error {
    Error::fields(Rule::UpdateMask, vec![Violation { field: "update_mask".to_owned(), description }])
}
