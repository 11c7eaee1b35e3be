//! What the caller reads when there is no server, or the address is none.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use client::{Client, http};

async fn refused(url: &str) -> String {
    Client::connect(url, None).await.map(|_| ()).map_err(|error| error.to_string()).expect_err("nothing listens there")
}

/// An address at which nothing listens: the port was free a moment ago.
fn closed() -> String {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}", socket.local_addr().expect("its address"))
}

#[tokio::test]
async fn nothing_listens() {
    let url = closed();
    let told = refused(&url).await;
    assert!(told.starts_with(&format!("no server answers at {url} (Connection refused")), "{told}");
    let http = http::Http::new(&url, None).expect("a client");
    let told = http.send(http::Request::get("/livez")).await.expect_err("nothing listens there");
    assert!(told.is_unreachable() && told.to_string().starts_with(&format!("no server answers at {url} ")), "{told}");
}

#[tokio::test]
async fn the_url_is_none() {
    assert_eq!(
        refused("localhost:8080").await,
        "\"localhost:8080\" is not the URL of a server: it must begin with http:// or https://"
    );
    assert_eq!(refused("http://").await, "\"http://\" is not the URL of a server: it does not parse");
    assert_eq!(refused("ftp://host").await, "\"ftp://host\" is not the URL of a server: it must begin with http:// or https://");
}
