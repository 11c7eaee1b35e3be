//! The caller's token and the connection that uses it.

use std::{
    io::{IsTerminal, stderr},
    sync::atomic::{AtomicBool, Ordering},
};

use client::{Client, Code, Policy, Retry, Token};
use contract::chainguard::platform::oidc::{ExchangeRefreshTokenRequest, rpc::ExchangeRefreshToken};
use domain::{Clock, Entropy as _, Timestamp};
use server::{SystemClock, SystemEntropy, time};

use crate::{
    claims::Claims,
    env,
    exit::{Exit, Failure},
    global::Global,
    output::remark,
    plain::plain,
    token_cache::TokenCache,
};

/// How long before its end a token is renewed, as published clients do.
const EARLY_SECONDS: i64 = 60;

/// The API token: `PROVOST_TOKEN`, else the cached one of the audience, renewed when it ends and there is a session.
///
/// # Errors
/// Not logged in, or the login has expired; no server answers when the token has to be renewed.
pub(crate) async fn token(global: &Global) -> Result<Token, Failure> {
    if let Some(token) = env::token() {
        return Ok(token);
    }
    let (cache, now) = (TokenCache::of(&global.audience)?, SystemClock.now().seconds());
    let cached = cache.read()?;
    let end = cached.as_ref().and_then(Claims::read).map(|claims| claims.exp);
    let lasts = |seconds: i64| cached.is_some() && end.is_none_or(|end| end > now + seconds);
    if !lasts(EARLY_SECONDS)
        && let Some(refresh) = cache.read_refresh()?
    {
        match renew(global, &cache, &refresh).await {
            Ok(token) => return Ok(token),
            Err(failure) if !lasts(0) && failure.exit != Exit::NotLoggedIn => return Err(failure),
            // What is there does for a moment yet, or says what there is to do.
            Err(_) => {}
        }
    }
    let not_logged_in = |message: String| {
        Failure::new(Exit::NotLoggedIn, message)
            .hint("run `provost auth login --identity UID --identity-token FILE`, or set PROVOST_TOKEN")
    };
    match (cached, end) {
        (None, _) => Err(not_logged_in(format!("not logged in to {}", global.audience))),
        (Some(_), Some(end)) if end <= now => {
            let at = time::text(Timestamp::from_seconds(end));
            Err(not_logged_in(format!("the login to {} expired at {at}", global.audience)))
        }
        (Some(token), _) => Ok(token),
    }
}

/// Exchanges the refresh token, and keeps both that come back.
async fn renew(global: &Global, cache: &TokenCache, refresh: &Token) -> Result<Token, Failure> {
    let issuer = issuer(global, refresh.clone()).await?;
    let request = ExchangeRefreshTokenRequest { aud: vec![global.audience.clone()], ..ExchangeRefreshTokenRequest::default() };
    let answer = match issuer.call::<ExchangeRefreshToken>(request).await {
        Ok(answer) => answer,
        Err(error) => {
            // It will never work again, unless another run of the program has put its successor there meanwhile.
            if error.code() == Code::Unauthenticated && cache.read_refresh()?.as_ref() == Some(refresh) {
                cache.remove_refresh()?;
            }
            return Err(error.into());
        }
    };
    let token = Token::new(answer.token.unwrap_or_default().token);
    let next = answer.refresh_token.map(|next| Token::new(next.token));
    cache.write(&token, next.as_ref())?;
    Ok(token)
}

/// A connection to the API with the caller's token.
///
/// # Errors
/// Not logged in, or no server answers.
pub(crate) async fn connect(global: &Global) -> Result<Client, Failure> {
    let token = token(global).await?;
    api(global, token).await
}

/// A connection to the API with this token. What it writes is under the conditions of the command line.
///
/// # Errors
/// No server answers.
pub(crate) async fn api(global: &Global, token: Token) -> Result<Client, Failure> {
    let policy = Policy { retry: Some(retry(global)?), if_match: global.if_match.clone(), validate_only: global.dry_run };
    Ok(Client::connect_with(&global.api, Some(token), policy).await?)
}

/// A connection to the token issuer with the token that is to be exchanged.
///
/// # Errors
/// No server answers.
pub(crate) async fn issuer(global: &Global, token: Token) -> Result<Client, Failure> {
    let policy = Policy { retry: Some(retry(global)?), ..Policy::default() };
    Ok(Client::connect_with(&global.issuer, Some(token), policy).await?)
}

/// How calls of this run are made again.
fn retry(global: &Global) -> Result<Retry, Failure> {
    let mut seed = [0; 16];
    SystemEntropy::default().name(&mut seed)?;
    Ok(Retry::new(global.retry_for, seed).waiting_for_a_server(global.wait_for_server).noticing(notice))
}

/// Tells somebody at a terminal once that something has to be tried again.
fn notice(error: &client::Error) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if stderr().is_terminal() && !TOLD.swap(true, Ordering::Relaxed) {
        remark(&format!("{}; trying again", plain(error.message())));
    }
}
