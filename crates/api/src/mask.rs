//! Updates: from a request's resource and update mask to the wished value.

use std::sync::Arc;

use contract::{
    Message,
    mask::{self, MaskError, Problem},
};
use domain::{Error, Patch, Rule, Violations, error::Violation};
use prost_types::FieldMask;

/// Most paths of a mask as it was sent, repeated ones included: what is looked at before it is known how many fields they name.
const SENT_MAX: usize = 1000;
/// Most bad paths that an error names: the first ones say what is wrong.
const TOLD_MAX: usize = 8;
/// Most characters of a bad path that an error shows.
const SHOWN_MAX: usize = 100;

/// The change that an update request asks for. It runs on the current value: both go to the wire's shape, the mask is
/// applied there, and the outcome is read and judged as a whole. It takes time that is linear in the request and that value.
pub(crate) fn patch<T: 'static, W: Message>(
    wished: W,
    mask: Option<FieldMask>,
    to_wire: fn(&T) -> W,
    from_wire: fn(W) -> Result<T, Error>,
) -> Patch<T> {
    Arc::new(move |current| {
        if mask.as_ref().is_some_and(|mask| mask.paths.len() > SENT_MAX) {
            return Err(unknown(format!("update_mask must have at most {SENT_MAX} paths")));
        }
        from_wire(mask::apply(&to_wire(current), &wished, mask.as_ref()).map_err(refused)?)
    })
}

/// The change that a full replacement asks for (PUT): all that callers may set becomes `wished`.
pub(crate) fn replace<T: Clone + Send + Sync + 'static>(wished: T) -> Patch<T> {
    Arc::new(move |_| Ok(wished.clone()))
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
    let mut list: Vec<_> = bad.iter().take(TOLD_MAX).map(shown).collect();
    if bad.len() > TOLD_MAX {
        list.push(format!("and {} more", bad.len() - TOLD_MAX));
    }
    unknown(list.join("; "))
}

fn shown(MaskError { path, problem }: &MaskError) -> String {
    match problem {
        Problem::TooMany => format!("update_mask {problem}"),
        _ if path.chars().nth(SHOWN_MAX).is_some() => {
            let start: String = path.chars().take(SHOWN_MAX).collect();
            format!("{start:?}…: {problem}")
        }
        _ => format!("{path:?}: {problem}"),
    }
}

fn unknown(description: String) -> Error {
    Error::fields(Rule::UpdateMask, vec![Violation { field: "update_mask".to_owned(), description }])
}
