//! Binding overlays.

use std::collections::HashSet;

use domain::{
    Ctx, Error, ListRequest, Noun, Op, Result, Uidp, UidpFilter, Violations,
    registry::{Overlay, OverlayBinding, OverlayBindingSpec, OverlayBindingView, TagName},
};
use store::{ListQuery, Reader, registry::overlays::OverlayFilter, rows};

use super::OverlayBindings;
use crate::{
    grants::{named, require},
    iam::placed::child_of,
    nouns, texts,
};

/// Most tags of a binding.
const TAGS: usize = 100;
/// What reading an overlay takes.
const LIST: &str = "registry.overlays.list";

impl OverlayBindings {
    /// Binds an overlay, by its identifier or by its name, to tags of the repository `parent`.
    ///
    /// # Errors
    /// Invalid argument without a tag, for the same tag twice, and for an overlay that the repository's organization does not have or
    /// that the caller may not read (one answer for both), or a name that several have; not found when there is no such repository;
    /// failed precondition when it has as many bindings as it may have.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, overlay: &str, tags: Vec<TagName>) -> Result<OverlayBindingView> {
        check_tags(&tags)?;
        let mut reader = self.store.reader().await?;
        let overlay = find(ctx, &mut reader, parent, overlay).await?;
        drop(reader);
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let overlay = rows::get::<Overlay>(tx, &overlay).await?.ok_or_else(unknown)?;
                    nouns::check_room::<OverlayBinding>(tx, &parent).await?;
                    let spec = OverlayBindingSpec { overlay: overlay.uid.clone(), tags };
                    let uid = child_of(&call, &parent)?;
                    let binding =
                        OverlayBinding { uid, spec, created_at: call.now, updated_at: call.now, revision: tx.revision() };
                    let binding = rows::insert(tx, &binding).await?;
                    let view = OverlayBindingView { binding, overlay };
                    tx.announce(Noun::OverlayBinding, &view.binding.uid, Op::Created, &view).await?;
                    Ok(view)
                })
            })
            .await
    }
}

fn check_tags(tags: &[TagName]) -> Result<()> {
    let mut violations = Violations::default();
    if tags.is_empty() {
        violations.add("tags", "tags must have at least one entry");
    }
    let mut seen = HashSet::new();
    texts::each("tags", tags, TAGS, &mut violations, |field, tag, violations| {
        if !seen.insert(tag.as_str().to_owned()) {
            violations.add(field, "tags must not name the same tag twice");
        }
    });
    violations.check()
}

/// The overlay that is meant, among those that the caller may read in the organization of the repository.
async fn find(ctx: &Ctx, reader: &mut Reader, repo: &Uidp, overlay: &str) -> Result<Uidp> {
    if let Ok(uid) = overlay.parse::<Uidp>() {
        let is_readable = uid.root_text() == repo.root_text() && require(ctx, LIST, &uid).is_ok();
        let found = if is_readable { rows::get::<Overlay>(reader, &uid).await? } else { None };
        return found.map(|Overlay { uid, .. }| uid).ok_or_else(unknown);
    }
    let part = UidpFilter { descendants_of: Some(repo.root_text().parse().map_err(Error::internal)?), ..UidpFilter::default() };
    let request = ListRequest { page_size: 2, ..ListRequest::first(part) };
    let needed = [named(LIST)?].into_iter().collect();
    let filter = OverlayFilter { name: Some(overlay.to_owned()) };
    let query = ListQuery::new(ctx.grants.scopes(&needed), &request, None, filter);
    let mut found = rows::list(reader, &query).await?.items.into_iter();
    match (found.next(), found.next()) {
        (Some(overlay), None) => Ok(overlay.uid),
        (None, _) => Err(unknown()),
        (Some(_), Some(_)) => {
            Err(Error::field("overlay", "overlay is the name of several overlays; use the UIDP of the one you mean"))
        }
    }
}

fn unknown() -> Error {
    Error::field("overlay", "overlay must name an overlay of the repo's organization that you may read")
}
