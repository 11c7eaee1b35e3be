use proptest::prelude::*;

use super::*;

const HOST: &str = "sts.amazonaws.com";
const SIGNED: &str = "accept;chainguard-audience;chainguard-identity;host;x-amz-date";
/// As AWS's library for Go serializes it.
const GOOD: &str = "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1\r\n\
                    Host: sts.amazonaws.com\r\n\
                    User-Agent: Go-http-client/1.1\r\n\
                    Content-Length: 0\r\n\
                    Accept: application/json\r\n\
                    Authorization: AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/sts/aws4_request, \
                    SignedHeaders=accept;chainguard-audience;chainguard-identity;host;x-amz-date, \
                    Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n\
                    Chainguard-Audience: https://us.example.com\r\n\
                    Chainguard-Identity: 0123/4567\r\n\
                    X-Amz-Date: 20260101T030405Z\r\n\
                    \r\n";
const SIGNED_AT: Timestamp = Timestamp(1_767_236_645_000);

fn parse(text: &str) -> Result<SignedRequest, RequestError> {
    SignedRequest::parse(&URL_SAFE.encode(text), HOST)
}

#[test]
fn what_is_signed_is_read_and_sent_on_and_nothing_else() {
    let request = parse(GOOD).expect("a request");
    assert_eq!((request.audience().as_str(), request.identity().as_str()), ("https://us.example.com", "0123/4567"));
    let names: Vec<_> = request.headers().map(|(name, _)| name).collect();
    assert_eq!(names, ["accept", "authorization", "chainguard-audience", "chainguard-identity", "host", "x-amz-date"]);
    assert!(!format!("{request:?}").contains("us.example"), "requests are no secrets for logs");
}

#[test]
fn values_are_those_that_are_signed() {
    let spaced = GOOD.replace(": https://us.example.com\r\n", ":   https://us.example.com  x \r\n");
    assert_eq!(parse(&spaced).expect("a request").audience(), "https://us.example.com x");
}

#[test]
fn requests_are_good_for_a_quarter_of_an_hour() {
    let request = parse(GOOD).expect("a request");
    let (first, last) = (SIGNED_AT.plus_seconds(-300), SIGNED_AT.plus_seconds(900));
    assert!(!request.is_early(first) && request.is_early(Timestamp(first.0 - 1)));
    assert!(!request.is_late(last) && request.is_late(Timestamp(last.0 + 1)));
}

#[test]
fn only_the_one_request_is_sent_on() {
    for (from, to, why) in [
        ("POST /", "GET /", "must be POST"),
        ("POST /?Action=GetCallerIdentity", "POST /?Action=GetSessionToken", "must be POST"),
        ("POST /", "POST //", "must be POST"),
        ("2011-06-15 HTTP", "2011-06-15&X=Y HTTP", "must be POST"),
        ("HTTP/1.1", "HTTP/1.0", "must be POST"),
        ("Host: sts.amazonaws.com", "Host: sts.amazonaws.com:443", "another host"),
        ("Host: sts.amazonaws.com", "Host: sts.amazonaws.com.evil.example", "another host"),
        ("Host: sts.amazonaws.com", "X-Host: sts.amazonaws.com", "another host"),
        ("Host: sts", "Host: a\r\nhost: sts", "twice"),
        ("X-Amz-Date: ", "X-Amz-Date: 20260101T030405Z\r\nx-amz-date: ", "twice"),
        ("Chainguard-Audience: ", "Chainguard-audience: https://other.example\r\nChainguard-Audience: ", "twice"),
        ("Authorization: ", "Authorization: x\r\nAuthorization: ", "twice"),
        ("Authorization: ", "X: ", "no Authorization"),
        ("Content-Length: 0", "Content-Length: 1", "body"),
        ("Content-Length: 0", "Transfer-Encoding: chunked", "body"),
        ("\r\n\r\n", "\r\n\r\nx", "body"),
        ("\r\n\r\n", "\r\n", "do not end"),
        ("Accept: application/json", "Accept: text/xml", "accept"),
        ("Accept: application/json\r\n", "", "does not have"),
        ("User-Agent: ", " folded: ", "whose name is none"),
        ("User-Agent: ", "User\tAgent: ", "whose name is none"),
        ("User-Agent: ", "User-Agent : ", "whose name is none"),
        ("User-Agent: Go", "User-Agent: \u{e9}", "no plain text"),
        ("User-Agent: Go", "User-Agent: a\nX-Evil: b", "no plain text"),
        ("User-Agent: ", "", "without a colon"),
        ("20260101T030405Z", "20261301T030405Z", "no time"),
        ("20260101T030405Z", "2026-01-01T03:04:05Z", "no time"),
        ("20260101T030405Z", "20260101T030405", "no time"),
        ("accept;chainguard-audience;", "accept;chainguard-a;", "must sign"),
        (SIGNED, "accept;chainguard-audience;chainguard-identity;connection;host;x-amz-date", "not sent on"),
        (SIGNED, "accept;chainguard-audience;host;x-amz-date", "must sign"),
        (SIGNED, "accept;chainguard-identity;host;x-amz-date", "must sign"),
        (SIGNED, "accept;chainguard-audience;chainguard-identity;x-amz-date", "must sign"),
        (SIGNED, "accept;chainguard-audience;chainguard-identity;host", "must sign"),
    ] {
        let bad = GOOD.replacen(from, to, 1);
        assert_ne!(bad, GOOD, "{from}");
        match parse(&bad) {
            Err(RequestError::Malformed(what)) => assert!(what.contains(why), "{from} → {to}: {what}"),
            other => panic!("{from} → {to}: {other:?}"),
        }
    }
    let more: Vec<_> = (0..30).map(|n| format!("X-{n}: y\r\n")).collect();
    let many = GOOD.replace("Accept:", &(more.concat() + "Accept:"));
    assert_eq!(parse(&many), Err(RequestError::Malformed("it has more than 32 headers")));
}

