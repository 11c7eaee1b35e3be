//! `provost auth login`

use std::path::Path;

use clap::Args;
use client::{Client, Code, Token};
use contract::chainguard::platform::oidc::{ExchangeRequest, rpc::Exchange};
use serde_json::json;

use crate::{
    claims::Claims,
    exit::{Exit, Failure},
    global::Global,
    input,
    output::{self, time},
    token_cache::TokenCache,
};

#[derive(Debug, Args)]
pub(crate) struct Login {
    /// The identity to act as; without it, the user that the identity token names
    #[arg(long, value_name = "UID")]
    identity: Option<String>,
    /// The token of your identity provider: a file that holds it, the token itself, or - for standard input
    #[arg(long, env = "PROVOST_IDENTITY_TOKEN", hide_env_values = true, value_name = "FILE|TOKEN")]
    identity_token: String,
    /// Keep only what the identity holds at or below these groups
    #[arg(long = "scope", value_name = "GROUP_UID", value_delimiter = ',')]
    scopes: Vec<String>,
    /// Keep only these capabilities
    #[arg(long, value_name = "CAPABILITY", value_delimiter = ',')]
    capabilities: Vec<String>,
}

impl Login {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let upstream = identity_token(&self.identity_token)?;
        let issuer = Client::connect(&global.issuer, Some(upstream)).await?;
        let targeted = self.identity.is_some();
        let request = ExchangeRequest {
            aud: vec![global.audience.clone()],
            identity: self.identity.unwrap_or_default(),
            scopes: self.scopes,
            cap: self.capabilities,
            ..ExchangeRequest::default()
        };
        let answer = issuer.call::<Exchange>(request).await.map_err(|error| refused(error, targeted))?;
        let token = Token::new(answer.token);
        let cache = TokenCache::of(&global.audience)?;
        let refresh = Some(Token::new(answer.refresh_token)).filter(|refresh| !refresh.expose().is_empty());
        cache.write(&token, refresh.as_ref())?;
        let identity = Claims::read(&token).map(|claims| claims.sub).unwrap_or_default();
        let told = json!({
            "identity": identity,
            "audience": global.audience,
            "expiry": time::wire(answer.expiry.as_ref()),
            "cached": cache.path(),
        });
        output::report(global.output, &identity, &told, None)
    }
}

/// The token that `text` is, or that lies in the file that it names.
pub(super) fn identity_token(text: &str) -> Result<Token, Failure> {
    let is_named = text == "-" || Path::new(text).is_file();
    let token = if is_named { Token::new(input::text("the identity token", text)?) } else { Token::new(text) };
    // No token is that short, so that a mistyped name of a file is not sent away.
    if !token.expose().is_empty() && token.expose().len() < 100 && token.expose().split('.').count() != 3 {
        return Err(Failure::usage(format!("there is no file {text}, and it is no token either")));
    }
    if token.expose().is_empty() {
        return Err(Failure::usage("the identity token is empty"));
    }
    Ok(token)
}

/// What to do when the exchange is refused.
fn refused(error: client::Error, targeted: bool) -> Failure {
    let code = error.code();
    let failure = Failure::from(error);
    match (code, targeted) {
        (Code::Unauthenticated, _) => {
            failure.hint("the identity token was not accepted: get a fresh one from your identity provider")
        }
        (Code::PermissionDenied, true) => {
            failure.hint("compare the claims of the identity token with `provost iam identities describe UID`")
        }
        (Code::PermissionDenied | Code::NotFound, false) => {
            Failure { exit: Exit::NotFound, ..failure }.hint("name the identity to act as with --identity UID")
        }
        _ => failure,
    }
}
