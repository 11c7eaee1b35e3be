//! The development identity provider: an OpenID Connect issuer that signs whatever it is asked to.
//!
//! It is mounted in dev mode alone, on a loopback address, and answers only to requests that are addressed to that: a page
//! in a browser that makes a name point here is refused by the name it uses. Its key is made at every start and never
//! stored, so its tokens end with the process.

mod answer;
mod guard;
mod mint;
mod signer;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State},
    middleware,
    response::Response,
    routing::{get, post},
};
use domain::{Clock, Entropy, Error, Kind, Rule};
use serde_json::{Value, json};

use self::{guard::Guard, signer::Signer};

/// The path below which the provider answers.
pub const PATH: &str = "/dev/idp";

/// Largest body that `mint` reads in bytes.
pub const MAX_BODY: usize = 64 * 1024;

const DISCOVERY: &str = "/dev/idp/.well-known/openid-configuration";
const JWKS: &str = "/dev/idp/jwks";
const MINT: &str = "/dev/idp/mint";

/// The development identity provider. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DevIdp(Arc<Provider>);

#[derive(Debug)]
struct Provider {
    origin: String,
    guard: Guard,
    signer: Signer,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl DevIdp {
    /// A provider behind `origin`, such as `http://127.0.0.1:8080`, with a new key.
    ///
    /// # Errors
    /// Invalid argument when the origin is no URL of a scheme, a host and perhaps a port; internal when no key can be made.
    pub fn new(origin: &str, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Result<Self, Error> {
        let origin = origin.trim_end_matches('/').to_owned();
        let guard = Guard::new(&origin)?;
        Ok(Self(Arc::new(Provider { origin, guard, signer: Signer::generate()?, clock, entropy })))
    }

    /// The `iss` of its tokens.
    #[must_use]
    pub fn issuer(&self) -> String {
        format!("{}{PATH}", self.0.origin)
    }

    /// Its paths, all below [`PATH`]: discovery, key set, and `POST /dev/idp/mint`.
    pub fn router(&self) -> Router {
        Router::new()
            .route(DISCOVERY, get(discovery))
            .route(JWKS, get(jwks))
            .route(MINT, post(mint::mint))
            .method_not_allowed_fallback(not_allowed)
            .layer(DefaultBodyLimit::max(MAX_BODY))
            .layer(middleware::from_fn_with_state(self.clone(), guard::check))
            .with_state(self.clone())
    }
}

/// OpenID Connect Discovery 1.0 section 4.
async fn discovery(State(provider): State<DevIdp>) -> Json<Value> {
    let origin = &provider.0.origin;
    Json(json!({
        "issuer": provider.issuer(),
        "jwks_uri": format!("{origin}{JWKS}"),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }))
}

/// RFC 7517 section 5.
async fn jwks(State(provider): State<DevIdp>) -> Json<Value> {
    Json(json!({ "keys": [provider.0.signer.public_jwk()] }))
}

async fn not_allowed() -> Response {
    answer::error(&Error::new(Kind::Unimplemented, Rule::MethodNotAllowed, "this path does not take that HTTP method"))
}
