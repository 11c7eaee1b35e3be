//! The token exchange. What a request may ask for is judged by `sts`, because the answer is the same for every version.

use std::sync::Arc;

use contract::chainguard::platform::oidc::{ExchangeRefreshTokenRequest, ExchangeRequest as Wire, RawToken, TokenPair, rpc};
use domain::{Ctx, Error, Result, Secret, Timestamp};
use sts::{Exchange, ExchangeRequest, Granted};

use crate::{
    endpoint::{Endpoint, on},
    time,
};

/// The RPCs that trade tokens.
pub(crate) fn endpoints(exchange: &Exchange) -> Vec<Endpoint> {
    vec![on(rpc::Exchange, exchange, trade), on(rpc::ExchangeRefreshToken, exchange, renew)]
}

async fn trade(exchange: Arc<Exchange>, ctx: Arc<Ctx>, request: Wire) -> Result<RawToken> {
    refuse_rehearsal(&ctx)?;
    let Granted { token, refresh_token, .. } = exchange.exchange(&ctx, from_wire(request)).await?;
    let refresh_token = refresh_token.map(|refresh| refresh.token.expose().clone()).unwrap_or_default();
    Ok(RawToken { refresh_token, ..to_wire(&token.token, token.expires_at) })
}

async fn renew(exchange: Arc<Exchange>, ctx: Arc<Ctx>, request: ExchangeRefreshTokenRequest) -> Result<TokenPair> {
    refuse_rehearsal(&ctx)?;
    let Granted { token, refresh_token, .. } = exchange.refresh(&ctx, refresh_from_wire(request)).await?;
    Ok(TokenPair {
        token: Some(to_wire(&token.token, token.expires_at)),
        refresh_token: refresh_token.map(|refresh| to_wire(&refresh.token, refresh.expires_at)),
    })
}

/// The answer would be a token that works.
fn refuse_rehearsal(ctx: &Ctx) -> Result<()> {
    if ctx.validate_only {
        return Err(Error::field("x-provost-validate-only", "an exchange cannot be rehearsed; send it without this header"));
    }
    Ok(())
}

/// What a request asks for.
fn from_wire(request: Wire) -> ExchangeRequest {
    #[expect(deprecated, reason = "published clients send the first of the scopes here too")]
    let Wire { aud, scope, identity, cap, identity_provider, scopes } = request;
    ExchangeRequest { audiences: aud, identity, identity_provider, scopes, scope, capabilities: cap }
}

/// What the renewal of a session asks for.
fn refresh_from_wire(request: ExchangeRefreshTokenRequest) -> ExchangeRequest {
    #[expect(deprecated, reason = "published clients send the first of the scopes here too")]
    let ExchangeRefreshTokenRequest { aud, scope, cap, scopes } = request;
    ExchangeRequest { audiences: aud, scopes, scope, capabilities: cap, ..ExchangeRequest::default() }
}

/// A token for an answer, which is where it is meant to go.
fn to_wire(token: &Secret<String>, expires_at: Timestamp) -> RawToken {
    RawToken { token: token.expose().clone(), refresh_token: String::new(), expiry: Some(time::to_wire(expires_at)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wish_is_passed_on() {
        let text = str::to_owned;
        #[expect(deprecated, reason = "the field still counts")]
        let wire = Wire {
            aud: vec![text("aud")],
            scope: text("scope"),
            identity: text("identity"),
            cap: vec![text("cap")],
            identity_provider: text("provider"),
            scopes: vec![text("scopes")],
        };
        let expected = ExchangeRequest {
            audiences: vec![text("aud")],
            identity: text("identity"),
            identity_provider: text("provider"),
            scopes: vec![text("scopes")],
            scope: text("scope"),
            capabilities: vec![text("cap")],
        };
        assert_eq!(from_wire(wire), expected);
        #[expect(deprecated, reason = "the field still counts")]
        let renewal = ExchangeRefreshTokenRequest {
            aud: vec![text("aud")],
            scope: text("scope"),
            cap: vec![text("cap")],
            scopes: vec![text("scopes")],
        };
        let (identity, identity_provider) = (String::new(), String::new());
        assert_eq!(refresh_from_wire(renewal), ExchangeRequest { identity, identity_provider, ..expected });
    }

    #[test]
    fn the_answer_is_the_token_and_its_end() {
        let expiry = Some(prost_types::Timestamp { seconds: 7, nanos: 0 });
        let token = to_wire(&Secret::new("t".to_owned()), Timestamp::from_seconds(7));
        assert_eq!(token, RawToken { token: "t".into(), refresh_token: String::new(), expiry });
    }
}
