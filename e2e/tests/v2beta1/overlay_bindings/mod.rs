//! What is special about overlay bindings. What holds for every noun is proved for them with the others.

mod create;

use contract::chainguard::platform::registry::v2beta1::CreateOverlayBindingRequest;

use crate::v2beta1::repos::texts;

/// A request for binding the overlay to these tags of the repo `parent`.
fn bind(parent: &str, overlay: &str, tags: &[&str]) -> CreateOverlayBindingRequest {
    CreateOverlayBindingRequest { parent: parent.into(), overlay: overlay.into(), tags: texts(tags) }
}
