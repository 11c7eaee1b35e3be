//! What holds for synced repositories.

use domain::{
    Ctx, Error, Result, Uidp, Violations,
    registry::{CatalogTier, Readme, Repo, RepoSpec, SyncConfig},
};
use store::Reader;

use super::inherit::{CHAIN_MAX, Link, Sources, copy};
use crate::{grants::require, texts};

/// When filling stops, counted from when the repository was first synced.
const EXPIRY_SECONDS: i64 = 14 * 24 * 60 * 60;

/// Judges the sync settings of a wish and completes them: what only the server sets keeps its value, and what is
/// inherited comes from the source. `before` is the repository as its callers saw it; `None` when it is new. Answers who has made it
/// follow its source, if it does.
///
/// # Errors
/// Invalid argument for a source that does not exist or that the caller may not read (one answer for both), that is the
/// repository itself or follows it, and for a change of what is inherited.
pub(super) async fn settle(
    ctx: &Ctx,
    reader: &mut Reader,
    uid: &Uidp,
    before: Option<&Repo>,
    wish: &mut RepoSpec,
) -> Result<Option<Uidp>> {
    let Some(mut sync) = wish.sync_config.take() else { return Ok(None) };
    let known = before.and_then(|before| before.spec.sync_config.as_ref());
    let mut violations = Violations::default();
    for (field, value) in [("google", &sync.google), ("amazon", &sync.amazon), ("azure", &sync.azure)] {
        texts::optional(&format!("sync_config.{field}"), value, texts::LONG, &mut violations);
    }
    violations.check()?;

    let mut sources = Sources::default();
    let by = if known.is_none_or(|known| known.source != sync.source) {
        check_source(ctx, reader, &mut sources, uid, &sync.source).await?;
        ctx.caller().ok().map(|caller| caller.identity.clone())
    } else {
        before.and_then(|before| before.synced_by.clone())
    };
    let (unique_tags, expires_at, apko_overlay, grace_period) = match known {
        Some(known) => (known.unique_tags, known.expires_at, known.apko_overlay.clone(), known.grace_period),
        None => (false, ctx.now.plus_seconds(EXPIRY_SECONDS), String::new(), false),
    };
    sync = SyncConfig { unique_tags, expires_at, apko_overlay, grace_period, ..sync };

    let link = Link { copy: uid.clone(), source: sync.source.clone(), by };
    if let Some(source) = sources.shown_by(reader, &link).await? {
        check_inherited(before.map(|before| &before.spec), &source.spec, wish)?;
        let own_description = wish.description.clone();
        copy(&source.spec, wish);
        wish.description = own_description;
    }
    wish.sync_config = Some(sync);
    Ok(link.by)
}

/// The source exists, the caller may read it, and following it never leads back to `uid`.
async fn check_source(ctx: &Ctx, reader: &mut Reader, sources: &mut Sources, uid: &Uidp, source: &Uidp) -> Result<()> {
    let refuse = |description: &str| Err(Error::field("sync_config.source", description));
    let readable = require(ctx, "repo.list", source).is_ok();
    if !readable || sources.get(reader, source).await?.is_none() {
        return refuse(UNKNOWN_SOURCE);
    }
    let mut next = Some(source.clone());
    for _ in 0..CHAIN_MAX {
        let Some(at) = next.take() else { return Ok(()) };
        if at == *uid {
            return refuse("source must not be the repo itself or one that follows it");
        }
        let followed = sources.get(reader, &at).await?;
        next = followed.and_then(|repo| repo.spec.sync_config.as_ref()).map(|sync| sync.source.clone());
    }
    if next.is_some() { refuse("source follows too many others; name the one that they lead to") } else { Ok(()) }
}

/// What callers read when a source is not there for them.
pub(super) const UNKNOWN_SOURCE: &str = "source must name a repo that exists and that you may read";

/// What is inherited may be left as it was, or be restated as the source has it.
fn check_inherited(before: Option<&RepoSpec>, source: &RepoSpec, wish: &RepoSpec) -> Result<()> {
    let mut violations = Violations::default();
    let mut judge = |field: &str, kept: bool| {
        if !kept {
            violations.add(field, format!("{field} is inherited from the source of a synced repo and cannot be set"));
        }
    };
    let tier = before.map_or(CatalogTier::Unspecified, |before| before.catalog_tier);
    judge("catalog_tier", wish.catalog_tier == tier || wish.catalog_tier == source.catalog_tier);
    let kept = |list: fn(&RepoSpec) -> &Vec<String>| match before {
        Some(before) if list(wish) == list(before) => true,
        None if list(wish).is_empty() => true,
        _ => list(wish) == list(source),
    };
    judge("bundles", kept(|spec| &spec.bundles));
    judge("aliases", kept(|spec| &spec.aliases));
    judge("active_tags", kept(|spec| &spec.active_tags));
    let readme = before.map_or_else(Readme::default, |before| before.readme.clone());
    judge("readme", wish.readme == readme || wish.readme == source.readme);
    violations.check()
}
