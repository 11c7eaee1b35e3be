//! A little randomness, for names, ports and passwords that nobody else has.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
};

/// 64 bits that differ with every call: the standard library seeds every process from the system's generator.
pub(crate) fn bits() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// 32 hexadecimal digits.
pub(crate) fn word() -> String {
    format!("{:016x}{:016x}", bits(), bits())
}

/// A loopback port that nobody listens on now. It lies below those that systems give to outgoing connections, so that
/// nobody takes it while its server is down, and no client that tries to reconnect meets itself.
pub(crate) fn port() -> u16 {
    (0..1000)
        .map(|_| 12_000 + u16::try_from(bits() % 20_000).unwrap_or_default())
        .find(|port| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port between 12000 and 32000")
}
