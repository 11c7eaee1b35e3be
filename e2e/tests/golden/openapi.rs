use client::http::Request;
use testkit::{TestServer, golden};

#[tokio::test]
async fn the_served_document_is_the_committed_one() {
    let server = TestServer::start().await;
    let answer = server.nobody().http(Request::get("/openapi.json")).await;
    assert_eq!(answer.status, 200);
    let document = answer.json();
    assert_eq!(document["openapi"], "3.1.0");
    golden("docs/api/openapi.json", &format!("{document:#}\n"));
    server.stop().await;
}
