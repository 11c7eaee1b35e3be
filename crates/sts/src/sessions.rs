//! Sessions of users: who has logged in goes on by refresh tokens, each of which works once (RFC 9700 section 4.14.2).
//!
//! A session keeps what its first exchange has found out about the user, and no rights: these are looked up at every request, as for every
//! token.

mod refresh_token;

use std::{sync::Arc, time::Duration};

use domain::{Ctx, Error, Rule, Secret, Timestamp, Uidp};
use prometheus_client::{metrics::counter::Counter, registry::Registry};
use store::{
    Store,
    iam::identity_providers,
    sessions::{self as rows, Room, Session, Turn, Turned},
};
use tokio::time::timeout;

pub(crate) use self::refresh_token::RefreshToken;
use self::refresh_token::RefreshTokens;
use crate::{
    Settings,
    keys::RootKey,
    token::{IssuedToken, Subject},
};

/// How long a refresh token that was replaced is taken once more: its sender may not have seen the answer, and several programs of one
/// user share what is on the disk.
const GRACE_SECONDS: i64 = 60;
/// How long a login waits for its session. Without one it has its access token all the same.
const START: Duration = Duration::from_secs(2);

/// Begins sessions and renews them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sessions {
    store: Store,
    tokens: RefreshTokens,
    settings: Arc<Settings>,
    not_started: Counter,
}

/// A refresh token that we made.
#[derive(Clone, Debug)]
pub struct IssuedRefreshToken {
    /// The token.
    pub token: Secret<String>,
    /// Its `exp`.
    pub expires_at: Timestamp,
}

/// Who has vouched for a user who logs in.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    /// The identity provider; `None` when it is one of the settings.
    pub(crate) provider: Option<Uidp>,
    /// For which of its clients the token was.
    pub(crate) client: String,
}

impl Sessions {
    /// Sessions in `store`, whose tokens follow from `root`.
    ///
    /// # Errors
    /// Internal when no key can be derived.
    pub fn new(store: Store, root: &RootKey, settings: Arc<Settings>) -> Result<Self, Error> {
        Ok(Self { store, tokens: RefreshTokens::new(root)?, settings, not_started: Counter::default() })
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Logins that got no refresh token because their session could not be written in time";
        registry.register("sessions_not_started", help, self.not_started.clone());
    }

    /// Begins the session of a user who has logged in with that token; answers its first refresh token. None where nobody gets one, or the
    /// session cannot be written: a database that takes no write keeps nobody from working for an hour.
    pub(crate) async fn start(
        &self,
        ctx: &Ctx,
        issued: &IssuedToken,
        subject: Subject,
        login: Login,
    ) -> Option<IssuedRefreshToken> {
        if self.settings.limits.sessions_per_user == 0 {
            return None;
        }
        let started = match timeout(START, self.begin(ctx, issued, subject, login)).await {
            Ok(started) => started,
            Err(late) => {
                Err(Error::new(domain::Kind::Unavailable, Rule::Unavailable, "the database takes too long").because(late))
            }
        };
        if let Err(error) = &started {
            self.not_started.inc();
            tracing::warn!(?error, request_id = &*ctx.request_id, "a login gets no refresh token");
        }
        started.ok()
    }

    async fn begin(&self, ctx: &Ctx, issued: &IssuedToken, subject: Subject, login: Login) -> Result<IssuedRefreshToken, Error> {
        let limits = &self.settings.limits;
        let secret = self.tokens.first(&issued.token_id)?;
        let upstream = subject.upstream.ok_or_else(|| Error::internal("a login without a token of its provider"))?;
        let mut session = Session {
            uid: issued.token_id.clone(),
            identity: subject.identity,
            relationship_revision: subject.relationship_revision,
            provider: login.provider,
            client: login.client,
            upstream,
            email: subject.email,
            audiences: subject.audience,
            narrowing: subject.narrowing,
            digest: Default::default(),
            created_at: ctx.now,
            used_at: ctx.now,
        };
        session.digest = self.tokens.digest(&session, &secret)?;
        let (uid, expires_at) = (session.uid.clone(), self.end(&session, ctx.now));
        let used_since = ctx.now.plus_seconds(-seconds(limits.session_idle));
        self.store.start_session(ctx, session, Room { per_user: limits.sessions_per_user, used_since }).await?;
        self.issue(&RefreshToken { session: uid, expires_at, secret })
    }

