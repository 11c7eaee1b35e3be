//! The connection: cleartext HTTP/2 with prior knowledge for `http`, TLS with the system's roots for `https`.

use std::time::Duration;

use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use crate::{USER_AGENT, error::Error};

/// How long a connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call may take.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

/// Connects to the server at `url`; a path in it plays no role for gRPC.
pub(crate) async fn connect(url: &str) -> Result<Channel, Error> {
    let wrong = |what: &str| Error::usage(format!("{url:?} is not the URL of a server: {what}"));
    let endpoint = Endpoint::from_shared(url.to_owned())
        .and_then(|endpoint| endpoint.user_agent(USER_AGENT))
        .map_err(|_| wrong("it does not parse"))?;
    let endpoint = endpoint.connect_timeout(CONNECT_TIMEOUT).timeout(CALL_TIMEOUT).tcp_nodelay(true);
    if endpoint.uri().host().is_none_or(str::is_empty) {
        return Err(wrong("it names no host"));
    }
    let endpoint = match endpoint.uri().scheme_str() {
        Some("http") => endpoint,
        Some("https") => endpoint
            .tls_config(ClientTlsConfig::new().with_native_roots())
            .map_err(|error| Error::usage(format!("TLS cannot be set up: {error}")))?,
        _ => return Err(wrong("it must begin with http:// or https://")),
    };
    endpoint.connect().await.map_err(|error| Error::no_server(url, &error))
}
