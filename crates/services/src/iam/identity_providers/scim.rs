//! SCIM tokens: by what an identity provider proves itself when it provisions users, and whether it may do so.

use domain::{
    Ctx, Error, Kind, Noun, Op, Result, Rule, Secret, Timestamp, Uidp, Violations,
    iam::{IdentityProvider, Scim, ScimTold, role::built_in_uid, scim},
};
use store::{Writer, iam::role_bindings, idempotency, rows};

use super::IdentityProviders;
use crate::nouns;

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;
/// How long a token lives where nobody says, and at most.
const LIFETIME: i64 = 365 * DAY;
const LIFETIME_MAX: i64 = 730 * DAY;
/// How long the token before it goes on working where nobody says, and at most.
const OVERLAP: i64 = HOUR;
const OVERLAP_MAX: i64 = DAY;
/// How many owners there must be whom SCIM cannot take away.
const OWNERS: u64 = 2;

/// Until when a token is to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Then; a year if nobody says.
    pub expires_at: Option<Timestamp>,
    /// For ever; then nobody says until when.
    pub never_expires: bool,
}

/// A token that was made just now.
#[derive(Debug)]
pub struct Made {
    /// The token, which is nowhere else; empty after a rehearsal, which makes none.
    pub token: Secret<String>,
    /// The state with its digest.
    pub scim: Scim,
    /// For how many milliseconds the token before it was to go on working.
    pub overlap: i64,
}

impl IdentityProviders {
    /// Makes the first token of an identity provider. Requests are not accepted until that is enabled.
    ///
    /// # Errors
    /// Not found; invalid argument for an end that is past or too late, or given twice; failed precondition when there was a token
    /// before; aborted when `If-Match` names another version.
    pub async fn generate_scim_token(&self, ctx: &Ctx, uid: &Uidp, lifetime: Lifetime) -> Result<Made> {
        let mut violations = Violations::default();
        let expires_at = lifetime.end(ctx.now, &mut violations);
        violations.check()?;
        let (token, digest) = new_token(ctx)?;
        let uid = uid.clone();
        let work = self.store.write(ctx, move |tx| {
            Box::pin(async move {
                let row = found(tx, &uid).await?;
                if row.scim.is_some() {
                    let description = "the identity provider had a SCIM token before; regenerate it";
                    return Err(Error::precondition(Rule::ScimTokenIssued, "SCIM_TOKEN_ISSUED", uid.as_str(), description));
                }
                let revision = tx.revision();
                let scim = Scim { enabled: false, token: digest, expires_at, previous: None, revoked_at: None, revision };
                save(tx, row, scim, None).await
            })
        });
        Ok(Made { scim: work.await?, token, overlap: 0 })
    }

    /// Replaces the token of an identity provider, of which the caller has seen the version `etag`. The one before it goes on working
    /// for `overlap` milliseconds, an hour if nobody says, unless it is dead already.
    ///
    /// # Errors
    /// Not found, also when there never was a token; invalid argument for a bad end or overlap; aborted when `etag` or `If-Match` names
    /// another version.
    pub async fn regenerate_scim_token(
        &self,
        ctx: &Ctx,
        uid: &Uidp,
        etag: String,
        lifetime: Lifetime,
        overlap: Option<i64>,
    ) -> Result<Made> {
        let overlap = overlap.unwrap_or(OVERLAP);
        let mut violations = Violations::default();
        let expires_at = lifetime.end(ctx.now, &mut violations);
        if !(0..=OVERLAP_MAX).contains(&overlap) {
            violations.add("overlap", "overlap must be 0 to 24 hours");
        }
        violations.check()?;
        let (token, digest) = new_token(ctx)?;
        let uid = uid.clone();
        let work = self.store.write(ctx, move |tx| {
            Box::pin(async move {
                let row = found(tx, &uid).await?;
                let before = of(&row)?;
                check_etag(tx.ctx(), before, &uid, &etag)?;
                let (now, revision) = (tx.now(), tx.revision());
                let scim = Scim {
                    enabled: before.enabled,
                    token: digest,
                    expires_at,
                    previous: before.replaced(now, overlap, expires_at),
                    revoked_at: None,
                    revision,
                };
                save(tx, row, scim, Some(overlap)).await
            })
        });
        Ok(Made { scim: work.await?, token, overlap })
    }

