//! What is special about overlays. What holds for every noun is proved for them with the others.

mod create;
mod delete;

use contract::chainguard::platform::registry::v2beta1::{
    CreateOverlayRequest, CustomOverlay, Overlay, custom_overlay::ImageContents,
};

use crate::v2beta1::repos::texts;

/// A request for an overlay with these packages in the group `parent`.
pub(crate) fn new_overlay(parent: &str, name: &str, packages: &[&str]) -> CreateOverlayRequest {
    let contents = ImageContents { packages: texts(packages), ..ImageContents::default() };
    with(parent, name, CustomOverlay { contents: Some(contents), ..CustomOverlay::default() })
}

/// A request for an overlay with this configuration.
fn with(parent: &str, name: &str, config: CustomOverlay) -> CreateOverlayRequest {
    let overlay = Overlay { name: name.into(), config: Some(config), ..Overlay::default() };
    CreateOverlayRequest { parent: parent.into(), overlay: Some(overlay) }
}
