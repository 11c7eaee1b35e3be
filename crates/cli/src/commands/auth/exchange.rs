//! `provost auth exchange`, and what it has in common with a login.

use std::path::Path;

use clap::Args;
use client::{Client, Code, Token};
use contract::chainguard::platform::oidc::{self, ExchangeRequest};
use domain::Uidp;
use serde_json::json;

use crate::{
    claims::Claims,
    exit::{Exit, Failure},
    global::Global,
    input,
    output::{self, Format, time},
    resolve::{self, Kind},
    session,
};

/// Whose token it is, and what it is for.
#[derive(Debug, Args)]
pub(crate) struct Exchange {
    /// The identity to act as; without it, the user that the identity token names
    #[arg(long, value_name = "UID")]
    identity: Option<String>,
    /// The token of your identity provider: a file that holds it, the token itself, or - for standard input
    #[arg(long, env = "PROVOST_IDENTITY_TOKEN", hide_env_values = true, value_name = "FILE|TOKEN")]
    identity_token: String,
    /// Keep only what the identity holds at or below these groups, by name, path or UID
    #[arg(long = "scope", value_name = "GROUP,…", value_delimiter = ',')]
    scopes: Vec<String>,
    /// Keep only these capabilities
    #[arg(long, value_name = "CAPABILITY,…", value_delimiter = ',')]
    capabilities: Vec<String>,
}

/// What an exchange gave.
pub(super) struct Exchanged {
    pub(super) token: Token,
    /// Only sessions of users have one.
    pub(super) refresh: Option<Token>,
    /// The UID of the identity that the token is for.
    pub(super) identity: String,
    /// When the token stops being accepted.
    pub(super) expiry: Option<String>,
}

impl Exchange {
    /// Prints the token, and keeps nothing.
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let Exchanged { token, identity, expiry, .. } = self.exchange(global).await?;
        if global.output != Format::Json {
            return output::text(token.expose());
        }
        let told = json!({ "identity": identity, "audience": global.audience, "expiry": expiry, "token": token.expose() });
        output::report(global.output, &identity, &told, None)
    }

    /// Exchanges the identity token.
    ///
    /// # Errors
    /// What is wrong with the token, and with the scopes; what the issuer refuses.
    pub(super) async fn exchange(self, global: &Global) -> Result<Exchanged, Failure> {
        let issuer = session::issuer(global, identity_token(&self.identity_token)?).await?;
        let identity = self.identity.unwrap_or_default();
        let request = ExchangeRequest {
            aud: vec![global.audience.clone()],
            scopes: scopes(global, &issuer, &identity, self.scopes).await?,
            identity,
            cap: self.capabilities,
            ..ExchangeRequest::default()
        };
        let answer = send(&issuer, request).await?;
        let token = Token::new(answer.token);
        Ok(Exchanged {
            identity: Claims::read(&token).map(|claims| claims.sub).unwrap_or_default(),
            refresh: Some(Token::new(answer.refresh_token)).filter(|refresh| !refresh.expose().is_empty()),
            expiry: time::wire(answer.expiry.as_ref()),
            token,
        })
    }
}

/// The UIDs of the groups that are named. Names are looked up with a token that can do nothing else.
async fn scopes(global: &Global, issuer: &Client, identity: &str, given: Vec<String>) -> Result<Vec<String>, Failure> {
    if given.iter().all(|scope| scope.parse::<Uidp>().is_ok()) {
        return Ok(given);
    }
    let request = ExchangeRequest {
        aud: vec![global.audience.clone(), global.api.clone()],
        identity: identity.to_owned(),
        cap: vec!["groups.list".to_owned()],
        ..ExchangeRequest::default()
    };
    let answer = send(issuer, request).await?;
    let api = session::api(global, Token::new(answer.token)).await?;
    let mut uids = Vec::new();
    for scope in given {
        uids.push(resolve::uid(global, &api, Kind::Group, Some(scope)).await?);
    }
    Ok(uids)
}

/// Makes the exchange, and says what to do when it is refused.
async fn send(issuer: &Client, request: ExchangeRequest) -> Result<oidc::RawToken, Failure> {
    let targeted = !request.identity.is_empty();
    issuer.call::<oidc::rpc::Exchange>(request).await.map_err(|error| refused(error, targeted))
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
