//! Section `[limits]`: what bounds one client.

use super::super::{
    Default, Key, Kind,
    parse::{count, delay, duration, memory, one, or_off, size},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "limits.header-size",
        flag: "limits-header-size",
        variable: "PROVOST_LIMITS_HEADER_SIZE",
        value: "SIZE",
        default: Default::Is("32KiB"),
        summary: "Maximum size of the headers of one request",
        more: "Beyond: status 431, over gRPC `INVALID_ARGUMENT`. Over HTTP/2, headers that are larger than this, `url-size` and \
               32 KiB together are rejected by the protocol itself: the call gets status 431 without a `grpc-status`, and if \
               the headers continue, the connection is closed.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.header_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.url-size",
        flag: "limits-url-size",
        variable: "PROVOST_LIMITS_URL_SIZE",
        value: "SIZE",
        default: Default::Is("64KiB"),
        summary: "Maximum size of the path and query of one request",
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
        summary: "Maximum size of a JSON body or a gRPC message",
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
        summary: "The same for callers that are not authenticated yet",
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
        more: "For the first request of a connection, since it was accepted, its TLS handshake included.",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.header_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.idle-timeout",
        flag: "limits-idle-timeout",
        variable: "PROVOST_LIMITS_IDLE_TIMEOUT",
        value: "TIME",
        default: Default::Is("2m"),
        summary: "How long a connection may be idle",
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
        summary: "Concurrent requests on one HTTP/2 connection; further ones wait at the client",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=65_536)).map(|count| settings.limits.streams_per_connection = count)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.requests-per-address",
        flag: "limits-requests-per-address",
        variable: "PROVOST_LIMITS_REQUESTS_PER_ADDRESS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("1024"),
        summary: "Concurrent requests from one address, over all its connections",
        more: "Beyond: `TOO_MANY_REQUESTS`. Behind trusted proxies the address is the one that they report. An IPv6 address \
               stands for its /64 network. The default is one for each connection that the address may have.",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.requests_per_address = count)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.reads-per-address",
        flag: "limits-reads-per-address",
        variable: "PROVOST_LIMITS_READS_PER_ADDRESS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("16"),
        summary: "Concurrent reads from one address; further ones take turns",
        more: "Beyond, reads queue for as many slots, so that one address cannot occupy all processors or database connections. \
               With the requests that were admitted before, at most twice as many are handled at once. More than the default \
               does not make a client faster.",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.reads_per_address = count)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.memory",
        flag: "limits-memory",
        variable: "PROVOST_LIMITS_MEMORY",
        value: "SIZE",
        default: Default::Is("256MiB"),
        summary: "Memory for all requests together: bodies, responses until they are sent, and 16 KiB for each",
        more: "Beyond: `MEMORY_SHARE`. It limits what clients make the server hold; the program and its database need memory in \
               addition. The default suits a small machine; the maximum is 1024 GiB.",
        apply: |settings, texts| one(texts, memory).map(|bytes| settings.limits.memory_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.strangers-share",
        flag: "limits-strangers-share",
        variable: "PROVOST_LIMITS_STRANGERS_SHARE",
        kind: Kind::Count,
        value: "PERCENT",
        default: Default::Is("10"),
        summary: "Percentage of `memory` for all callers without a valid token together",
        more: "Beyond: `MEMORY_SHARE` for them only. The default leaves nine tenths to authenticated callers, and still lets \
               1,600 others exchange tokens at once.",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=100)).map(|percent| settings.limits.strangers_percent = percent)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.address-share",
        flag: "limits-address-share",
        variable: "PROVOST_LIMITS_ADDRESS_SHARE",
        kind: Kind::Count,
        value: "PERCENT",
        default: Default::Is("25"),
        summary: "Percentage of `memory`, and of the part for callers without a token, for one address",
        more: "Beyond: `MEMORY_SHARE` for it only. With the default no single client shuts the others out, and a network behind \
               one address still has 64 MiB.",
        apply: |settings, texts| one(texts, |text| count(text, 1..=100)).map(|percent| settings.limits.address_percent = percent),
        ..Key::BASE
    },
    Key {
        path: "limits.identity-share",
        flag: "limits-identity-share",
        variable: "PROVOST_LIMITS_IDENTITY_SHARE",
        kind: Kind::Count,
        value: "PERCENT",
        default: Default::Is("25"),
        summary: "Percentage of `memory` for one identity",
        more: "Beyond: `MEMORY_SHARE` for it only. The default is that of an address, for the same reason.",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=100)).map(|percent| settings.limits.identity_percent = percent)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.body-rate",
        flag: "limits-body-rate",
        variable: "PROVOST_LIMITS_BODY_RATE",
        value: "SIZE",
        default: Default::Is("8KiB"),
        summary: "Minimum average rate at which a body has to arrive, per second",
        more: "Below: status 408, `BODY_TOO_SLOW`. A poor mobile connection has more than the default.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.body_rate = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.body-grace",
        flag: "limits-body-grace",
        variable: "PROVOST_LIMITS_BODY_GRACE",
        value: "TIME",
        default: Default::Is("5s"),
        summary: "When that rate begins to be enforced",
        more: "Connections that start slowly recover by then.",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.body_grace = time),
        ..Key::BASE
    },
    Key {
        path: "limits.send-timeout",
        flag: "limits-send-timeout",
        variable: "PROVOST_LIMITS_SEND_TIMEOUT",
        value: "TIME",
        default: Default::Is("30s"),
        summary: "How long up to 64 KiB of a response may remain unsent because the client does not read",
        more: "Then its HTTP/2 stream is reset; where that is not possible, the connection is closed, after at most twice the \
               time. The default is longer than a short network outage.",
        apply: |settings, texts| one(texts, duration).map(|time| settings.limits.send_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "limits.unsent",
        flag: "limits-unsent",
        variable: "PROVOST_LIMITS_UNSENT",
        value: "SIZE",
        default: Default::Is("1MiB"),
        summary: "Unsent response bytes of one connection before its further requests wait",
        more: "The default is what fast networks have in flight.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.limits.unsent_bytes = bytes),
        ..Key::BASE
    },
    Key {
        path: "limits.connections",
        flag: "limits-connections",
        variable: "PROVOST_LIMITS_CONNECTIONS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("8192"),
        summary: "Maximum number of connections",
        more: "Beyond, a new connection replaces the one that has been idle for longest; those that never had a request go \
               first. If none is idle, the new one is closed.",
        apply: |settings, texts| one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.connections = count),
        ..Key::BASE
    },
    Key {
        path: "limits.connections-per-address",
        flag: "limits-connections-per-address",
        variable: "PROVOST_LIMITS_CONNECTIONS_PER_ADDRESS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("1024"),
        summary: "Maximum number of connections from one address, unless it is a trusted proxy",
        more: "Beyond, a new connection replaces the one of the same address that has been idle for longest; if none is idle, \
               it is closed. An IPv6 address stands for its /64 network. The default is an eighth of all.",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.connections_per_address = count)
        },
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
        summary: "Concurrent TLS handshakes; further ones wait",
        more: "While others wait, a handshake has one second.",
        apply: |settings, texts| one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.handshakes = count),
        ..Key::BASE
    },
    Key {
        path: "limits.handshakes-per-address",
        flag: "limits-handshakes-per-address",
        variable: "PROVOST_LIMITS_HANDSHAKES_PER_ADDRESS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("64"),
        summary: "Concurrent TLS handshakes from one address, unless it is a trusted proxy; further ones wait",
        more: "The default is a sixteenth of all.",
        apply: |settings, texts| {
            one(texts, |text| count(text, 1..=1_000_000)).map(|count| settings.limits.handshakes_per_address = count)
        },
        ..Key::BASE
    },
    Key {
        path: "limits.keep-alive-interval",
        flag: "limits-keep-alive-interval",
        variable: "PROVOST_LIMITS_KEEP_ALIVE_INTERVAL",
        value: "TIME",
        default: Default::Is("30s"),
        summary: "How often an idle HTTP/2 connection is pinged",
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
        path: "limits.ready-drain",
        flag: "limits-ready-drain",
        variable: "PROVOST_LIMITS_READY_DRAIN",
        value: "TIME",
        default: Default::InDev("4s", "0s"),
        summary: "How long a server that was told to stop says so in `/readyz` before it refuses connections",
        more: "It serves as before meanwhile, so that load balancers send requests elsewhere first. The default suits those \
               that probe every two seconds and give up after two failures; 0s refuses connections at once.",
        apply: |settings, texts| one(texts, delay).map(|time| settings.limits.ready_drain = time),
        ..Key::BASE
    },
    Key {
        path: "limits.drain",
        flag: "limits-drain",
        variable: "PROVOST_LIMITS_DRAIN",
        value: "TIME",
        default: Default::Is("25s"),
        summary: "How long requests under way may go on once connections are refused",
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
