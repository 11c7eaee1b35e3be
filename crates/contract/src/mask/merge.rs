//! Writes fields of one message over another, with respect for who may write what.
//!
//! Values are moved and never copied, and each field is visited once: the work is linear in the two messages.

use prost_reflect::{DynamicMessage, FieldDescriptor, MessageDescriptor, ReflectMessage as _, Value};

use super::{MaskError, Problem, tree::Tree};
use crate::behavior;

/// Writes what `tree` names from `patch` over `target`. With errors, `target` is of no use any more.
pub(super) fn merge(target: &mut DynamicMessage, patch: &mut DynamicMessage, tree: &Tree) -> Vec<MaskError> {
    let mut merge = Merge::default();
    merge.message(target, patch, tree);
    merge.errors
}

/// Takes away what only the server may set.
pub(super) fn strip(message: &mut DynamicMessage) {
    let hidden: Vec<_> = message.fields().map(|(field, _)| field).filter(|field| behavior::of(field).output_only).collect();
    for field in hidden {
        message.clear_field(&field);
    }
    for (_, value) in message.fields_mut() {
        strip_value(value);
    }
}

fn strip_value(value: &mut Value) {
    match value {
        Value::Message(message) => strip(message),
        Value::List(values) => values.iter_mut().for_each(strip_value),
        Value::Map(entries) => entries.values_mut().for_each(strip_value),
        _ => {}
    }
}

#[derive(Default)]
struct Merge {
    /// The names of the fields from the resource down to the message at hand.
    above: Vec<String>,
    errors: Vec<MaskError>,
}

impl Merge {
    /// Writes what `tree` names. Like all below, it answers whether that changed anything.
    fn message(&mut self, target: &mut DynamicMessage, patch: &mut DynamicMessage, tree: &Tree) -> bool {
        let mut changed = false;
        match tree {
            Tree::Whole => {
                for field in patch.descriptor().fields() {
                    changed |= self.whole(target, patch, &field);
                }
            }
            Tree::Parts(parts) => {
                for (field, below) in parts {
                    changed |= match below {
                        Tree::Whole => self.whole(target, patch, field),
                        Tree::Parts(_) => self.part(target, patch, field, below),
                    };
                }
            }
        }
        changed
    }

    /// Makes a field that of the patch, except for what only the server may set in it.
    fn whole(&mut self, target: &mut DynamicMessage, patch: &mut DynamicMessage, field: &FieldDescriptor) -> bool {
        if behavior::of(field).output_only {
            return false;
        }
        match (behavior::nested(field), patch.take_field(field)) {
            (Some(_), Some(Value::Message(wished))) => self.nested(target, wished, field, &Tree::Whole),
            (_, mut wished) => {
                wished.iter_mut().for_each(strip_value);
                self.write(target, field, wished)
            }
        }
    }

    /// Writes a part of a field, which is a message.
    fn part(&mut self, target: &mut DynamicMessage, patch: &mut DynamicMessage, field: &FieldDescriptor, tree: &Tree) -> bool {
        let Some(message) = behavior::nested(field) else { return false };
        if behavior::of(field).output_only || !(target.has_field(field) || patch.has_field(field)) {
            return false;
        }
        let wished = taken(patch, field, message);
        self.nested(target, wished, field, tree)
    }

    /// Writes over a field that is a message, which is made if need be.
    fn nested(&mut self, target: &mut DynamicMessage, mut patch: DynamicMessage, field: &FieldDescriptor, tree: &Tree) -> bool {
        let is_new = !target.has_field(field);
        let mut inner = taken(target, field, patch.descriptor());
        self.above.push(field.name().to_owned());
        let changed = self.message(&mut inner, &mut patch, tree) | is_new;
        self.above.pop();
        if changed && behavior::of(field).immutable {
            self.refuse(field);
            if is_new {
                return false;
            }
        }
        // INVARIANT: the value was made for this field, so its type fits.
        _ = target.try_set_field(field, Value::Message(inner));
        changed
    }

    /// Sets or clears a field, unless that would change an immutable one.
    fn write(&mut self, target: &mut DynamicMessage, field: &FieldDescriptor, wished: Option<Value>) -> bool {
        if target.has_field(field).then(|| target.get_field(field)).as_deref() == wished.as_ref() {
            return false;
        }
        if behavior::of(field).immutable {
            self.refuse(field);
            return false;
        }
        match wished {
            // INVARIANT: the value comes from the same field of another message, so its type fits.
            Some(value) => drop(target.try_set_field(field, value)),
            None => target.clear_field(field),
        }
        true
    }

    fn refuse(&mut self, field: &FieldDescriptor) {
        let path = self.above.iter().map(String::as_str).chain([field.name()]).collect::<Vec<_>>().join(".");
        self.errors.push(MaskError { path, problem: Problem::Immutable });
    }
}

/// The message that a field has, which then has it no more; an empty one where there is none.
fn taken(message: &mut DynamicMessage, field: &FieldDescriptor, descriptor: MessageDescriptor) -> DynamicMessage {
    match message.take_field(field) {
        Some(Value::Message(inner)) => inner,
        _ => DynamicMessage::new(descriptor),
    }
}
