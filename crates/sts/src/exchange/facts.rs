//! The one event of each exchange: everything that became known, in one line, and no secret.

use aws_lc_rs::digest;
use domain::{Ctx, Error, Secret};

use super::{Granted, request::Wish};
use crate::{
    aws::Principal,
    jws::{JwsError, Unverified, Verified},
};

/// Longest text that is taken over from a token.
const MAX_TEXT: usize = 256;

/// What is known of an exchange so far.
#[derive(Debug, Default)]
pub(super) struct Facts {
    token_sha256: Option<String>,
    target: Option<String>,
    audiences: Option<String>,
    scopes: Option<usize>,
    capabilities: Option<String>,
    issuer: Option<String>,
    key_id: Option<String>,
    pub(super) keys_from: Option<&'static str>,
    algorithm: Option<&'static str>,
    subject: Option<String>,
    /// Why nobody has signed the token whom its identity accepts.
    unsigned: Option<String>,
    mismatch: Option<String>,
    pub(super) identity: Option<String>,
    /// The session that the exchange has begun or renewed.
    pub(super) session: Option<String>,
}

impl Facts {
    /// The token by its hash, which finds the exchange when its owner asks.
    pub(super) fn token(&mut self, token: &Secret<String>) {
        let hash = digest::digest(&digest::SHA256, token.expose().as_bytes());
        self.token_sha256 = Some(hex::encode(hash));
    }

    pub(super) fn wish(&mut self, wish: &Wish) {
        self.target = wish.identity.as_ref().map(ToString::to_string);
        self.audiences = wish.audiences.as_ref().map(|audiences| audiences.join(" "));
        self.scopes = wish.scopes.as_ref().map(Vec::len);
        self.capabilities = wish.capabilities.map(|capabilities| capabilities.names().join(" "));
    }

    pub(super) fn unverified(&mut self, token: &Unverified<'_>) {
        self.issuer = Some(shorten(token.issuer()));
        self.key_id = token.key_id().map(shorten);
    }

    pub(super) fn verified(&mut self, token: &Verified) {
        self.algorithm = Some(token.algorithm.as_str());
        self.subject = token.claims.get("sub").and_then(|subject| subject.as_str()).map(shorten);
    }

    /// Whom AWS has named.
    pub(super) fn principal(&mut self, principal: &Principal) {
        self.subject = Some(shorten(&principal.arn));
    }

    /// Who is asked, by the name that stands for an issuer.
    pub(super) fn asked(&mut self, issuer: &str) {
        self.issuer = Some(shorten(issuer));
    }

    /// Why the token's signature says nothing.
    pub(super) fn unsigned(&mut self, why: JwsError) {
        self.unsigned = Some(why.to_string());
    }

    pub(super) fn mismatch(&mut self, claim: &str) {
        self.mismatch = Some(shorten(claim));
    }

    /// Writes the event.
    pub(super) fn report(self, ctx: &Ctx, outcome: Result<&Granted, &Error>) {
        let issued = outcome.ok().map(|granted| &granted.token);
        let error = outcome.err();
        tracing::info!(
            target: "exchange",
            request_id = &*ctx.request_id,
            peer = ctx.peer.map(|peer| peer.to_string()),
            user_agent = ctx.user_agent.as_deref().map(shorten),
            token_sha256 = self.token_sha256,
            target_identity = self.target,
            wanted_audiences = self.audiences,
            wanted_scopes = self.scopes,
            wanted_capabilities = self.capabilities,
            issuer = self.issuer,
            key_id = self.key_id,
            keys_from = self.keys_from,
            algorithm = self.algorithm,
            subject = self.subject,
            unsigned = self.unsigned,
            mismatch = self.mismatch,
            identity = self.identity,
            session = self.session,
            token_id = issued.map(|issued| issued.token_id.as_str()),
            expires_at = issued.map(|issued| issued.expires_at.seconds()),
            outcome = error.map_or("OK", |error| error.rule().as_str()),
            error = error.map(ToString::to_string),
            "token exchange"
        );
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
