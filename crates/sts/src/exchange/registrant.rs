//! People with the token of a login provider: who they are, for the exchange and for who registers.

use domain::{
    Ctx, Error, Rule, Secret, Timestamp, Uidp,
    iam::{
        Identity,
        registration::{LoginProvider, Registrant, RegistrantEmail},
    },
};
use serde_json::Value;
use store::{iam::identity_providers, rows};

use super::{Exchange, facts::Facts, upstream::Judged};
use crate::{claims::audiences, jws::Unverified, sessions::Login, token::invalid};

/// Most audiences of a token that are looked for among the clients of organizations.
const AUDIENCES: usize = 16;

/// A person, as a verified token says.
pub(super) struct Person {
    pub(super) judged: Judged,
    /// The user that the person is, or would be.
    pub(super) uid: Uidp,
    pub(super) provider: LoginProvider,
    /// For whom tokens of the provider may be; the token is for one of them.
    pub(super) wanted: Vec<String>,
    /// Who vouches for the person, and for which of `wanted` the token is.
    pub(super) login: Login,
}

impl Person {
    /// For whom the token may be where the user's relationship does not say so. What organizations name decides nothing there: any of them
    /// may name any issuer.
    pub(super) fn default_audiences<'a>(&'a self, ours: &'a [String]) -> &'a [String] {
        match self.provider {
            LoginProvider::Configured => &self.wanted,
            LoginProvider::Organization => ours,
        }
    }
}

impl Exchange {
    /// Who the bearer token of the call is of, for who wants to register with it.
    ///
    /// # Errors
    /// Unauthenticated when the bearer token is none, altered or expired; permission denied when its issuer is no login provider, when it
    /// is for nobody here, and when the user whom it names does not accept it; unavailable when its issuer is down.
    pub async fn registrant(&self, ctx: &Ctx) -> Result<Registrant, Error> {
        let mut facts = Facts::default();
        let bearer = bearer(ctx, "registering needs the token of your login provider as bearer token")?;
        let token = Unverified::parse(bearer.expose()).map_err(invalid)?;
        if token.issuer() == self.settings.auth_url {
            let message = "registering needs the token of your login provider, not one of this server's";
            return Err(Error::denied(Rule::IssuerNotAllowed, message));
        }
        let person = self.person(ctx, token, "use the token of one that is", &mut facts).await?;
        let identity = rows::get::<Identity>(&mut self.store.reader().await?, &person.uid).await?;
        let mut known = None;
        if let Some(identity) = identity {
            let rule = self.compiled.whole(&identity).await?;
            let audiences = person.default_audiences(&self.default_audiences);
            self.accept(&identity, rule, &person.judged, audiences, &mut facts).await?;
            known = Some(identity.relationship_revision);
        }
        let Person { judged, provider, login, .. } = person;
        let claims = judged.claims();
        let seconds = |name: &str| claims.get(name).and_then(Value::as_i64).map(Timestamp::from_seconds);
        Ok(Registrant {
            subject: crate::claims::subject(claims).unwrap_or_default().to_owned(),
            audience: login.client,
            email: judged.address().map(|(address, is_verified)| RegistrantEmail { address, is_verified }),
            issued_at: seconds("iat").unwrap_or(ctx.now),
            expires_at: seconds("exp").unwrap_or(ctx.now),
            issuer: judged.into_issuer(),
            provider,
            known,
        })
    }

    /// Who a token is of, whose issuer must be a login provider of the server or of an organization: no other one is asked for keys. `advice` says what else
    /// there is to do.
    pub(super) async fn person(
        &self,
        ctx: &Ctx,
        token: Unverified<'_>,
        advice: &'static str,
        facts: &mut Facts,
    ) -> Result<Person, Error> {
        let configured = self.settings.providers.iter().find(|provider| provider.issuer == token.issuer());
        // The server's own providers are no secret. Which ones organizations have is theirs to tell: one answer and the same work.
        let is_asked =
            configured.is_some() || identity_providers::any_of(&mut self.store.reader().await?, token.issuer()).await?;
        let keys = if is_asked {
            let found = self.issuers.keys(&token, ctx.now).await?;
            facts.keys_from = Some(found.from);
            Some(found.keys)
        } else {
            None
        };
        let verified = self.verify(token, keys.as_deref(), facts).map_err(|error| {
            if configured.is_some() {
                return invalid(error);
            }
            let message = format!("none of this server's identity providers has signed the token; {advice}");
            Error::denied(Rule::IssuerNotAllowed, message)
        })?;
        let judged = self.judge(verified, ctx.now, facts)?;
        let (provider, wanted, vouching) = if let Some(provider) = configured {
            (LoginProvider::Configured, self.settings.audiences_of(provider), None)
        } else {
            let (mut reader, mut wanted, mut first) = (self.store.reader().await?, Vec::new(), None);
            for audience in audiences(judged.claims()).into_iter().take(AUDIENCES) {
                if let Some(uid) = identity_providers::vouching(&mut reader, judged.issuer(), audience).await? {
                    wanted.push(audience.to_owned());
                    first = first.or(Some(uid));
                }
            }
            (LoginProvider::Organization, wanted, first)
        };
        let uid = judged.user(&wanted).map_err(|mismatch| {
            facts.mismatch(&mismatch.0);
            let message = format!("the identity provider's token does not fit this server: {mismatch}");
            Error::denied(Rule::ClaimMismatch, message)
        })?;
        let client = audiences(judged.claims()).into_iter().find(|audience| wanted.iter().any(|wanted| wanted == audience));
        let login = Login { provider: vouching, client: client.unwrap_or_default().to_owned() };
        Ok(Person { judged, uid, provider, wanted, login })
    }
}

/// The bearer token of the call.
///
/// # Errors
/// Unauthenticated, saying what is needed, when there is none.
pub(super) fn bearer<'c>(ctx: &'c Ctx, needed: &'static str) -> Result<&'c Secret<String>, Error> {
    let bearer = ctx.bearer.as_ref().filter(|bearer| !bearer.expose().is_empty());
    bearer.ok_or_else(|| Error::unauthenticated(Rule::TokenMissing, needed))
}
