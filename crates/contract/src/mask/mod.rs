//! Field masks (AIP-134): which fields of a resource an update changes, and the outcome of it.

use std::fmt;

use prost_reflect::ReflectMessage as _;
use prost_types::FieldMask;

use crate::{Message, descriptors};

mod merge;
mod path;

/// Why a path of a mask cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskError {
    /// The path as it was given or, for an immutable field, the path of that field.
    pub path: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a path of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The resource has no such field.
    UnknownField,
    /// The path goes into a list or a map, which are only replaced as a whole.
    IntoCollection,
    /// The path goes into a value that has no fields.
    IntoValue,
    /// The field keeps the value that it got at creation, and the request has another one.
    Immutable,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownField => "no such field",
            Self::IntoCollection => "lists and maps are only replaced as a whole; end the path at the list or map",
            Self::IntoValue => "the path goes into a value that has no fields",
            Self::Immutable => "cannot be changed after creation",
        })
    }
}

impl fmt::Display for MaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

/// What `current` becomes when the fields of `patch` that `mask` names are written over it.
///
/// - Paths are in snake case or in JSON names. `*` stands for every writable field.
/// - Without a mask, or with an empty one, the fields are those that are populated in `patch`.
/// - A named field that is unset in `patch` is cleared. Lists and maps are replaced as a whole. Setting a member of a oneof
///   clears the others. A message in between that `current` lacks is created.
/// - Output-only fields always keep the value of `current`, also inside replaced messages; naming them is no error.
///
/// # Errors
/// Every path that cannot be applied and every immutable field whose value would change.
pub fn apply<T: Message>(current: &T, patch: &T, mask: Option<&FieldMask>) -> Result<T, Vec<MaskError>> {
    let mut target = descriptors::dynamic(current);
    let patch = descriptors::dynamic(patch);
    let mut errors = Vec::new();
    match mask.map(|mask| mask.paths.as_slice()) {
        None | Some([]) => {
            for path in path::populated(&patch) {
                merge::one(&mut target, &patch, &path, &mut errors);
            }
        }
        Some(paths) => {
            for path in paths.iter().filter(|path| *path != "*") {
                match path::resolve(&patch.descriptor(), path) {
                    Ok(fields) => merge::one(&mut target, &patch, &fields, &mut errors),
                    Err(problem) => errors.push(MaskError { path: path.clone(), problem }),
                }
            }
            if paths.iter().any(|path| path == "*") {
                merge::all(&mut target, &patch, &mut errors);
            }
        }
    }
    if errors.is_empty() { Ok(descriptors::typed(&target)) } else { Err(errors) }
}

/// The part of a resource that callers may set: `resource` without output-only fields, at every depth.
///
/// This is what a create request asks for; immutable fields get their value here.
#[must_use]
pub fn writable<T: Message>(resource: &T) -> T {
    let mut message = descriptors::dynamic(resource);
    merge::strip(&mut message);
    descriptors::typed(&message)
}

#[cfg(test)]
mod tests;