    /// Ends all tokens of an identity provider at once. Whether requests are accepted at all stays as it is. A second time changes
    /// nothing.
    ///
    /// # Errors
    /// Not found, also when there never was a token; aborted when `If-Match` names another version.
    pub async fn revoke_scim_token(&self, ctx: &Ctx, uid: &Uidp) -> Result<Scim> {
        let uid = uid.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let row = found(tx, &uid).await?;
                    let before = of(&row)?.clone();
                    if before.revoked_at.is_some() {
                        return Ok(before);
                    }
                    let (revoked_at, revision) = (Some(tx.now()), tx.revision());
                    save(tx, row, Scim { previous: None, revoked_at, revision, ..before }, None).await
                })
            })
            .await
    }

    /// Says whether requests are accepted, of whoever proves itself by a token. The same again changes nothing.
    ///
    /// # Errors
    /// Not found, also when there never was a token; failed precondition when fewer than two owners of the organization were appointed
    /// by hand: SCIM could take everybody else's access away; aborted when `etag` or `If-Match` names another version.
    pub async fn set_scim_enabled(&self, ctx: &Ctx, uid: &Uidp, enabled: bool, etag: String) -> Result<Scim> {
        let judged = enabled && self.may_be_enabled(ctx, uid, &etag).await?;
        let uid = uid.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let row = found(tx, &uid).await?;
                    let before = of(&row)?.clone();
                    check_etag(tx.ctx(), &before, &uid, &etag)?;
                    if before.enabled == enabled {
                        return Ok(before);
                    }
                    if enabled && !judged {
                        return Err(other_version(tx.ctx(), &before, &uid));
                    }
                    let revision = tx.revision();
                    save(tx, row, Scim { enabled, revision, ..before }, None).await
                })
            })
            .await
    }

    /// Whether there is something to enable, of that version, and owners enough. They are counted before the write: an organization may
    /// have many bindings, and who takes one away afterwards is not stopped either.
    async fn may_be_enabled(&self, ctx: &Ctx, uid: &Uidp, etag: &str) -> Result<bool> {
        let mut reader = self.store.reader().await?;
        idempotency::check_unclaimed(&mut reader, ctx).await?;
        let found = rows::get::<IdentityProvider>(&mut reader, uid).await?.and_then(|provider| provider.scim);
        if found.is_none_or(|scim| scim.enabled || check_etag(ctx, &scim, uid, etag).is_err()) {
            return Ok(false);
        }
        let organization = uid.parent().ok_or_else(|| nouns::not_found::<IdentityProvider>(uid))?;
        if role_bindings::holders(&mut reader, &organization, &built_in_uid("owner"), OWNERS).await? < OWNERS {
            let description =
                format!("SCIM could lock everybody out: bind {OWNERS} identities to the role owner at the organization first");
            return Err(Error::precondition(Rule::TooFewOwners, "TOO_FEW_OWNERS", organization.as_str(), description));
        }
        Ok(true)
    }

    /// The URL where an identity provider provisions users.
    #[must_use]
    pub fn scim_url(&self, uid: &Uidp) -> String {
        format!("{}/scim/v2/{uid}", self.needs.auth_url)
    }
}

impl Lifetime {
    fn end(self, now: Timestamp, violations: &mut Violations) -> Option<Timestamp> {
        const FIELD: &str = "expire_time";
        match self.expires_at {
            Some(_) if self.never_expires => violations.add(FIELD, "expire_time must be absent when never_expires is true"),
            Some(end) if end <= now => violations.add(FIELD, "expire_time must be in the future"),
            Some(end) if end.0 > now.0.saturating_add(LIFETIME_MAX) => {
                violations.add(FIELD, "expire_time must be at most 730 days from now");
            }
            _ => {}
        }
        if self.never_expires { None } else { Some(self.expires_at.unwrap_or(Timestamp(now.0.saturating_add(LIFETIME)))) }
    }
}

async fn found(tx: &mut Writer, uid: &Uidp) -> Result<IdentityProvider> {
    let row: IdentityProvider = nouns::get(tx, uid).await?;
    nouns::check(tx.ctx(), &row)?;
    Ok(row)
}

/// The state, where there is one.
fn of(row: &IdentityProvider) -> Result<&Scim> {
    let message = || format!("identity provider {} never had a SCIM token; generate one", row.uid);
    row.scim.as_ref().ok_or_else(|| Error::new(Kind::NotFound, Rule::NoSuchResource, message()))
}

fn check_etag(ctx: &Ctx, scim: &Scim, provider: &Uidp, etag: &str) -> Result<()> {
    let is_same = ctx.etag(scim.version(provider)).opaque() == etag;
    if is_same { Ok(()) } else { Err(other_version(ctx, scim, provider)) }
}

fn other_version(ctx: &Ctx, scim: &Scim, provider: &Uidp) -> Error {
    let etag = ctx.etag(scim.version(provider));
    let message = format!("the SCIM access has another version: its etag is {}; read it again and retry", etag.opaque());
    Error::new(Kind::Aborted, Rule::EtagMismatch, message)
}

/// Stores the state, and tells of it.
async fn save(tx: &mut Writer, row: IdentityProvider, scim: Scim, requested_overlap: Option<i64>) -> Result<Scim> {
    let wish = IdentityProvider { scim: Some(scim.clone()), ..row.clone() };
    let provider = rows::update(tx, &row, &wish).await?;
    let told = ScimTold { provider: &provider, requested_overlap };
    tx.announce(Noun::IdentityProvider, &provider.uid, Op::Updated, &told).await?;
    Ok(scim)
}

/// A new token, and its digest. A rehearsal shows none: it would never work.
fn new_token(ctx: &Ctx) -> Result<(Secret<String>, scim::ScimDigest)> {
    let random = Secret::new(ctx.entropy.bytes::<32>()?);
    let token = Secret::new(scim::token(random.expose()));
    let digest = scim::ScimDigest::of(token.expose());
    Ok((if ctx.validate_only { Secret::new(String::new()) } else { token }, digest))
}
