//! What answers in place of a server: other servers, proxies, silence, and the end of the connection.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, Response};

use crate::support::{PROVOST, Ran, Transcript, User, finish};

/// A listener of this machine, and its URL.
fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, url)
}

/// Serves HTTP/1.1 alone, as plain web servers and many proxies do: `head` and a page to every request, and to what is none that it is bad.
fn web_server(head: &'static str) -> String {
    let (listener, url) = listener();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut begin = [0; 1024];
                let length = connection.read(&mut begin).unwrap_or_default();
                let is_bad = begin.starts_with(b"PRI ");
                let head = if is_bad { "400 Bad Request\r\nserver: test/1.0" } else { head };
                let page = "<html><body>a page</body></html>";
                let answer =
                    format!("HTTP/1.1 {head}\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{page}", page.len());
                // Whoever has gone needs no answer.
                let _ = connection.write_all(answer.as_bytes());
                let _ = connection.shutdown(std::net::Shutdown::Write);
                while length > 0 && connection.read(&mut begin).is_ok_and(|length| length > 0) {}
            });
        }
    });
    url
}

/// Serves HTTP/2: each request gets the next of `answers`, and when there are no more the last one. Answers the URL and the headers of
/// all requests so far.
fn http2_server(answers: Vec<Response<&'static str>>) -> (String, Arc<Mutex<Vec<HeaderMap>>>) {
    let (listener, url) = listener();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&seen);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            listener.set_nonblocking(true).expect("a listener");
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let answers = Arc::new(answers);
            loop {
                let (connection, _) = listener.accept().await.expect("a connection");
                let (requests, answers) = (Arc::clone(&requests), Arc::clone(&answers));
                tokio::spawn(async move {
                    let Ok(mut connection) = h2::server::handshake(connection).await else { return };
                    while let Some(Ok((request, mut respond))) = connection.accept().await {
                        let number = {
                            let mut requests = requests.lock().expect("requests");
                            requests.push(request.headers().clone());
                            requests.len()
                        };
                        let answer = answers.get(number - 1).or(answers.last()).expect("an answer");
                        let (head, body) = answer.clone().into_parts();
                        let mut stream = respond.send_response(Response::from_parts(head, ()), body.is_empty()).expect("sent");
                        if !body.is_empty() {
                            stream.send_data(Bytes::from_static(body.as_bytes()), true).expect("sent");
                        }
                    }
                });
            }
        });
    });
    (url, seen)
}

fn page(status: u16) -> Response<&'static str> {
    Response::builder().status(status).header("content-type", "text/html").body("<html></html>").expect("a response")
}

/// An answer of a gRPC server that is no message.
fn grpc(code: &str) -> Response<&'static str> {
    let answer = Response::builder().header("content-type", "application/grpc").header("grpc-status", code);
    answer.header("grpc-message", "told%20by%20the%20test").header("x-request-id", "r").body("").expect("a response")
}

fn run(api: &str, line: &[&str]) -> Ran {
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.args(line).env("PROVOST_API", api).env("PROVOST_TOKEN", "a.b.c");
    finish(&mut command, "")
}

#[test]
fn other_servers_and_proxies() {
    let mut session = Transcript::default();
    let mut add = |what: &str, api: &str| {
        let ran = run(api, &["auth", "status", "--retry-for", "0s"]);
        assert_eq!(ran.code, 7, "{what}: {}", ran.stderr);
        session.add(what, &ran);
    };
    add("a web server", &web_server("200 OK\r\nserver: test/1.0"));
    add("a web server without such a page", &web_server("404 Not Found"));
    add("a server that sends elsewhere", &web_server("301 Moved Permanently\r\nlocation: https://provost.example/livez"));
    add("a proxy without a server", &web_server("502 Bad Gateway\r\nserver: test/1.0"));
    add("a web server that knows HTTP/2", &http2_server(vec![page(200)]).0);
    add("a web server that knows HTTP/2, without such a page", &http2_server(vec![page(404)]).0);
    add("a proxy that knows HTTP/2, without a server", &http2_server(vec![page(502)]).0);
    let web = web_server("404 Not Found");
    session.add("no development identity provider", &run(&web, &["dev", "id-token", "--subject", "s"]));
    let told = run(&web, &["auth", "login", "--identity-token", "a.b.c"]);
    assert_eq!(told.code, 7, "{}", told.stderr);
    session.add("a login there", &told);
    session.check("strangers_other_servers_and_proxies");
}

