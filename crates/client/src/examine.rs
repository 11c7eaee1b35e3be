//! Who is at a URL, where a call was lost.

use std::time::Duration;

use http::Uri;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    error::Error,
    http::{Http, Request},
    stranger::Stranger,
};

/// What a look at a place found.
#[derive(Debug)]
enum Found {
    /// One of our servers.
    Server,
    /// Somebody else.
    Stranger(Stranger),
    /// Somebody who accepts connections and says nothing.
    Silence,
    /// Nobody.
    Nobody,
}

/// How long a look takes at most.
const MOMENT: Duration = Duration::from_secs(3);

/// What is wrong at `url`, where a call ended in `error`: the same error when it was not lost, or a look there tells no more.
pub(crate) async fn examine(url: &str, error: Error) -> Error {
    if !error.is_lost() {
        return error;
    }
    match look(url).await {
        Found::Stranger(stranger) => Error::stranger(url, &stranger),
        Found::Silence => Error::silent(url),
        Found::Server if error.is_other_protocol() || knows_only_http1(url).await => Error::no_http2(url),
        Found::Server | Found::Nobody => error,
    }
}

/// Asks over plain HTTP.
async fn look(url: &str) -> Found {
    let asked = async {
        let http = Http::new(&root(url), None).ok()?;
        http.send(Request::get("/livez")).await.ok()
    };
    match timeout(MOMENT, asked).await {
        Err(_) => Found::Silence,
        Ok(None) => Found::Nobody,
        Ok(Some(answer)) if answer.json().get("status").is_some_and(|status| status == "live") => Found::Server,
        Ok(Some(answer)) => Found::Stranger(Stranger::of(answer.status, &answer.headers)),
    }
}

/// Whether HTTP/2 without TLS (RFC 9113 section 3.4) is answered in HTTP/1. With TLS, that is settled before anything is sent.
async fn knows_only_http1(url: &str) -> bool {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let asked = async {
        let mut connection =
            TcpStream::connect((uri.host()?.trim_matches(['[', ']']), uri.port_u16().unwrap_or(80))).await.ok()?;
        connection.write_all(PREFACE).await.ok()?;
        let mut begin = [0; 5];
        connection.read_exact(&mut begin).await.ok()?;
        Some(begin == *b"HTTP/")
    };
    uri.scheme_str() == Some("http") && matches!(timeout(MOMENT, asked).await, Ok(Some(true)))
}

/// The URL without its path, which plays no role for gRPC.
fn root(url: &str) -> String {
    let parts = url.parse::<Uri>().map(Uri::into_parts).unwrap_or_default();
    match (parts.scheme, parts.authority) {
        (Some(scheme), Some(authority)) => format!("{scheme}://{authority}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_left_out() {
        assert_eq!(root("https://x.example:1/a/b?c"), "https://x.example:1");
        assert_eq!(root("not a url"), "not a url");
    }
}