#[test]
fn what_is_no_request_is_something_else() {
    for other in [
        "",
        "x.y.z",
        "bm90IGFuIGh0dHAgcmVxdWVzdA==",
        "UE9TVA==",
        URL_SAFE.encode(GOOD).trim_end_matches('='),
        &"A".repeat(20_000),
    ] {
        if other != URL_SAFE.encode(GOOD) {
            assert_eq!(SignedRequest::parse(other, HOST), Err(RequestError::Other), "{other}");
        }
    }
    let standard = base64::engine::general_purpose::STANDARD.encode(GOOD.replace("Go-http", "???>>>"));
    assert!(standard.contains('/') || standard.contains('+'));
    assert_eq!(SignedRequest::parse(&standard, HOST), Err(RequestError::Other), "the alphabet is that of URLs");
}

proptest! {
    /// Whatever is done to a request, what is sent on was in it once, is signed, and cannot be taken for anything else.
    #[test]
    fn what_is_sent_on_is_in_the_request(edits in prop::collection::vec((0..GOOD.len(), 0..4_usize, "[ -~\r\n]{0,12}"), 0..4)) {
        let mut text = GOOD.to_owned();
        for (at, cut, with) in edits {
            let (from, to) = (at.min(text.len()), (at + cut).min(text.len()));
            text.replace_range(from..to, &with);
        }
        if let Ok(request) = parse(&text) {
            prop_assert!(text.starts_with(REQUEST_LINE) && text.ends_with("\r\n\r\n"));
            for (name, value) in request.headers() {
                prop_assert!(name == "authorization" || REQUIRED.contains(&name) || OPTIONAL.contains(&name));
                prop_assert!(!value.contains(['\r', '\n']));
                let is_it = |line: &str| line.split_once(':').is_some_and(|(n, v)| n.eq_ignore_ascii_case(name) && v.trim_matches(' ') == value);
                prop_assert_eq!(text.split("\r\n").filter(|line| is_it(line)).count(), 1, "{}", name);
            }
            let names: Vec<_> = request.headers().map(|(name, _)| name).collect();
            prop_assert!(REQUIRED.iter().all(|name| names.contains(name)));
        }
    }

    /// Nothing panics, and nothing that is not the one request is one.
    #[test]
    fn other_texts_are_refused(text in "(POST|GET) [ -~]{0,40}( HTTP/1.1)?\r\n([A-Za-z-]{0,8}: ?[ -~]{0,20}\r\n){0,5}(\r\n)?") {
        prop_assert!(parse(&text).is_err());
    }
}
