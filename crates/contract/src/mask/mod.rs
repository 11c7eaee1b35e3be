//! Field masks (AIP-134): which fields of a resource an update changes, and the outcome of it.

use std::fmt;

use prost_types::FieldMask;

use crate::{Message, descriptors};

mod merge;
mod path;
mod tree;

use tree::Tree;

/// Most fields that a mask may name: no resource has as many. Repeated paths and those below others do not count.
pub const PATHS_MAX: usize = 64;

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
    /// The mask names more than [`PATHS_MAX`] fields. The path is empty.
    TooMany,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooMany => return write!(f, "names more than {PATHS_MAX} fields; name those above them, or use \"*\""),
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
/// - A field counts once, however often it is named, and not beside one above it.
///
/// It takes time that is linear in `current`, `patch` and `mask` together, and no more memory than the two messages take.
///
/// # Errors
/// Every path that cannot be applied, each once, or else every immutable field whose value would change.
pub fn apply<T: Message>(current: &T, patch: &T, mask: Option<&FieldMask>) -> Result<T, Vec<MaskError>> {
    let named = match mask.map(|mask| mask.paths.as_slice()) {
        None | Some([]) => None,
        // Before anything is copied: a mask may be wrong.
        Some(paths) => Some(Tree::of_paths(&descriptors::descriptor_of::<T>(), paths)?),
    };
    let mut patch = descriptors::dynamic(patch);
    let named = named.unwrap_or_else(|| Tree::of_populated(&patch));
    let mut target = descriptors::dynamic(current);
    let errors = merge::merge(&mut target, &mut patch, &named);
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
mod reference;
#[cfg(test)]
mod tests;
