//! Renewing a session: a refresh token in, an access token and the next refresh token out.

use domain::{Ctx, Error};

use super::{
    Exchange, ExchangeRequest, Granted,
    facts::Facts,
    lifetime_end,
    narrow::{Given, narrow},
    registrant::bearer,
    request::Wish,
};
use crate::token::Subject;

impl Exchange {
    /// A token of ours and the next refresh token for the refresh token that is the bearer token of the call. The access token is what that
    /// of the first exchange was, narrowed as the request says; the session stays as wide as it began (RFC 6749 section 6).
    ///
    /// # Errors
    /// Unauthenticated when the refresh token is none, altered or expired, was used before, or its session has ended; permission denied
    /// when the request goes beyond the session; invalid argument when it asks for what does not exist; unavailable when the storage cannot
    /// take the write, and then the refresh token works still.
    pub async fn refresh(&self, ctx: &Ctx, request: ExchangeRequest) -> Result<Granted, Error> {
        let mut facts = Facts::default();
        let outcome = self.renew(ctx, request, &mut facts).await;
        self.conclude(ctx, facts, outcome)
    }

    async fn renew(&self, ctx: &Ctx, request: ExchangeRequest, facts: &mut Facts) -> Result<Granted, Error> {
        let bearer = bearer(ctx, "renewing a session needs its refresh token as bearer token")?;
        facts.token(bearer);
        let wish = Wish::read(request, &self.settings)?;
        facts.wish(&wish);
        let token = self.sessions.read(bearer, ctx.now)?;
        (facts.keys_from, facts.session) = (Some("session"), Some(token.session.clone()));
        let session = self.sessions.find(&token, ctx.now).await?;
        facts.identity = Some(session.identity.to_string());
        let given = Given { audiences: session.audiences.clone(), narrowing: session.narrowing.clone() };
        let less = narrow(&session.identity, given, wish).map_err(|beyond| beyond.of("a session", "log in again for more"))?;
        let subject = Subject {
            identity: session.identity.clone(),
            relationship_revision: session.relationship_revision,
            audience: less.audiences,
            upstream: Some(session.upstream.clone()),
            email: session.email.clone(),
            narrowing: less.narrowing,
            expires_at: lifetime_end(&self.settings, ctx.now),
        };
        let granted = self.mint(ctx, subject, facts).await?;
        // Turned last: whoever is refused sends the same refresh token again whenever that may be, and whoever loses the answer soon.
        let refresh_token = self.sessions.renew(ctx, &token, &session).await?;
        Ok(Granted { refresh_token: Some(refresh_token), ..granted })
    }
}