    /// The refresh token that the bearer token is. Nothing is read for that.
    ///
    /// # Errors
    /// Unauthenticated when it is none of this server's, or its time is over.
    pub(crate) fn read(&self, bearer: &Secret<String>, now: Timestamp) -> Result<RefreshToken, Error> {
        let token = self.tokens.read(bearer.expose()).ok_or_else(|| {
            let message = "the bearer token is no refresh token of this server; log in again";
            Error::unauthenticated(Rule::TokenInvalid, message)
        })?;
        if now >= token.expires_at { Err(expired()) } else { Ok(token) }
    }

    /// The session of a refresh token.
    ///
    /// # Errors
    /// Unauthenticated when it has ended, or who vouched for the user does so no more; unavailable when that cannot be found out.
    pub(crate) async fn find(&self, token: &RefreshToken, now: Timestamp) -> Result<Session, Error> {
        let mut reader = self.store.reader().await?;
        let session = rows::get(&mut reader, &token.session).await?.ok_or_else(ended)?;
        if self.settings.limits.sessions_per_user == 0 {
            return Err(ended());
        }
        if now >= self.end(&session, session.used_at) {
            return Err(expired());
        }
        let issuer = &session.upstream.iss;
        let vouches = match &session.provider {
            None => self.settings.logs_in(issuer, &session.client),
            Some(provider) => identity_providers::still_vouches(&mut reader, provider, issuer, &session.client).await?,
        };
        if vouches {
            return Ok(session);
        }
        let message = "the login provider that has begun the session is not one of this server's any more; log in again";
        Err(Error::unauthenticated(Rule::TokenRevoked, message))
    }

    /// Puts a successor in the place of a refresh token.
    ///
    /// # Errors
    /// Unauthenticated when the token was used before, which ends its session, or the session has ended; resource exhausted and unavailable
    /// when the storage cannot take the write: then the token works still.
    pub(crate) async fn renew(&self, ctx: &Ctx, token: &RefreshToken, session: &Session) -> Result<IssuedRefreshToken, Error> {
        let secret = self.tokens.next(token)?;
        let turn = Turn {
            presented: self.tokens.digest(session, &token.secret)?,
            next: self.tokens.digest(session, &secret)?,
            forgiven_since: ctx.now.plus_seconds(-GRACE_SECONDS),
        };
        match self.store.turn_session(ctx, session, turn).await? {
            Turned::Next(used_at) => {
                let expires_at = self.end(session, used_at);
                self.issue(&RefreshToken { session: session.uid.clone(), expires_at, secret })
            }
            Turned::Reused => {
                let message =
                    "the refresh token was used before, so somebody else may have it, and its session has ended; log in again";
                Err(Error::unauthenticated(Rule::RefreshTokenReused, message))
            }
            Turned::Gone => Err(ended()),
        }
    }

    fn issue(&self, token: &RefreshToken) -> Result<IssuedRefreshToken, Error> {
        Ok(IssuedRefreshToken { token: self.tokens.write(token)?, expires_at: token.expires_at })
    }

    /// When a session that was last used then ends, in whole seconds. The settings of now count, whenever it began.
    fn end(&self, session: &Session, used_at: Timestamp) -> Timestamp {
        let limits = &self.settings.limits;
        let end = session.created_at.plus_seconds(seconds(limits.session_lifetime));
        Timestamp::from_seconds(end.min(used_at.plus_seconds(seconds(limits.session_idle))).seconds())
    }
}

fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

fn expired() -> Error {
    Error::unauthenticated(Rule::TokenExpired, "the refresh token has expired; log in again")
}

fn ended() -> Error {
    Error::unauthenticated(Rule::TokenRevoked, "the session of the refresh token has ended; log in again")
}
