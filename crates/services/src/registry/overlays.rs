//! Overlays: named lists of packages that go into images.

mod create;

use domain::registry::Overlay;

pub use store::registry::overlays::OverlayFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of overlays. They never change: who wants other packages makes another overlay.
pub type Overlays = Nouns<Overlay>;

impl Noun for Overlay {
    type Answer = Self;
    type Filter = OverlayFilter;
    type Needs = ();
}
