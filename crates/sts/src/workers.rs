//! Work that may take more than a millisecond: compiling patterns, reading keys, matching long claims. It has threads of its
//! own, which organizations share fairly; no request is answered there and nothing is written.
//!
//! An organization pays for what it asks for and for tokens whose signature holds. What a token makes to do before is its
//! sender's: all who have proved nothing are one party among the organizations, and take turns in it by their addresses.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{Error, Kind, Rule, Uidp, error::Detail};
use prometheus_client::{
    metrics::{counter::Counter, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use tokio::task::spawn_blocking;

use crate::{
    Settings,
    fair::{Busy, FairQueue, Place, Shares},
};

/// The threads for dear work. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Workers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    queue: FairQueue,
    /// Who of the strangers may wait in `queue`: no more at once than may have a place there.
    strangers: FairQueue,
    waiting: Gauge,
    time: Histogram,
    refused: Counter,
}

/// In whose name work is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Party {
    /// An organization, or who answers for an issuer.
    Known(String),
    /// Whoever sends tokens from this address that nobody has verified. Of IPv6 it is the network of 64 bits, because one client
    /// usually has all of it.
    Stranger(IpAddr),
}

/// Up to what the budgets of patterns admit.
const SECONDS: [f64; 8] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5];
/// What all strangers together are called in the queue, where organizations have their UIDs.
const STRANGERS: &str = "strangers";
/// When a retry makes sense.
const RETRY: Duration = Duration::from_secs(1);

impl Party {
    /// The organization that the resource is in.
    pub(crate) fn organization(uid: &Uidp) -> Self {
        Self::Known(uid.root_text().to_owned())
    }

    /// Whoever calls from this address, while nothing about them is proved. All calls without one are one stranger's.
    pub(crate) fn stranger(peer: Option<IpAddr>) -> Self {
        let address = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        Self::Stranger(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
            address @ IpAddr::V4(_) => address,
        })
    }

    /// What it is called in queues of parties of its kind.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Known(name) => name.clone(),
            Self::Stranger(address) => address.to_string(),
        }
    }

    fn refusal(&self, why: Busy) -> Error {
        let message = format!("this server is busy with {self}, and this request {why}; retry later, and use simpler patterns");
        Error::new(Kind::ResourceExhausted, Rule::OrganizationBusy, message).with(Detail::RetryAfter(RETRY))
    }
}

impl Workers {
    /// Threads under these settings. None is made before there is work.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let limits = &settings.limits;
        let shares = Shares { places: limits.work_threads.max(1), waiting: limits.work_waiting, timeout: limits.work_timeout };
        let of_strangers = Shares { places: shares.share(), ..shares };
        let waiting = Gauge::default();
        Self(Arc::new(Inner {
            queue: FairQueue::new(shares, waiting.clone()),
            strangers: FairQueue::new(of_strangers, waiting.clone()),
            waiting,
            time: Histogram::new(SECONDS),
            refused: Counter::default(),
        }))
    }

    /// Adds what is counted here to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let Inner { waiting, time, refused, .. } = &*self.0;
        let help = "Requests that wait for a thread to compile patterns, read keys or match long claims";
        registry.register("pattern_work_waiting", help, waiting.clone());
        let help = "Requests that were refused because too much of their organization waited for such a thread, or for too long";
        registry.register("pattern_work_refused", help, refused.clone());
        let help = "How long compiling patterns, reading keys and matching long claims took, without waiting";
        registry.register_with_unit("pattern_work", help, Unit::Seconds, time.clone());
    }

    /// Does the work for `party` when it is its turn. Once begun it goes on, whoever goes.
    ///
    /// # Errors
    /// Resource exhausted when too much of the party waits already, or when it waits for too long.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        party: &Party,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let places = self.0.places(party).await.map_err(|why| {
            self.0.refused.inc();
            party.refusal(why)
        })?;
        let inner = Arc::clone(&self.0);
        let work = spawn_blocking(move || {
            let _places = places;
            let begun = Instant::now();
            let done = work();
            inner.time.observe(begun.elapsed().as_secs_f64());
            done
        });
        work.await.map_err(Error::internal)
    }
}

