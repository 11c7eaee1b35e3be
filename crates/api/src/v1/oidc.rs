//! The token exchange. What a request may ask for is judged by `sts`, because the answer is the same for every version.

use std::sync::Arc;

use contract::chainguard::platform::oidc::{ExchangeRequest as Wire, RawToken, rpc};
use domain::{Ctx, Error, Result};
use sts::{Exchange, ExchangeRequest, IssuedToken};

use crate::{
    endpoint::{Endpoint, on},
    time,
};

/// The RPCs that trade tokens. Trading refresh tokens is not among them as long as nobody can get one.
pub(crate) fn endpoints(exchange: &Exchange) -> Vec<Endpoint> {
    vec![on(rpc::Exchange, exchange, trade)]
}

async fn trade(exchange: Arc<Exchange>, ctx: Arc<Ctx>, request: Wire) -> Result<RawToken> {
    // Its answer would be a token that works.
    if ctx.validate_only {
        return Err(Error::field("x-provost-validate-only", "an exchange cannot be rehearsed; send it without this header"));
    }
    Ok(to_wire(&exchange.exchange(&ctx, from_wire(request)).await?))
}

/// What a request asks for.
fn from_wire(request: Wire) -> ExchangeRequest {
    #[expect(deprecated, reason = "published clients send the first of the scopes here too")]
    let Wire { aud, scope, identity, cap, identity_provider, scopes } = request;
    ExchangeRequest { audiences: aud, identity, identity_provider, scopes, scope, capabilities: cap }
}

/// A token for an answer.
fn to_wire(issued: &IssuedToken) -> RawToken {
    RawToken {
        // The answer is where the token is meant to go.
        token: issued.token.expose().clone(),
        refresh_token: String::new(),
        expiry: Some(time::to_wire(issued.expires_at)),
    }
}

#[cfg(test)]
mod tests {
    use domain::{Secret, Timestamp};

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
    }

    #[test]
    fn the_answer_is_the_token_and_its_end() {
        let issued =
            IssuedToken { token: Secret::new("t".to_owned()), expires_at: Timestamp::from_seconds(7), token_id: "id".to_owned() };
        let expiry = Some(prost_types::Timestamp { seconds: 7, nanos: 0 });
        assert_eq!(to_wire(&issued), RawToken { token: "t".into(), refresh_token: String::new(), expiry });
    }
}
