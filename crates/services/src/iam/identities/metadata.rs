//! What users tell about themselves.

use domain::{
    Ctx, Error, Kind, Noun, Op, Patch, Result, Rule, Uidp, Violations,
    iam::{Identity, IdentityMetadata, IdentityMetadataSpec, IdentitySpec},
};
use store::{Reader, Writer, idempotency, rows};

use super::Identities;
use crate::{texts, update::contended};

/// How often a change is tried while the user changes the same elsewhere.
const TRIES: usize = 3;
/// Most providers that a user may name.
const PROVIDERS: usize = 16;

/// What a user has told, and whether anything was ever told.
struct Known {
    user: Identity,
    metadata: IdentityMetadata,
    is_stored: bool,
}

impl Identities {
    /// Changes what the caller has told about themselves. The company becomes that of the user as well. The same values again change
    /// nothing. Answers it beside the user.
    ///
    /// # Errors
    /// Failed precondition for a caller that is no user; permission denied with a token that was narrowed: it was given away to do less;
    /// invalid argument for texts that are too long; aborted when `If-Match` names another version, and when the user changes it
    /// elsewhere all the time.
    pub async fn update_own_metadata(
        &self,
        ctx: &Ctx,
        patch: Patch<IdentityMetadataSpec>,
    ) -> Result<(Identity, IdentityMetadata)> {
        let uid = own(ctx)?;
        for _ in 0..TRIES {
            let known = {
                let mut reader = self.store.reader().await?;
                idempotency::check_unclaimed(&mut reader, ctx).await?;
                find(&mut reader, &uid).await?
            };
            ctx.check_match(&known.metadata)?;
            let wish = patch(&known.metadata.spec)?;
            check(&wish)?;
            let (uid, before) = (uid.clone(), known.metadata.spec);
            let written = self.store.write(ctx, move |tx| Box::pin(write(tx, uid, before, wish))).await;
            match written {
                Err(error) if error.rule() == Rule::Contended => {}
                outcome => return outcome,
            }
        }
        Err(contended::<Identity>(&uid))
    }
}

/// The user that the caller is, who need not exist.
fn own(ctx: &Ctx) -> Result<Uidp> {
    let caller = ctx.caller()?;
    if !caller.identity.is_root() || caller.operator {
        return Err(no_user());
    }
    if caller.narrowing != domain::Narrowing::default() {
        let message = "a token that was narrowed cannot change what its user has told; use one that was not";
        return Err(Error::denied(Rule::OwnAccountOnly, message));
    }
    Ok(caller.identity.clone())
}

fn no_user() -> Error {
    let message = "Precondition failed: only users tell about themselves; log in as one";
    Error::new(Kind::FailedPrecondition, Rule::NotAUser, message)
}

async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Known> {
    let user = rows::get::<Identity>(reader, uid).await?.ok_or_else(no_user)?;
    if let Some(mut metadata) = rows::get::<IdentityMetadata>(reader, uid).await? {
        // Others may have given the user another company.
        metadata.spec.company.clone_from(&user.spec.company);
        return Ok(Known { user, metadata, is_stored: true });
    }
    let Identity { created_at, updated_at, revision, .. } = user;
    let spec = IdentityMetadataSpec { company: user.spec.company.clone(), ..IdentityMetadataSpec::default() };
    let metadata = IdentityMetadata { uid: uid.clone(), spec, created_at, updated_at, revision };
    Ok(Known { user, metadata, is_stored: false })
}

/// Writes the wish, if what it was made from is still there.
async fn write(
    tx: &mut Writer,
    uid: Uidp,
    before: IdentityMetadataSpec,
    wish: IdentityMetadataSpec,
) -> Result<(Identity, IdentityMetadata)> {
    let Known { mut user, metadata: known, is_stored } = find(tx, &uid).await?;
    tx.ctx().check_match(&known)?;
    if known.spec != before {
        return Err(contended::<Identity>(&uid));
    }
    if known.spec == wish {
        return Ok((user, known));
    }
    if known.spec.company != wish.company {
        let spec = IdentitySpec { company: wish.company.clone(), ..user.spec.clone() };
        user = rows::update(tx, &user, &Identity { spec, ..user.clone() }).await?;
    }
    let (metadata, op) = if is_stored {
        (rows::update(tx, &known, &IdentityMetadata { spec: wish, ..known.clone() }).await?, Op::Updated)
    } else {
        let (created_at, updated_at) = (tx.now(), tx.now());
        let first = IdentityMetadata { spec: wish, created_at, updated_at, ..known };
        (rows::insert(tx, &first).await?, Op::Created)
    };
    tx.announce(Noun::IdentityMetadata, &uid, op, &metadata).await?;
    Ok((user, metadata))
}

fn check(wish: &IdentityMetadataSpec) -> Result<()> {
    let mut violations = Violations::default();
    for (field, text) in [
        ("company", &wish.company),
        ("product", &wish.product),
        ("job_title", &wish.job_title),
        ("utm_campaign", &wish.utm_campaign),
        ("utm_content", &wish.utm_content),
        ("utm_medium", &wish.utm_medium),
        ("utm_source", &wish.utm_source),
        ("utm_term", &wish.utm_term),
        ("hubspot_utk", &wish.hubspot_utk),
    ] {
        texts::optional(field, text, texts::SHORT, &mut violations);
    }
    for (field, text) in [
        ("latest_form_submit_url", &wish.latest_form_submit_url),
        ("latest_internal_referring_url", &wish.latest_internal_referring_url),
    ] {
        texts::optional(field, text, texts::LONG, &mut violations);
    }
    texts::each("providers", &wish.providers, PROVIDERS, &mut violations, |field, provider, violations| {
        texts::optional(field, provider, texts::SHORT, violations);
    });
    violations.check()
}
