//! JSON bodies. What is read decodes, and what is written of it reads back as the same message.
#![no_main]

use contract::{
    Body, Message,
    chainguard::platform::{
        iam::v2beta1::{
            BatchCreateRoleBindingsRequest, Group, Identity, ListRoleBindingsResponse, Role, RoleBinding, UpdateIdentityRequest,
            UpdateRoleBindingRequest,
        },
        oidc::ExchangeRequest,
        registry::v2beta1::Repo,
    },
    google::rpc::Status,
    message_descriptor,
    wire::Document,
};
use libfuzzer_sys::fuzz_target;

fn read<M: Message>(document: &Document<'_>) -> Option<M> {
    let descriptor = message_descriptor(M::NAME).expect("a message of the contract");
    let mut wire = Vec::new();
    document.append(&mut wire, &descriptor, Body::All).ok()?;
    assert!(document.paths(&descriptor).iter().all(|path| !path.is_empty()), "paths name fields");
    Some(M::decode(wire.as_slice()).expect("what was read decodes"))
}

fn written<M: Message>(message: &M) -> String {
    let mut text = String::new();
    message.write_json(&mut text);
    text
}

/// Times lose what is finer than a millisecond when they are written, and nothing afterwards.
fn round<M: Message>(document: &Document<'_>) {
    let Some(message) = read::<M>(document) else { return };
    let text = written(&message);
    let again = Document::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error:?} in {text}"));
    let again = read::<M>(&again).unwrap_or_else(|| panic!("what was written is not read: {text}"));
    assert_eq!(written(&again), text);
}

fuzz_target!(|input: &[u8]| {
    let Ok(document) = Document::parse(input) else { return };
    round::<Group>(&document);
    round::<Identity>(&document);
    round::<Role>(&document);
    round::<RoleBinding>(&document);
    round::<Repo>(&document);
    round::<BatchCreateRoleBindingsRequest>(&document);
    round::<ListRoleBindingsResponse>(&document);
    round::<ExchangeRequest>(&document);
    // Masks that are written and read as texts need not come back to the letter; statuses hold any message.
    let _ = read::<UpdateIdentityRequest>(&document);
    let _ = read::<UpdateRoleBindingRequest>(&document);
    let _ = read::<Status>(&document);
});
