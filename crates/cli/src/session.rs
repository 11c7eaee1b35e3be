//! The caller's token and the connection that uses it.

use client::{Client, Token};
use domain::{Clock, Timestamp};
use server::{SystemClock, time};

use crate::{
    claims::Claims,
    env,
    exit::{Exit, Failure},
    global::Global,
    token_cache::TokenCache,
};

/// The API token: `PROVOST_TOKEN`, else the cached one of the audience.
///
/// # Errors
/// Not logged in, or the login has expired.
pub(crate) fn token(global: &Global) -> Result<Token, Failure> {
    if let Some(token) = env::token() {
        return Ok(token);
    }
    let not_logged_in = |message: String| {
        Failure::new(Exit::NotLoggedIn, message)
            .hint("run `provost auth login --identity UID --identity-token FILE`, or set PROVOST_TOKEN")
    };
    let cached = TokenCache::of(&global.audience)?.read()?;
    let token = cached.ok_or_else(|| not_logged_in(format!("not logged in to {}", global.audience)))?;
    match Claims::read(&token) {
        Some(claims) if claims.exp <= SystemClock.now().seconds() => {
            let at = time::text(Timestamp::from_seconds(claims.exp));
            Err(not_logged_in(format!("the login to {} expired at {at}", global.audience)))
        }
        _ => Ok(token),
    }
}

/// A connection to the API with the caller's token.
///
/// # Errors
/// Not logged in, or no server answers.
pub(crate) async fn connect(global: &Global) -> Result<Client, Failure> {
    let token = token(global)?;
    Ok(Client::connect(&global.api, Some(token)).await?)
}
