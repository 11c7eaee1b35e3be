//! Signature Version 4, as AWS's documentation describes it: "Create a signed AWS API request".

use std::collections::BTreeMap;

use aws_lc_rs::{digest, hmac};
use domain::Timestamp;

/// What is signed of a request without a body to the path `/` of the service `sts`.
pub(super) struct Signed<'a> {
    pub(super) method: &'a str,
    /// The query, whose parameters are in order already.
    pub(super) query: &'a str,
    pub(super) headers: &'a BTreeMap<String, String>,
    /// The names of the signed ones, in order.
    pub(super) names: &'a [&'a str],
    pub(super) region: &'a str,
}

/// The credential scope and the signature.
pub(super) fn signature(secret: &str, date: &str, signed: &Signed<'_>) -> (String, String) {
    let day = date.get(..8).unwrap_or_default();
    let scope = format!("{day}/{}/sts/aws4_request", signed.region);
    let value = |name: &&str| {
        let value = signed.headers.get(*name).map(String::as_str).unwrap_or_default();
        format!("{name}:{}\n", value.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let headers: String = signed.names.iter().map(value).collect();
    let canonical = format!("{}\n/\n{}\n{headers}\n{}\n{}", signed.method, signed.query, signed.names.join(";"), sha256(b""));
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", sha256(canonical.as_bytes()));
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in scope.split('/') {
        key = hmac_sha256(&key, part.as_bytes());
    }
    (scope, hex(&hmac_sha256(&key, text.as_bytes())))
}

/// The instant as `X-Amz-Date` has it.
pub(super) fn date(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_second(at.seconds()).expect("an instant that the calendar has");
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hmac_sha256(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), bytes).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `get-vanilla` of AWS's test suite for Signature Version 4, but for the service that it is for.
    #[test]
    fn keys_are_derived_as_aws_documents_it() {
        let mut key = b"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_vec();
        for part in ["20120215", "us-east-1", "iam", "aws4_request"] {
            key = hmac_sha256(&key, part.as_bytes());
        }
        assert_eq!(hex(&key), "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d");
    }
}
