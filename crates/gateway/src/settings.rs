//! What the operator of a server may set about its port.

use std::time::Duration;

pub use crate::peer::{ForwardingHeader, TrustedProxies};

/// Everything about the port that is a setting, but its certificate ([`crate::Tls`]). The defaults are right for a server that clients reach directly.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Sizes, times and counts.
    pub limits: Limits,
    /// The `domain` of google.rpc.ErrorInfo; published clients expect the default, `iam.chainguard.dev`.
    pub error_domain: String,
    /// Whose word about the client's address counts. Nobody's by default.
    pub trusted_proxies: TrustedProxies,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            error_domain: "iam.chainguard.dev".to_owned(),
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

/// Sizes, times and counts that bound what one client can take. What goes beyond has its own error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Header names and values of one request, in bytes; 431 beyond. Default 32 KiB.
    pub header_bytes: usize,
    /// Path and query of one request, in bytes; 414 beyond. Default 64 KiB. HTTP/1.1 ends two bytes below that.
    pub url_bytes: usize,
    /// A JSON body or a gRPC message, in bytes; 413 beyond. Default 4 MiB. Fallback routes bring their own.
    pub body_bytes: usize,
    /// The same where nobody has proved yet who calls, so that strangers cannot make the server hold much. Default 256 KiB.
    pub public_body_bytes: usize,
    /// How long the header block of an HTTP/1.1 request may take to arrive; for the first one of a connection, since the
    /// connection was accepted, its TLS handshake included. Default 15 s.
    pub header_timeout: Duration,
    /// How long a connection may rest without a request under way. Default 2 min.
    pub idle_timeout: Duration,
    /// How long a request of the contract may take, its body included. Default 60 s. A shorter `grpc-timeout` counts.
    pub request_timeout: Duration,
    /// The same for requests outside the contract, until their answer begins. Default 60 s; none for routes that take long
    /// uploads and bound them themselves.
    pub fallback_timeout: Option<Duration>,
    /// Requests under way on one HTTP/2 connection; further ones wait at the client. Default 128.
    pub streams_per_connection: u32,
    /// Requests under way from one address, over all its connections; 429 beyond. Default 1024: one for each
    /// connection that the address may have.
    pub requests_per_address: usize,
    /// Those of them from which on reads take turns, of which there are as many, so that one address does not fill the queues in
    /// front of the workers and of the database. Default 16: more at once make no client faster.
    pub reads_per_address: usize,
    /// Bytes that all requests together hold: bodies as they arrive, answers until they are sent, and 16 KiB for each request;
    /// 429 beyond. Default 256 MiB: what a small machine can spare beside the program and its database.
    pub memory_bytes: usize,
    /// How much of that strangers may hold, in percent: callers without a good token, at public methods and elsewhere. Default
    /// 10: a thousand of them at once, and nine tenths remain for callers that are known.
    pub strangers_percent: u32,
    /// How much one address may hold of what there is for all, and of what there is for strangers, in percent. Default 25: no
    /// client alone shuts the others out, and a network behind one address still has 64 MiB.
    pub address_percent: u32,
    /// How much one identity may hold, in percent. Default 25, for the same reason.
    pub identity_percent: u32,
    /// How many bytes of a body must arrive in a second on average; 408 below. Default 8 KiB: a poor mobile connection has more.
    pub body_rate: usize,
    /// From when on that is asked. Default 5 s: connections that begin badly recover by then.
    pub body_grace: Duration,
    /// How long a part of an answer, of at most 64 KiB, may remain unsent because the client reads nothing; then its stream is
    /// reset, or its connection closed. Default 30 s: longer than a network's short outage.
    pub send_timeout: Duration,
    /// Bytes of answers that one connection may have unsent before it waits with further requests. Default 1 MiB: what fast
    /// networks have on their way.
    pub unsent_bytes: usize,
    /// Connections at once; beyond, the one that has been without a request for longest is closed for each new one. Default 8192.
    pub connections: usize,
    /// Connections of one address, of IPv6 of one network of 64 bits, at once; trusted proxies may have more. Beyond, they take
    /// each other's places. Default 1024: an eighth of all.
    pub connections_per_address: usize,
    /// How long a TLS handshake may take, waiting for its turn included. Default 10 s.
    pub handshake_timeout: Duration,
    /// TLS handshakes at once; further ones wait, and no handshake then waits longer than a second for its client. Default 1024.
    pub handshakes: usize,
    /// TLS handshakes of one address at once, but of trusted proxies; further ones wait. Default 64: a sixteenth of all.
    pub handshakes_per_address: usize,
    /// How often a quiet HTTP/2 connection is pinged. Default 30 s.
    pub keep_alive_interval: Duration,
    /// How long the answer to such a ping may take. Default 20 s.
    pub keep_alive_timeout: Duration,
    /// How long a server that was told to stop says so in `/readyz` before it refuses connections, so that load balancers send
    /// their requests elsewhere first. Default 4 s: two probes that are two seconds apart.
    pub ready_drain: Duration,
    /// How long requests under way may go on after that. Default 25 s: with the former, less than the 30 s after which container
    /// managers kill.
    pub drain: Duration,
    /// How long one readiness check may take. Default 2 s.
    pub ready_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_bytes: 32 << 10,
            url_bytes: 64 << 10,
            body_bytes: 4 << 20,
            public_body_bytes: 256 << 10,
            header_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_mins(2),
            request_timeout: Duration::from_mins(1),
            fallback_timeout: Some(Duration::from_mins(1)),
            streams_per_connection: 128,
            requests_per_address: 1024,
            reads_per_address: 16,
            memory_bytes: 256 << 20,
            strangers_percent: 10,
            address_percent: 25,
            identity_percent: 25,
            body_rate: 8 << 10,
            body_grace: Duration::from_secs(5),
            send_timeout: Duration::from_secs(30),
            unsent_bytes: 1 << 20,
            connections: 8192,
            connections_per_address: 1024,
            handshake_timeout: Duration::from_secs(10),
            handshakes: 1024,
            handshakes_per_address: 64,
            keep_alive_interval: Duration::from_secs(30),
            keep_alive_timeout: Duration::from_secs(20),
            ready_drain: Duration::from_secs(4),
            drain: Duration::from_secs(25),
            ready_timeout: Duration::from_secs(2),
        }
    }
}
