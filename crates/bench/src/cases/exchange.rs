//! The exchange of an identity provider's token for one of ours.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Ctx, Description, Name, Revision, Secret, Timestamp, Uidp,
    iam::{ClaimMatch, Identity, IdentitySpec, Matcher, Relationship},
};
use serde_json::json;
use store::rows;
use sts::{ExchangeRequest, jws::TokenAlgorithm};

use super::Pace;
use crate::{
    Result,
    measure::{Medians, in_turn, rate},
    reference::{crypto::Ceiling, provider::Providers},
    report::{Budget, Row},
    served::Server,
    world::spread,
};

/// The workload's subject.
const SUBJECT: &str = "repo:acme/api:ref:refs/heads/main";

/// Measures exchanges, one after the other, beside the cryptography that each of them needs. The server signs with `algorithm`.
pub(crate) async fn measure(server: &Server, algorithm: TokenAlgorithm, pace: Pace) -> Result<Medians> {
    let provider = Providers::serve().await?;
    let url = provider.url();
    let identity = workload(server, &url).await?;
    let token = token(server, &provider)?;
    let ceiling = Ceiling::new(provider.issuer(), &token, algorithm)?;
    let request = ExchangeRequest { identity: identity.to_string(), ..ExchangeRequest::default() };
    let (bearer, entropy) = (Secret::new(token), Arc::clone(&server.entropy));
    let exchange = async || {
        let ctx = Ctx::system("exchange", server.clock.now(), Arc::clone(&entropy));
        server.exchange.exchange(&Ctx { bearer: Some(bearer.clone()), ..ctx }, request.clone()).await?;
        Ok(())
    };
    let ours = async || rate(pace.slice, exchange).await;
    in_turn(pace.rounds, ours, async || rate(pace.slice, async || ceiling.once()).await).await
}

/// Exchanges of a server that signs with this, as the report shows them.
pub(crate) async fn row(server: &Server, algorithm: TokenAlgorithm, pace: Pace) -> Result<Row> {
    let name = match algorithm {
        TokenAlgorithm::Es256 => "exchange (tokens/s)",
        TokenAlgorithm::Rs256 => "exchange, RS256 (tokens/s)",
    };
    let measured = measure(server, algorithm, pace).await?;
    Ok(Row::beside(name, measured.ours, measured.reference, Budget::Ratio(0.6)))
}

/// Claims as those of a build.
fn token(server: &Server, provider: &Providers) -> Result<String> {
    let now = server.clock.now().seconds();
    provider.sign(&json!({
        "iss": provider.url(), "sub": SUBJECT, "aud": server.base_url, "iat": now, "nbf": now, "exp": now + 3600, "jti": "example-run-1",
        "repository": "acme/api", "ref": "refs/heads/main", "sha": "0123456789abcdef0123456789abcdef01234567",
        "workflow": "release", "run_id": "1234567890", "environment": "production",
    }))
}

/// An identity that accepts tokens of the provider at `url`.
async fn workload(server: &Server, url: &str) -> Result<Uidp> {
    let uid = server.organization.child(spread(u64::MAX).to_be_bytes());
    let relationship = Relationship::ClaimMatch(ClaimMatch {
        issuer: Matcher::Literal(url.to_owned()),
        subject: Matcher::Literal(SUBJECT.to_owned()),
        audience: None,
        claims: BTreeMap::from([("environment".to_owned(), "production".to_owned())]),
        claim_patterns: BTreeMap::new(),
    });
    let (name, description) = (Name::trusted("build"), Description::trusted(""));
    let ctx = server.ctx("fill");
    let identity = Identity {
        uid: uid.clone(),
        spec: IdentitySpec { name, description, company: String::new(), relationship },
        email: None,
        email_unverified: None,
        last_seen_at: Timestamp::default(),
        created_at: ctx.now,
        updated_at: ctx.now,
        relationship_revision: 1,
        revision: Revision::default(),
    };
    server.store.write(&ctx, move |tx| Box::pin(async move { rows::insert(tx, &identity).await })).await?;
    Ok(uid)
}
