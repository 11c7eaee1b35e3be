//! Section `[tls]`.

use super::super::{
    Default, Key,
    parse::{one, path},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "tls.certificate-file",
        flag: "tls-certificate-file",
        variable: "PROVOST_TLS_CERTIFICATE_FILE",
        value: "FILE",
        default: Default::None("none: plain HTTP"),
        summary: "PEM certificates: that of the server first, then those that lead to a trusted authority",
        more: "With it, every address in `listen` speaks TLS 1.2 and 1.3 alone, with HTTP/2 and HTTP/1.1. The files are looked at \
               every five seconds, and at once on SIGHUP: a new pair is shown from the next connection on, a broken one is logged \
               and changes nothing.",
        credential: Some("tls-certificate"),
        apply: |settings, texts| one(texts, path).map(|file| settings.tls.certificate = Some(file)),
        ..Key::BASE
    },
    Key {
        path: "tls.key-file",
        flag: "tls-key-file",
        variable: "PROVOST_TLS_KEY_FILE",
        value: "FILE",
        default: Default::None("none: plain HTTP"),
        summary: "The private key of the certificate, in PEM",
        more: "Only its user and its group may be able to read it.",
        credential: Some("tls-key"),
        apply: |settings, texts| one(texts, path).map(|file| settings.tls.key = Some(file)),
        ..Key::BASE
    },
];
