//! What requests may hold at once: one budget of bytes for all connections, and the shares of it (ADR 18).

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use domain::{Error, Kind, Rule, Uidp, error::Detail};
use tokio::sync::Semaphore;

use crate::{
    metrics::{Limit, Metrics},
    settings::Limits,
};

mod line;
mod load;
mod pool;

pub(crate) use line::Line;
pub(crate) use load::{Load, ORDINARY};
pub(crate) use pool::Client;
use pool::{Pool, Registry};

/// When it makes sense to come back.
const SOON: Duration = Duration::from_secs(1);

/// The budget and its shares.
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
    shares: Shares,
    total: Pool,
    strangers: Pool,
    addresses: Registry<Client, Address>,
    identities: Registry<Uidp, Pool>,
}

/// How many bytes there may be of each, reckoned once: every request asks several times.
struct Shares {
    strangers: usize,
    address: usize,
    address_strangers: usize,
    identity: usize,
}

/// What one address has.
#[derive(Debug, Default)]
pub(crate) struct Address {
    bytes: Pool,
    /// Of these bytes, those of strangers.
    strange: Pool,
    requests: Pool,
    /// The turns of those of them that read.
    reads: OnceLock<Semaphore>,
    /// Of these, those that go on for as long as their client likes.
    watches: Pool,
    /// Answers that say no more than that a limit is reached.
    refusals: Pool,
    handshakes: OnceLock<Semaphore>,
}

impl Shares {
    fn of(limits: &Limits) -> Self {
        let part = |of: usize, percent: u32| of / 100 * percent as usize + of % 100 * percent as usize / 100;
        let strangers = part(limits.memory_bytes, limits.strangers_percent);
        Self {
            strangers,
            address: part(limits.memory_bytes, limits.address_percent),
            address_strangers: part(strangers, limits.address_percent),
            identity: part(limits.memory_bytes, limits.identity_percent),
        }
    }
}

impl Budget {
    pub(crate) fn new(limits: Limits, metrics: Arc<Metrics>) -> Arc<Self> {
        let (total, strangers) = (Pool::shown_by(&metrics.bytes), Pool::shown_by(&metrics.strange_bytes));
        let (shares, addresses, identities) = (Shares::of(&limits), Registry::default(), Registry::default());
        Arc::new(Self { limits, metrics, shares, total, strangers, addresses, identities })
    }

    /// What the address has.
    pub(crate) fn address(&self, client: Client) -> Arc<Address> {
        self.addresses.of(&client)
    }

    /// How many bytes one of the shares may have.
    fn bytes(&self, limit: Limit) -> usize {
        match limit {
            Limit::Strangers => self.shares.strangers,
            Limit::Address => self.shares.address,
            Limit::AddressStrangers => self.shares.address_strangers,
            Limit::Identity => self.shares.identity,
            _ => self.limits.memory_bytes,
        }
    }

    /// The error of a limit that is reached. Counts it.
    pub(crate) fn refusal(&self, limit: Limit) -> Error {
        self.metrics.reached(limit);
        let bytes = self.bytes(limit);
        let (rule, message) = match limit {
            Limit::Requests => {
                let most = self.limits.requests_per_address;
                (
                    Rule::TooManyRequests,
                    format!("this address has {most} requests under way, and no more may be; wait for answers"),
                )
            }
            Limit::Watches => (
                Rule::TooManyRequests,
                "this address watches health or asks for reflection too often at once; end some".to_owned(),
            ),
            Limit::BodyRate => {
                let rate = self.limits.body_rate;
                let message = format!("the body arrived at less than {rate} bytes a second; send it faster or in parts");
                return Error::new(Kind::DeadlineExceeded, Rule::BodyTooSlow, message);
            }
            Limit::Strangers => (
                Rule::MemoryShare,
                format!("requests without a good token have {bytes} bytes under way, and no more may be; retry"),
            ),
            Limit::Address | Limit::AddressStrangers => {
                (Rule::MemoryShare, format!("this address has {bytes} bytes under way, and no more may be; read answers first"))
            }
            Limit::Identity => {
                (Rule::MemoryShare, format!("this identity has {bytes} bytes under way, and no more may be; read answers first"))
            }
            _ => (Rule::MemoryShare, format!("all requests together have {bytes} bytes under way, and no more may be; retry")),
        };
        Error::new(Kind::ResourceExhausted, rule, message).with(Detail::RetryAfter(SOON))
    }
}

impl Address {
    /// The handshakes that may still begin.
    pub(crate) fn handshakes(&self, most: usize) -> &Semaphore {
        places(&self.handshakes, most)
    }

    /// The turns of requests that read.
    fn reads(&self, most: usize) -> &Semaphore {
        places(&self.reads, most)
    }
}

fn places(places: &OnceLock<Semaphore>, most: usize) -> &Semaphore {
    places.get_or_init(|| Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)))
}

impl Limit {
    /// All of them.
    pub(crate) const ALL: [Self; 14] = [
        Self::Memory,
        Self::Strangers,
        Self::Address,
        Self::AddressStrangers,
        Self::Identity,
        Self::Requests,
        Self::Reads,
        Self::Watches,
        Self::BodyRate,
        Self::SendTimeout,
        Self::Refusals,
        Self::Connections,
        Self::AddressConnections,
        Self::Handshakes,
    ];

    /// The label of metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Strangers => "memory_of_strangers",
            Self::Address => "memory_of_address",
            Self::AddressStrangers => "memory_of_strangers_of_address",
            Self::Identity => "memory_of_identity",
            Self::Requests => "requests_per_address",
            Self::Reads => "reads_per_address",
            Self::Watches => "watches_per_address",
            Self::BodyRate => "body_rate",
            Self::SendTimeout => "send_timeout",
            Self::Refusals => "unread_refusals",
            Self::Connections => "connections",
            Self::AddressConnections => "connections_per_address",
            Self::Handshakes => "handshakes",
        }
    }
}
