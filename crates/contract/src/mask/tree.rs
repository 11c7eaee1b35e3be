//! Masks without repetition: the fields that one names, each once.

use std::collections::HashSet;

use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor};

use super::{MaskError, PATHS_MAX, Problem, path};
use crate::behavior;

/// What is to be written of a message. However often and in whatever spelling a mask names a field, it is here once, and not
/// at all where one above it is written as a whole: what works through a tree does so once for each field.
#[derive(Debug, PartialEq)]
pub(super) enum Tree {
    /// All of it.
    Whole,
    /// Only these fields.
    Parts(Vec<(FieldDescriptor, Tree)>),
}

impl Default for Tree {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

impl Tree {
    /// What the paths of a mask name, `*` included.
    ///
    /// # Errors
    /// Every path that cannot be followed, each once; otherwise [`Problem::TooMany`] when more than [`PATHS_MAX`] are left.
    pub(super) fn of_paths(message: &MessageDescriptor, paths: &[String]) -> Result<Self, Vec<MaskError>> {
        let (mut tree, mut errors, mut seen) = (Self::default(), Vec::new(), HashSet::new());
        for path in paths.iter().filter(|path| seen.insert(path.as_str())) {
            match path::resolve(message, path) {
                Ok(fields) => tree.add(fields),
                Err(problem) => errors.push(MaskError { path: path.clone(), problem }),
            }
        }
        if errors.is_empty() && tree.leaves() > PATHS_MAX {
            errors.push(MaskError { path: String::new(), problem: Problem::TooMany });
        }
        if errors.is_empty() { Ok(tree) } else { Err(errors) }
    }

    /// What these paths name.
    #[cfg(test)]
    pub(super) fn of_fields(paths: &[path::Fields]) -> Self {
        let mut tree = Self::default();
        paths.iter().cloned().for_each(|path| tree.add(path));
        tree
    }

    /// The populated fields: the leaves, and messages that are present but have nothing in them.
    pub(super) fn of_populated(message: &DynamicMessage) -> Self {
        let mut parts = Vec::new();
        for (field, value) in message.fields().filter(|(field, _)| !behavior::of(field).output_only) {
            let inner = value.as_message().filter(|inner| behavior::nested(&field).is_some() && inner.fields().next().is_some());
            match inner.map(Self::of_populated) {
                // All that is in it is the server's.
                Some(Self::Parts(inner)) if inner.is_empty() => {}
                Some(inner) => parts.push((field, inner)),
                None => parts.push((field, Self::Whole)),
            }
        }
        Self::Parts(parts)
    }

    /// Adds the field at the end of a path; the message itself when the path is empty.
    fn add(&mut self, fields: path::Fields) {
        let mut here = self;
        for field in fields {
            let Self::Parts(parts) = here else { return };
            let at = parts.iter().position(|(known, _)| *known == field).unwrap_or(parts.len());
            if at == parts.len() {
                parts.push((field, Self::default()));
            }
            let Some((_, below)) = parts.get_mut(at) else { return };
            here = below;
        }
        *here = Self::Whole;
    }

    /// How many paths it takes to say it.
    fn leaves(&self) -> usize {
        match self {
            Self::Whole => 1,
            Self::Parts(parts) => parts.iter().map(|(_, below)| below.leaves()).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message as _, chainguard::platform::iam::v2beta1::Identity, descriptors};

    fn tree(paths: &[&str]) -> Result<Tree, Vec<MaskError>> {
        let message = descriptors::message_descriptor(Identity::NAME).expect("it is there");
        Tree::of_paths(&message, &paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_field_is_written_once_however_often_it_is_named() {
        let once = tree(&["claim_match.claims"]);
        assert!(once.is_ok());
        let repeated: Vec<_> = (0..1000).map(|n| if n % 2 == 0 { "claimMatch.claims" } else { "claim_match.claims" }).collect();
        assert_eq!(tree(&repeated), once);
    }

    #[test]
    fn what_is_written_as_a_whole_needs_no_parts() {
        for paths in [["claim_match", "claimMatch.claims"], ["claim_match.claims", "claim_match"]] {
            assert_eq!(tree(&paths), tree(&["claim_match"]));
        }
        for paths in [["*", "name"], ["name", "*"]] {
            assert_eq!(tree(&paths), Ok(Tree::Whole));
        }
    }

    #[test]
    fn bad_paths_are_told_once() {
        let errors = tree(&["a", "name", "a", "*", "b"]).expect_err("two bad paths");
        assert_eq!(errors.iter().map(|error| error.path.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn no_resource_has_more_fields_than_a_mask_may_name() {
        fn writable(message: &MessageDescriptor) -> usize {
            let fields = message.fields().filter(|field| !behavior::of(field).output_only);
            fields.map(|field| behavior::nested(&field).map_or(1, |inner| writable(&inner).max(1))).sum()
        }
        for method in crate::METHODS {
            let request = descriptors::request_of(method);
            if request.get_field_by_name("update_mask").is_none() {
                continue;
            }
            for resource in request.fields().filter_map(|field| behavior::nested(&field)) {
                let fields = writable(&resource);
                assert!(fields <= PATHS_MAX, "{} has {fields}", resource.full_name());
            }
        }
    }

    #[test]
    fn only_so_many_fields_can_be_named() {
        let fields = |message: &str| descriptors::message_descriptor(message).expect("it is there").fields().collect::<Vec<_>>();
        let (field, others) = (fields(Identity::NAME), fields("google.protobuf.FieldOptions"));
        let mut tree = Tree::default();
        // No resource has so many: these are no paths of any message.
        let pairs = field.iter().flat_map(|first| others.iter().map(|second| vec![first.clone(), second.clone()]));
        pairs.take(PATHS_MAX + 1).for_each(|path| tree.add(path));
        assert_eq!(tree.leaves(), PATHS_MAX + 1);
    }
}
