//! What this server publishes as an issuer of tokens, over plain HTTP: the discovery document (OpenID Connect Discovery 1.0
//! section 4) and the key set (RFC 7517 section 5).

use std::sync::Arc;

use axum::{
    Json, Router,
    http::header::CACHE_CONTROL,
    response::IntoResponse,
    routing::{MethodRouter, get},
};
use domain::Clock;
use serde_json::Value;
use sts::{
    Settings,
    discovery::{DISCOVERY_PATH, JWKS_PATH, discovery_document},
    keys::Keyring,
};

/// The document changes with the configuration alone.
const DISCOVERY_CACHE: &str = "public, max-age=300";
/// Who meets an unknown key asks again; the rest may lag behind a rotation by this much.
const JWKS_CACHE: &str = "public, max-age=60";

/// The routes of the issuer, below the path of its URL.
pub fn routes(settings: &Settings, keys: Arc<Keyring>, clock: Arc<dyn Clock>) -> Router {
    let document = discovery_document(settings);
    router(&settings.auth_url, move || document.clone(), move || keys.jwks(clock.now()))
}

fn router<D, K>(issuer: &str, document: D, keys: K) -> Router
where
    D: Fn() -> Value + Clone + Send + Sync + 'static,
    K: Fn() -> Value + Clone + Send + Sync + 'static,
{
    let base = path_of(issuer);
    Router::new()
        .route(&format!("{base}{DISCOVERY_PATH}"), published(DISCOVERY_CACHE, document))
        .route(&format!("{base}{JWKS_PATH}"), published(JWKS_CACHE, keys))
}

/// JSON for everybody, made anew for each request.
fn published<F>(cache: &'static str, body: F) -> MethodRouter
where
    F: Fn() -> Value + Clone + Send + Sync + 'static,
{
    get(move || {
        let answer = ([(CACHE_CONTROL, cache)], Json(body())).into_response();
        async move { answer }
    })
}

/// The path of a URL without slashes at its end: empty for most issuers.
fn path_of(url: &str) -> &str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find('/').and_then(|at| after_scheme.get(at..)).unwrap_or_default();
    path.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use axum::{
        body::{Body, to_bytes},
        http::{Request, StatusCode, header::CONTENT_TYPE},
    };
    use serde_json::json;
    use tower::ServiceExt;

    use super::*;

    async fn ask(issuer: &str, method: &str, path: &str) -> (StatusCode, [String; 2], String) {
        let router = router(issuer, || json!({"issuer": "x"}), || json!({"keys": []}));
        let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("a request");
        let answer = router.oneshot(request).await.expect("an answer");
        let header = |name| answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default();
        let (status, headers) = (answer.status(), [header(CONTENT_TYPE), header(CACHE_CONTROL)]);
        let body = to_bytes(answer.into_body(), 1000).await.expect("a body");
        (status, headers, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn document_and_keys_are_public_and_may_be_cached() {
        let (status, headers, body) = ask("https://a.example", "GET", "/.well-known/openid-configuration").await;
        assert_eq!((status, body.as_str()), (StatusCode::OK, r#"{"issuer":"x"}"#));
        assert_eq!(headers, ["application/json", "public, max-age=300"]);
        let (status, headers, body) = ask("https://a.example", "GET", JWKS_PATH).await;
        assert_eq!((status, body.as_str()), (StatusCode::OK, r#"{"keys":[]}"#));
        assert_eq!(headers, ["application/json", "public, max-age=60"]);
        assert_eq!(ask("https://a.example", "HEAD", JWKS_PATH).await.0, StatusCode::OK);
        assert_eq!(ask("https://a.example", "POST", JWKS_PATH).await.0, StatusCode::METHOD_NOT_ALLOWED);
    }

    #[tokio::test]
    async fn an_issuer_below_a_path_publishes_there() {
        let at = |path: &'static str| async move { ask("https://a.example/auth/", "GET", path).await.0 };
        assert_eq!(at("/auth/.well-known/openid-configuration").await, StatusCode::OK);
        assert_eq!(at("/auth/.well-known/jwks.json").await, StatusCode::OK);
        assert_eq!(at("/.well-known/openid-configuration").await, StatusCode::NOT_FOUND);
    }

    #[test]
    fn paths_of_issuers() {
        for (url, path) in [("https://a", ""), ("https://a/", ""), ("http://a:1/b/c", "/b/c"), ("http://a:1/b/", "/b")] {
            assert_eq!(path_of(url), path, "{url}");
        }
    }
}
