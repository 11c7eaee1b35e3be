//! The exchange of an identity provider's token for one of ours.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use domain::{
    Ctx, Description, Name, Revision, Secret, Timestamp, Uidp,
    iam::{ClaimMatch, Identity, IdentitySpec, Matcher, Relationship},
};
use serde_json::json;
use store::iam::identities;
use sts::ExchangeRequest;

use super::Pace;
use crate::{
    Result,
    host::Server,
    measure::{in_turn, rate},
    reference::{
        self, Serving,
        crypto::{Ceiling, Issuer},
    },
    report::{Budget, Row},
    world::spread,
};

/// The workload's subject.
const SUBJECT: &str = "repo:acme/api:ref:refs/heads/main";

/// Measures exchanges, one after the other, beside the cryptography that each of them needs.
pub(crate) async fn measure(server: &Server, pace: Pace) -> Result<Row> {
    let issuer = Issuer::new()?;
    let provider = provider(&issuer).await?;
    let url = format!("http://{}", provider.address);
    let identity = workload(server, &url).await?;
    let token = token(server, &issuer, &url)?;
    let ceiling = Ceiling::new(&issuer, &token)?;
    let request = ExchangeRequest { identity: identity.to_string(), ..ExchangeRequest::default() };
    let (bearer, entropy) = (Secret::new(token), Arc::clone(&server.entropy));
    let exchange = async || {
        let ctx = Ctx::system("exchange", server.clock.now(), Arc::clone(&entropy));
        server.exchange.exchange(&Ctx { bearer: Some(bearer.clone()), ..ctx }, request.clone()).await?;
        Ok(())
    };
    let ours = async || rate(pace.slice, exchange).await;
    let medians = in_turn(pace.rounds, ours, async || rate(pace.slice, async || ceiling.once()).await).await?;
    Ok(Row::beside("exchange (tokens/s)", medians.ours, medians.reference, Budget::Ratio(0.6)))
}

/// An identity provider: its discovery document and its keys.
async fn provider(issuer: &Issuer) -> Result<Serving> {
    let keys = Bytes::from(issuer.keys().to_string());
    // Its address is known only once it listens, and the document has to name it.
    let address = Arc::new(std::sync::OnceLock::<String>::new());
    let named = Arc::clone(&address);
    let serving = reference::http::serve(move |path| {
        if path == "/keys" {
            return keys.clone();
        }
        let url = named.get().cloned().unwrap_or_default();
        json!({"issuer": url, "jwks_uri": format!("{url}/keys")}).to_string().into()
    })
    .await?;
    address.get_or_init(|| format!("http://{}", serving.address));
    Ok(serving)
}

/// Claims as those of a build.
fn token(server: &Server, issuer: &Issuer, url: &str) -> Result<String> {
    let now = server.clock.now().seconds();
    issuer.sign(&json!({
        "iss": url, "sub": SUBJECT, "aud": server.base_url, "iat": now, "nbf": now, "exp": now + 3600, "jti": "example-run-1",
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
    server.store.write(&ctx, move |tx| Box::pin(async move { identities::insert(tx, &identity).await })).await?;
    Ok(uid)
}
