//! Identity providers behind one address: each path is an issuer of its own, and all sign with the same key.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Serving, crypto::Issuer, http};
use crate::Result;

/// Where OpenID Connect Discovery 1.0 (section 4) puts an issuer's document.
const DOCUMENT: &str = "/.well-known/openid-configuration";

/// Any number of providers. They end when this is dropped.
#[derive(Debug)]
pub(crate) struct Providers {
    issuer: Issuer,
    serving: Serving,
}

impl Providers {
    /// Serves discovery documents and keys on a loopback port.
    pub(crate) async fn serve() -> Result<Self> {
        let issuer = Issuer::new()?;
        let keys = Bytes::from(issuer.keys().to_string());
        // The address is known only once it listens, and the documents have to name it.
        let address = Arc::new(OnceLock::<String>::new());
        let named = Arc::clone(&address);
        let serving = http::serve(move |path| {
            let Some(issuer) = path.strip_suffix(DOCUMENT) else { return keys.clone() };
            let url = format!("{}{issuer}", named.get().map(String::as_str).unwrap_or_default());
            json!({"issuer": url, "jwks_uri": format!("{url}/keys")}).to_string().into()
        })
        .await?;
        address.get_or_init(|| format!("http://{}", serving.address));
        Ok(Self { issuer, serving })
    }

    /// The issuer at the root.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.serving.address)
    }

    /// One issuer of many.
    pub(crate) fn tenant(&self, number: u64) -> String {
        format!("{}/{number}", self.url())
    }

    /// A token with these claims.
    pub(crate) fn sign(&self, claims: &Value) -> Result<String> {
        self.issuer.sign(claims)
    }

    /// The key with which all of them sign.
    pub(crate) fn issuer(&self) -> &Issuer {
        &self.issuer
    }
}
