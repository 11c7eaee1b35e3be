//! Signed requests to AWS. What is sent on was signed, stood in the request once, and is nothing else.
#![no_main]

use base64::{Engine, engine::general_purpose::URL_SAFE};
use libfuzzer_sys::fuzz_target;
use sts::aws::SignedRequest;

fuzz_target!(|input: &[u8]| {
    let host = "sts.amazonaws.com";
    if let Ok(text) = std::str::from_utf8(input) {
        // As it is, and as a token that holds it.
        let _ = SignedRequest::parse(text, host);
    }
    let Ok(request) = SignedRequest::parse(&URL_SAFE.encode(input), host) else { return };
    let text = std::str::from_utf8(input).expect("requests are texts");
    assert!(text.starts_with("POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1\r\n") && text.ends_with("\r\n\r\n"));
    let (_, authorization) = request.headers().find(|(name, _)| *name == "authorization").expect("a signature");
    for (name, value) in request.headers() {
        assert!(!value.contains(['\r', '\n']));
        let is_it =
            |line: &str| line.split_once(':').is_some_and(|(n, v)| n.eq_ignore_ascii_case(name) && v.trim_matches(' ') == value);
        assert_eq!(text.split("\r\n").filter(|line| is_it(line)).count(), 1, "{name}");
        assert!(name == "authorization" || authorization.contains(name), "{name} is not signed");
    }
    for name in ["chainguard-audience", "chainguard-identity", "host", "x-amz-date"] {
        assert!(request.headers().any(|(sent, _)| sent == name), "{name} is missing");
    }
});
