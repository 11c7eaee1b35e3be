//! Tokens for those who run the server.

use std::{sync::Arc, time::Duration};

use domain::{Actor, Caller, Ctx, Error, Narrowing, Secret, Timestamp, Upstream, iam::identity::operator_uid};
use store::Store;

use crate::{
    Settings,
    token::{Subject, Tokens},
};

/// The `iss` of the users of the machine in `act`.
const OS_USERS: &str = "provost:os";
const MAX_USER: usize = 256;

/// Makes operator tokens.
#[derive(Clone, Debug)]
pub struct Operators {
    store: Store,
    tokens: Tokens,
    settings: Arc<Settings>,
}

impl Operators {
    /// Makes tokens with `tokens`, audited in `store`.
    #[must_use]
    pub fn new(store: Store, tokens: Tokens, settings: Arc<Settings>) -> Self {
        Self { store, tokens, settings }
    }

    /// A token of the operators' root identity for `os_user`, whom the audit log names with everything the token does.
    /// The token exists once its audit row is durable.
    ///
    /// # Errors
    /// Invalid argument when `ttl` is not between one second and the limit (an hour), or the user's name is not one line of
    /// at most 256 bytes.
    pub async fn operator_token(&self, ctx: &Ctx, ttl: Duration, os_user: &str) -> Result<Secret<String>, Error> {
        let limit = self.settings.limits.operator_token_lifetime;
        let seconds = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
        if seconds == 0 || ttl > limit {
            return Err(Error::field("ttl", format!("ttl must be between 1 s and {} s", limit.as_secs())));
        }
        let upstream = upstream(&self.settings, os_user)?;
        let audience = self.settings.base_url.clone();
        let subject = Subject {
            identity: operator_uid(),
            relationship_revision: 0,
            audience: vec![audience],
            upstream: Some(upstream.clone()),
            email: None,
            narrowing: Narrowing::default(),
            expires_at: ctx.now.plus_seconds(seconds),
        };
        let issued = self.tokens.mint(subject, ctx).await?;
        let ctx = acting(&self.settings, ctx, upstream, issued.token_id, issued.expires_at);
        self.store.write(&ctx, |_| Box::pin(async { Ok(()) })).await?;
        Ok(issued.token)
    }
}

/// The context of something that `os_user` does on the server's machine, without a token.
///
/// # Errors
/// Invalid argument when the user's name is not one line of at most 256 bytes.
pub fn at_the_machine(settings: &Settings, ctx: &Ctx, os_user: &str) -> Result<Ctx, Error> {
    Ok(acting(settings, ctx, upstream(settings, os_user)?, String::new(), ctx.now))
}

fn acting(settings: &Settings, ctx: &Ctx, upstream: Upstream, token_id: String, expires_at: Timestamp) -> Ctx {
    let caller = Caller {
        identity: operator_uid(),
        operator: true,
        issuer: settings.auth_url.clone(),
        audience: vec![settings.base_url.clone()],
        issued_at: ctx.now,
        expires_at,
        token_id,
        upstream: Some(upstream),
        email: None,
        narrowing: Narrowing::default(),
    };
    Ctx { actor: Actor::Caller(Arc::new(caller)), ..ctx.clone() }
}

fn upstream(settings: &Settings, os_user: &str) -> Result<Upstream, Error> {
    if os_user.is_empty() || os_user.len() > MAX_USER || os_user.chars().any(char::is_control) {
        return Err(Error::field("user", format!("user must be one line of 1 to {MAX_USER} bytes")));
    }
    Ok(Upstream::new(OS_USERS.to_owned(), os_user.to_owned(), settings.base_url.clone()))
}
