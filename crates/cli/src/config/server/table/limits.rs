//! Section `[limits]`: what bounds one client.

use super::super::{
    Default, Key, Kind,
    parse::{count, duration, one, or_off, size},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "limits.header-size",
        flag: "limits-header-size",
        variable: "PROVOST_LIMITS_HEADER_SIZE",
        value: "SIZE",
        default: Default::Is("32KiB"),
        summary: "Header names and values of one request",
        more: "Beyond: status 431, over gRPC `INVALID_ARGUMENT`. What is larger than this, `url-size` and 32 KiB together, HTTP/2 \
               ends by itself: the call with status 431 and no `grpc-status`, and where it goes on, the connection.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.header_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.url-size",
        flag: "limits-url-size",
        variable: "PROVOST_LIMITS_URL_SIZE",
        value: "SIZE",
        default: Default::Is("64KiB"),
        summary: "Path and query of one request",
        more: "Beyond: status 414.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.url_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.body-size",
        flag: "limits-body-size",
        variable: "PROVOST_LIMITS_BODY_SIZE",
        value: "SIZE",
        default: Default::Is("4MiB"),
        summary: "A JSON body or a gRPC message",
        more: "Beyond: status 413.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.body_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.public-body-size",
        flag: "limits-public-body-size",
        variable: "PROVOST_LIMITS_PUBLIC_BODY_SIZE",
        value: "SIZE",
        default: Default::Is("256KiB"),
        summary: "The same where nobody has proved yet who calls",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.public_body_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.header-timeout",
        flag: "limits-header-timeout",
        variable: "PROVOST_LIMITS_HEADER_TIMEOUT",
        value: "TIME",
        default: Default::Is("15s"),
        summary: "How long the headers of an HTTP/1.1 request may take to arrive",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.header_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.idle-timeout",
        flag: "limits-idle-timeout",
        variable: "PROVOST_LIMITS_IDLE_TIMEOUT",
        value: "TIME",
        default: Default::Is("2m"),
        summary: "How long a connection may rest without a request under way",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.idle_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.request-timeout",
        flag: "limits-request-timeout",
        variable: "PROVOST_LIMITS_REQUEST_TIMEOUT",
        value: "TIME",
        default: Default::Is("60s"),
        summary: "How long a request of the API may take, its body included",
        more: "A shorter `grpc-timeout` of the client counts.",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.request_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.fallback-timeout",
        flag: "limits-fallback-timeout",
        variable: "PROVOST_LIMITS_FALLBACK_TIMEOUT",
        value: "TIME",
        default: Default::Is("60s"),
        summary: "The same for requests outside the contract, until their answer begins, or off",
        apply: |settings, texts| one(texts, |text| or_off(text, duration)).map(|time| settings.limits.fallback_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.streams-per-connection",
        flag: "limits-streams-per-connection",
        variable: "PROVOST_LIMITS_STREAMS_PER_CONNECTION",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("128"),
        summary: "Requests under way on one HTTP/2 connection; further ones wait at the client",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=65_536)).map(|count| settings.limits.streams_per_connection = count)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.connections",
        flag: "limits-connections",
        variable: "PROVOST_LIMITS_CONNECTIONS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("8192"),
        summary: "Connections at once; further ones wait in the kernel",
        apply: |settings, texts| one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.connections = count),
        ..Key::BASE
    },
    Key {
        path: "limits.handshake-timeout",
        flag: "limits-handshake-timeout",
        variable: "PROVOST_LIMITS_HANDSHAKE_TIMEOUT",
        value: "TIME",
        default: Default::Is("10s"),
        summary: "How long a TLS handshake may take, waiting for its turn included",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.handshake_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.handshakes",
        flag: "limits-handshakes",
        variable: "PROVOST_LIMITS_HANDSHAKES",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("1024"),
        summary: "TLS handshakes at once; further ones wait",
        apply: |settings, texts| one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.handshakes = count),
        ..Key::BASE
    },
    Key {
        path: "limits.keep-alive-interval",
        flag: "limits-keep-alive-interval",
        variable: "PROVOST_LIMITS_KEEP_ALIVE_INTERVAL",
        value: "TIME",
        default: Default::Is("30s"),
        summary: "How often a quiet HTTP/2 connection is pinged",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.keep_alive_interval = time),
        ..Key::BASE
    },
    Key {
        path: "limits.keep-alive-timeout",
        flag: "limits-keep-alive-timeout",
        variable: "PROVOST_LIMITS_KEEP_ALIVE_TIMEOUT",
        value: "TIME",
        default: Default::Is("20s"),
        summary: "How long the answer to such a ping may take",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.keep_alive_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.drain",
        flag: "limits-drain",
        variable: "PROVOST_LIMITS_DRAIN",
        value: "TIME",
        default: Default::Is("25s"),
        summary: "How long requests under way may go on after the shutdown began",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.drain = time),
        ..Key::BASE
    },
    Key {
        path: "limits.ready-timeout",
        flag: "limits-ready-timeout",
        variable: "PROVOST_LIMITS_READY_TIMEOUT",
        value: "TIME",
        default: Default::Is("2s"),
        summary: "How long one readiness check may take",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.ready_timeout = time),
        ..Key::BASE
    },
];
