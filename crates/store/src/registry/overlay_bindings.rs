//! Overlay bindings.

use std::collections::BTreeSet;

use domain::{
    Error, Noun, Result, Uidp,
    registry::{OverlayBinding, OverlayBindingSpec, OverlayBindingView},
};

use crate::{
    Reader,
    list::{Filter, ListQuery, Listed, Term},
    registry::{overlays, repos},
    rows,
    table::{self, Column, Columns, Declared, Entity, EventGroup, Values, WithParent, its_fields, text},
};

/// Which overlay bindings to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayBindingFilter {
    /// Only those of this overlay.
    pub overlay: Option<Uidp>,
}

impl Filter for OverlayBindingFilter {
    type Row = OverlayBinding;

    fn terms(&self) -> Vec<Term> {
        self.overlay.iter().map(|overlay| Term::few("overlay", overlay.as_str())).collect()
    }
}

/// What is declared of overlay bindings.
pub(crate) static DECLARED: Declared = Declared::new::<OverlayBinding>(
    "overlay_bindings",
    COLUMNS,
    &repos::DECLARED,
    WithParent::Goes(table::go_with::<OverlayBinding>),
)
.few()
.with_events_of(EventGroup::Organization);

const COLUMNS: &[Column] = &[text("overlay"), text("tags")];

impl Entity for OverlayBinding {
    const NOUN: Noun = Noun::OverlayBinding;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: OverlayBindingSpec { overlay: columns.uidp()?, tags: columns.json()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(&self.spec.overlay).json(&self.spec.tags)?;
        Ok(())
    }
}

/// The overlay binding with its overlay, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get_view(reader: &mut Reader, uid: &Uidp) -> Result<Option<OverlayBindingView>> {
    let Some(binding) = rows::get(reader, uid).await? else { return Ok(None) };
    Ok(views(reader, vec![binding]).await?.pop())
}

/// A page of overlay bindings with their overlays, each of which is read once.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list_views<F: Filter<Row = OverlayBinding>>(
    reader: &mut Reader,
    query: &ListQuery<F>,
) -> Result<Listed<OverlayBindingView>> {
    let Listed { items, next, total, skipped } = rows::list(reader, query).await?;
    Ok(Listed { items: views(reader, items).await?, next, total, skipped })
}

async fn views(reader: &mut Reader, bindings: Vec<OverlayBinding>) -> Result<Vec<OverlayBindingView>> {
    let overlays: BTreeSet<_> = bindings.iter().map(|binding| binding.spec.overlay.clone()).collect();
    let overlays = overlays::get_each(reader, &overlays).await?;
    let view = |binding: OverlayBinding| {
        let overlay = overlays.get(&binding.spec.overlay).cloned();
        let overlay = overlay.ok_or_else(|| Error::internal(format!("overlay binding {} has no overlay", binding.uid)))?;
        Ok(OverlayBindingView { binding, overlay })
    };
    bindings.into_iter().map(view).collect()
}
