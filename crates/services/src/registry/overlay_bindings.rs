//! Overlay bindings: which overlay goes into which tags of a repository.

mod create;

use domain::{
    Result, Uidp,
    registry::{OverlayBinding, OverlayBindingView},
};
use store::{Filter, ListQuery, Listed, Reader, registry::overlay_bindings};

pub use store::registry::overlay_bindings::OverlayBindingFilter;

use crate::nouns::{Noun, Nouns, Shows};

/// The use cases of overlay bindings, which show what they bind. They never change: who wants other tags makes another binding.
pub type OverlayBindings = Nouns<OverlayBinding>;

impl Shows<OverlayBinding> for OverlayBindingView {
    async fn one(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        overlay_bindings::get_view(reader, uid).await
    }

    async fn page<F: Filter<Row = OverlayBinding>>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<Self>> {
        overlay_bindings::list_views(reader, query).await
    }
}

impl Noun for OverlayBinding {
    const MOST: u64 = 100;

    type Answer = OverlayBindingView;
    type Filter = OverlayBindingFilter;
    type Needs = ();
}