#[test]
fn servers_that_only_listen() {
    let (listener, url) = listener();
    let ran = run(&url, &["auth", "status", "--retry-for", "0s"]);
    drop(listener);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("error: what is at {url} accepts connections and does not answer\n")), "{}", ran.stderr);
}

#[test]
fn servers_that_end_in_the_middle() {
    let (listener, url) = listener();
    let ends = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        drop(listener);
        connection.read_exact(&mut [0; 24]).expect("it speaks first");
        // An empty SETTINGS frame.
        connection.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).expect("sent");
        connection.read_exact(&mut [0; 64]).expect("it asks");
    });
    let ran = run(&url, &["auth", "status", "--retry-for", "0s"]);
    ends.join().expect("it ended");
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("the connection to {url} broke off before the answer (")), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: the server may have been stopped"), "{}", ran.stderr);
}

#[test]
fn proxies_that_take_http2_away() {
    let (listener, url) = listener();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().map_while(Result::ok) {
            let mut begin = [0; 1024];
            let _ = connection.read(&mut begin);
            let body = r#"{"status":"live"}"#;
            let head = if begin.starts_with(b"PRI ") { "400 Bad Request" } else { "200 OK\r\ncontent-type: application/json" };
            let _ = write!(connection, "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = connection.shutdown(std::net::Shutdown::Write);
            while connection.read(&mut begin).is_ok_and(|length| length > 0) {}
        }
    });
    let ran = run(&url, &["auth", "status", "--retry-for", "0s"]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("passes HTTP/1.1 on to a server, and no HTTP/2"), "{}", ran.stderr);
}

#[test]
fn busy_servers_are_asked_again_with_the_same_key() {
    let create = ["iam", "organizations", "create", "acme"];
    let (url, seen) = http2_server(vec![grpc("14"), grpc("10"), grpc("14"), grpc("7")]);
    let ran = run(&url, &create);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let keys = |seen: &Mutex<Vec<HeaderMap>>| -> Vec<String> {
        let seen = seen.lock().expect("requests");
        seen.iter().map(|headers| headers["idempotency-key"].to_str().expect("text").to_owned()).collect()
    };
    let first = keys(&seen);
    assert!(first.len() == 4 && first.iter().all(|key| *key == first[0]), "{first:?}");
    run(&url, &create);
    assert_ne!(keys(&seen).last(), first.last(), "another run has another key");

    // Reads have no key; 0s asks once; a time that runs out is the last answer's.
    let (url, seen) = http2_server(vec![grpc("14")]);
    assert_eq!(run(&url, &["auth", "status", "--retry-for", "0s"]).code, 7);
    assert_eq!(seen.lock().expect("requests").len(), 1);
    let ran = run(&url, &["auth", "status", "--retry-for", "1s"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (7, "error: told by the test\n"));
    let seen = seen.lock().expect("requests");
    assert!(seen.len() > 3 && seen.iter().all(|headers| !headers.contains_key("idempotency-key")), "{}", seen.len());
}

/// Copies until either end has enough.
fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// Stands before `server`. Of the first connection everything is passed on to the server, and nothing back, until that is cut.
pub(crate) fn cutting_proxy(server: String) -> String {
    let (listener, url) = listener();
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().map_while(Result::ok).enumerate() {
            let server = TcpStream::connect(&server).expect("the server");
            let clone = |stream: &TcpStream| stream.try_clone().expect("another handle");
            let (to_server, from_client) = (clone(&server), clone(&client));
            std::thread::spawn(move || copy(from_client, to_server));
            std::thread::spawn(move || {
                if number > 0 {
                    return copy(server, client);
                }
                std::thread::sleep(Duration::from_secs(1));
                let _ = client.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    url
}
