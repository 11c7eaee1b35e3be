//! What to check when no server answers, by what the connection's end said.

/// Words in the reason, and what to do about it; the first that is found counts.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &["UnknownIssuer", "SelfSigned"],
        "this machine does not trust who signed the server's certificate; if that was an authority of your own, name the file with its \
         certificate in SSL_CERT_FILE",
    ),
    (&["NotValidForName", "not valid for name"], "the server's certificate is for another name: use that name in --api"),
    (&["Expired", "certificate expired"], "the server's certificate has expired, or this machine's clock is wrong"),
    (
        &["invalid peer certificate"],
        "the server's certificate is not acceptable: look at it with `openssl s_client -connect HOST:PORT`",
    ),
    (&["corrupt message", "InvalidContentType"], "the server does not speak TLS there: try http:// in --api"),
    (
        &["NoApplicationProtocol", "not negotiated"],
        "what answers there, perhaps a proxy, does not offer HTTP/2, which this program needs",
    ),
    (&["lookup address", "dns error"], "the host's name is not known: check its spelling in --api or PROVOST_API"),
    (
        &["does not reach the server"],
        "see whether the server behind the proxy runs, and where the proxy looks for it; --retry-for waits longer",
    ),
    (
        &["is not Provost"],
        "check the URL in --api, PROVOST_API or the context (`provost context list`), and what a proxy there passes on",
    ),
    (&["and no HTTP/2"], "let the proxy pass HTTP/2 on as well: this program speaks gRPC"),
    (
        &["timed out", "Timeout", "deadline", "does not answer", "did not answer"],
        "the server is slow, or something on the way swallows the connection: check the URL, the network and proxies, then try again",
    ),
    (&["broke off"], "the server may have been stopped: look at its log, then try again; --retry-for waits longer"),
];

/// What to check when no server answers, for `reason`.
pub(crate) fn unreachable(reason: &str) -> &'static str {
    about(reason).unwrap_or("set --api or PROVOST_API, or start a server: provost serve --dev")
}

/// What to check for a `reason` that says more than that nobody answers.
pub(crate) fn about(reason: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(words, _)| words.iter().any(|word| reason.contains(word))).map(|(_, advice)| *advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_their_own_advice() {
        for (reason, advice) in [
            ("invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"),
            ("invalid peer certificate: certificate not valid for name \"x\"", "another name"),
            ("invalid peer certificate: BadEncoding", "openssl"),
            ("failed to lookup address information: Name or service not known", "spelling"),
            ("Timeout expired", "slow"),
            ("what answers at http://x is not Provost: it says 404 Not Found", "check the URL"),
            ("a proxy at http://x does not reach the server: it answers 502 Bad Gateway", "behind the proxy"),
            ("what is at http://x passes HTTP/1.1 on to a server, and no HTTP/2", "gRPC"),
            ("what is at http://x accepts connections and does not answer", "slow"),
            ("the connection to http://x broke off before the answer (broken pipe)", "its log"),
            ("Connection refused (os error 111)", "start a server"),
        ] {
            assert!(unreachable(reason).contains(advice), "{reason}");
        }
    }
}
