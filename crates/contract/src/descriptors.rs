//! The contract's descriptors at run time.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, DynamicMessage, Kind, MessageDescriptor};

use crate::{METHODS, Message, Method, packed::unpacked};

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| match DescriptorPool::decode(descriptors()) {
    Ok(pool) => pool,
    // INVARIANT: the build decodes the same bytes and stops when that fails.
    Err(error) => unreachable!("the embedded descriptors do not decode: {error}"),
});

/// The encoded `google.protobuf.FileDescriptorSet` of the contract: imports (those of google.protobuf too) and `v2` names
/// included, comments left out.
#[must_use]
pub fn descriptors() -> &'static [u8] {
    static SET: LazyLock<Vec<u8>> = LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin.gz"))));
    &SET
}

/// The same descriptors, decoded with their annotations.
#[must_use]
pub fn pool() -> &'static DescriptorPool {
    &POOL
}

/// The descriptor of the message with this full name.
#[must_use]
pub fn message_descriptor(name: &str) -> Option<MessageDescriptor> {
    pool().get_message_by_name(name)
}

/// The descriptor of a message type.
pub(crate) fn descriptor_of<T: Message>() -> MessageDescriptor {
    match message_descriptor(T::NAME) {
        Some(descriptor) => descriptor,
        // INVARIANT: names and descriptors are generated from the same files.
        None => unreachable!("{} is not in the contract", T::NAME),
    }
}

/// The descriptor of a method's request.
pub(crate) fn request_of(method: &Method) -> &'static MessageDescriptor {
    static REQUESTS: LazyLock<Vec<MessageDescriptor>> =
        LazyLock::new(|| METHODS.iter().filter_map(|method| message_descriptor(method.request)).collect());
    match REQUESTS.get(method.index) {
        Some(descriptor) => descriptor,
        // INVARIANT: names and descriptors are generated from the same files.
        None => unreachable!("{} is not in the contract", method.request),
    }
}

/// The number of that field of a method's request, when it is a text of the request's own.
pub(crate) fn text_of(method: &Method, field: &str) -> Option<u32> {
    type Texts = Vec<(Box<str>, u32)>;
    static TEXTS: LazyLock<Vec<Texts>> = LazyLock::new(|| METHODS.iter().map(|method| texts(request_of(method))).collect());
    fn texts(message: &MessageDescriptor) -> Texts {
        let fields = message.fields().filter(|field| field.kind() == Kind::String && !field.is_list());
        fields.map(|field| (field.name().into(), field.number())).collect()
    }
    TEXTS.get(method.index)?.iter().find(|(name, _)| **name == *field).map(|(_, number)| *number)
}

/// A message in a form whose fields can be looked up by descriptor.
pub(crate) fn dynamic<T: Message>(message: &T) -> DynamicMessage {
    match DynamicMessage::decode(descriptor_of::<T>(), message.encode_to_vec().as_slice()) {
        Ok(message) => message,
        // INVARIANT: the type was generated from the descriptor, so they agree about the binary form.
        Err(error) => unreachable!("{} does not decode: {error}", T::NAME),
    }
}

/// The way back from [`dynamic`].
pub(crate) fn typed<T: Message>(message: &DynamicMessage) -> T {
    match T::decode(prost::Message::encode_to_vec(message).as_slice()) {
        Ok(message) => message,
        // INVARIANT: as in `dynamic`.
        Err(error) => unreachable!("{} does not decode: {error}", T::NAME),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_complete_and_keeps_annotations() {
        for file in ["google/protobuf/descriptor.proto", "chainguard/annotations/auth.proto"] {
            assert!(pool().get_file_by_name(file).is_some(), "{file}");
        }
        let group = message_descriptor("chainguard.platform.iam.v2beta1.Group").expect("Group");
        let scope = pool().get_extension_by_name("chainguard.annotations.iam_scope").expect("iam_scope");
        assert!(group.get_field_by_name("uid").is_some_and(|uid| uid.options().has_extension(&scope)));
    }

    #[test]
    fn v2_names_are_part_of_the_set() {
        let service = |name: &str| pool().get_service_by_name(name).is_some();
        assert!(service("chainguard.platform.iam.v2.GroupsService") && service("chainguard.platform.ping.v2.PingService"));
        assert!(service("chainguard.platform.registry.v2.ReposService"));
        assert!(service("chainguard.platform.registry.v2beta1.OverlaysService"));
        assert!(!service("chainguard.platform.registry.v2.OverlaysService"));
        let group = message_descriptor("chainguard.platform.iam.v2.ListGroupsResponse").expect("ListGroupsResponse");
        let groups = group.get_field_by_name("groups").expect("groups");
        assert_eq!(
            groups.kind().as_message().map(|m| m.full_name().to_owned()).as_deref(),
            Some("chainguard.platform.iam.v2.Group")
        );
    }
}