impl Inner {
    /// A thread's place, and before it for strangers one among themselves.
    async fn places(&self, party: &Party) -> Result<(Place, Option<Place>), Busy> {
        match party {
            Party::Known(name) => Ok((self.queue.place(name).await?, None)),
            Party::Stranger(address) => {
                let among_strangers = self.strangers.place(&address.to_string()).await?;
                Ok((self.queue.place(STRANGERS).await?, Some(among_strangers)))
            }
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(name) => write!(f, "patterns and keys of {name}"),
            Self::Stranger(_) => f.write_str("patterns and keys for tokens of this address that are not verified yet"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use futures::{FutureExt as _, future::BoxFuture};

    use super::*;

    fn known(name: &str) -> Party {
        Party::Known(name.to_owned())
    }

    fn stranger(address: &str) -> Party {
        Party::stranger(Some(address.parse().unwrap()))
    }

    fn workers(threads: usize) -> Workers {
        let mut settings = Settings::new("https://api.example");
        settings.limits.work_threads = threads;
        settings.limits.work_waiting = 2;
        settings.limits.work_timeout = Duration::from_hours(1);
        Workers::new(&settings)
    }

    /// Begins work that lasts until the sender is gone, and what it comes to.
    fn begin(workers: &Workers, party: &Party) -> (Sender<()>, BoxFuture<'static, Result<(), Error>>) {
        let (end, until) = channel::<()>();
        let (workers, party) = (workers.clone(), party.clone());
        let mut work = async move { workers.run(&party, move || _ = until.recv()).await }.boxed();
        match (&mut work).now_or_never() {
            Some(outcome) => (end, async { outcome }.boxed()),
            None => (end, work),
        }
    }

    #[test]
    fn one_network_of_ipv6_is_one_stranger() {
        assert_eq!(stranger("2001:db8::1"), stranger("2001:db8::2:3"));
        assert_ne!(stranger("2001:db8::1"), stranger("2001:db8:0:1::1"));
        assert_eq!(stranger("::ffff:192.0.2.1"), stranger("192.0.2.1"));
    }

    #[tokio::test]
    async fn strangers_push_no_organization_out() {
        let workers = workers(2);
        // One is at it, and two wait; what waits is refused nothing to others.
        let crowd: Vec<_> = (0..3).map(|_| begin(&workers, &stranger("192.0.2.1"))).collect();
        let error = begin(&workers, &stranger("192.0.2.1")).1.await.expect_err("too many");
        assert_eq!((error.kind(), error.rule()), (Kind::ResourceExhausted, Rule::OrganizationBusy));
        assert!(error.details().iter().any(|detail| matches!(detail, Detail::RetryAfter(_))));
        assert!(
            error.message().contains("tokens of this address that are not verified yet, and this request is one of too many")
        );
        workers.run(&known("a"), || ()).await.expect("a thread is left");
        let (end, other) = begin(&workers, &stranger("192.0.2.2"));
        // Each address has its turn: the other one's comes before the rest of the crowd.
        let mut crowd = crowd.into_iter();
        let (first, _) = crowd.next().expect("it is at it");
        drop((first, end));
        other.await.expect("its turn comes");
        for (end, work) in crowd {
            drop(end);
            work.await.expect("its turn comes");
        }
        assert_eq!(workers.0.waiting.get(), 0);
    }

    #[tokio::test]
    async fn many_strangers_are_one_party_among_organizations() {
        let workers = workers(1);
        let (end, first) = begin(&workers, &known("a"));
        let strangers: Vec<_> = (1..9).map(|last| begin(&workers, &stranger(&format!("192.0.2.{last}")))).collect();
        let (ended, own) = begin(&workers, &known("b"));
        drop((end, ended));
        first.await.expect("its turn comes");
        // One of them was before it.
        let mut strangers = strangers.into_iter();
        let (end, work) = strangers.next().expect("there are eight");
        drop(end);
        work.await.expect("its turn comes");
        own.await.expect("it waits for one of the strangers, and not for all");
    }
}
