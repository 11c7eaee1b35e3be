//! Reads the annotations that the contract carries as options.

use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, MessageDescriptor, MethodDescriptor, Value};

/// The value of an extension on a set of options, if it is there.
pub(crate) fn extension(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Option<Value> {
    let extension = pool.get_extension_by_name(name)?;
    options.has_extension(&extension).then(|| options.get_extension(&extension).into_owned())
}

/// A message extension of a method.
pub(crate) fn of_method(method: &MethodDescriptor, name: &str) -> Option<DynamicMessage> {
    match extension(method.parent_pool(), &method.options(), name)? {
        Value::Message(message) => Some(message),
        _ => None,
    }
}

/// Whether the field says where in the tree a request acts.
pub(crate) fn is_scope(field: &FieldDescriptor) -> bool {
    let scope = extension(field.parent_pool(), &field.options(), "chainguard.annotations.iam_scope");
    scope.is_some_and(|value| value == Value::Bool(true))
}

/// Whether the field carries this `google.api.field_behavior`.
pub(crate) fn behaves(field: &FieldDescriptor, behavior: &str) -> bool {
    let pool = field.parent_pool();
    let number = pool.get_enum_by_name("google.api.FieldBehavior").and_then(|e| Some(e.get_value_by_name(behavior)?.number()));
    match (extension(pool, &field.options(), "google.api.field_behavior"), number) {
        (Some(Value::List(values)), Some(number)) => values.contains(&Value::EnumNumber(number)),
        _ => false,
    }
}

/// Secrets that callers bring and no answer has, of which the published definitions do not say so.
const BROUGHT: [&str; 2] = [
    "chainguard.platform.iam.IdentityProvider.OIDC.client_secret",
    "chainguard.platform.iam.v2beta1.IdentityProvider.OIDC.client_secret",
];

/// Whether the field is only ever sent to the server.
pub(crate) fn is_brought(field: &FieldDescriptor) -> bool {
    behaves(field, "INPUT_ONLY") || BROUGHT.contains(&field.full_name())
}

/// Whether the field holds a secret.
pub(crate) fn is_secret(field: &FieldDescriptor) -> bool {
    field.options().get_field_by_name("debug_redact").is_some_and(|value| *value == Value::Bool(true))
}

/// The fields in the order in which the file declares them (the descriptor's own order is by number).
pub(crate) fn fields(message: &MessageDescriptor) -> Vec<FieldDescriptor> {
    let declared = message.descriptor_proto().field.iter();
    declared.filter_map(|field| message.get_field(u32::try_from(field.number()).ok()?)).collect()
}

/// The text of a field of an options message; empty when unset.
pub(crate) fn text(message: &DynamicMessage, field: &str) -> String {
    message.get_field_by_name(field).and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

/// The boolean field of an options message; false when unset.
pub(crate) fn flag(message: &DynamicMessage, field: &str) -> bool {
    message.get_field_by_name(field).and_then(|value| value.as_bool()).unwrap_or_default()
}
