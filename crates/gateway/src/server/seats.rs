//! The places for connections. A newcomer gets one even when all are taken: from the connection that has been silent for longest.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::{budget::Client, metrics::Limit};

/// The places of some listeners.
#[derive(Debug)]
pub(super) struct Seats {
    most: usize,
    /// How many of them one client may have.
    most_per_client: usize,
    taken: Mutex<Taken>,
}

/// A place; it is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    pub(super) activity: Arc<Activity>,
    /// Cancelled when somebody else needs the place.
    pub(super) leave: CancellationToken,
}

#[derive(Debug, Default)]
struct Taken {
    next: u64,
    seats: HashMap<u64, Entry>,
    everybody: Queue,
    clients: HashMap<Client, Crowd>,
}

#[derive(Debug)]
struct Entry {
    activity: Arc<Activity>,
    leave: CancellationToken,
    client: Option<Client>,
}

/// The connections of one client.
#[derive(Debug, Default)]
struct Crowd {
    count: usize,
    queue: Queue,
}

/// Numbers of seats, about in the order in which they were taken; some of them may be free by now.
#[derive(Debug, Default)]
struct Queue(VecDeque<u64>);

impl Seats {
    pub(super) fn new(most: usize, most_per_client: usize) -> Arc<Self> {
        Arc::new(Self { most: most.max(1), most_per_client: most_per_client.max(1), taken: Mutex::default() })
    }

    /// A place for a connection of `client`; none stands for somebody whose connections are not counted apart, such as a proxy.
    ///
    /// # Errors
    /// The limit that is reached when no connection that could go instead is silent.
    pub(super) fn take(self: &Arc<Self>, client: Option<Client>) -> Result<Seat, Limit> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let Taken { next, seats, everybody, clients } = &mut *taken;
        if let Some(crowd) = client.and_then(|client| clients.get_mut(&client))
            && crowd.count >= self.most_per_client
        {
            let silent = crowd.queue.silent(seats).ok_or(Limit::AddressConnections)?;
            vacate(seats, clients, silent);
        }
        if seats.len() >= self.most {
            let silent = everybody.silent(seats).ok_or(Limit::Connections)?;
            vacate(seats, clients, silent);
        }
        let number = *next;
        *next += 1;
        let (activity, leave) = (Activity::new(), CancellationToken::new());
        seats.insert(number, Entry { activity: Arc::clone(&activity), leave: leave.clone(), client });
        everybody.push(number, seats);
        if let Some(client) = client {
            let crowd = clients.entry(client).or_default();
            crowd.count += 1;
            crowd.queue.push(number, seats);
        }
        Ok(Seat { seats: Arc::clone(self), number, activity, leave })
    }
}

/// Frees a place and tells its connection, if it still has it.
fn vacate(seats: &mut HashMap<u64, Entry>, clients: &mut HashMap<Client, Crowd>, number: u64) {
    let Some(entry) = seats.remove(&number) else { return };
    entry.leave.cancel();
    let Some(client) = entry.client else { return };
    if let Some(crowd) = clients.get_mut(&client) {
        crowd.count -= 1;
        if crowd.count == 0 {
            clients.remove(&client);
        }
    }
}

impl Queue {
    fn push(&mut self, number: u64, seats: &HashMap<u64, Entry>) {
        // Seats that are free by now go when they could be the half of all.
        if self.0.len() > 64 && self.0.len() >= 2 * seats.len() {
            self.0.retain(|number| seats.contains_key(number));
        }
        self.0.push_back(number);
    }

    /// The connection that should go: the oldest that has never asked anything, or else the one that has been without a request
    /// for longest.
    fn silent(&mut self, seats: &HashMap<u64, Entry>) -> Option<u64> {
        // Those that have asked go to the end, so that the next search need not pass them again.
        for _ in 0..self.0.len() {
            let number = self.0.pop_front()?;
            match seats.get(&number) {
                Some(entry) if entry.activity.begun() == 0 => return Some(number),
                Some(_) => self.0.push_back(number),
                None => {}
            }
        }
        let silent = self.0.iter().filter_map(|number| seats.get(number).map(|entry| (number, &entry.activity)));
        let silent = silent.filter(|(_, activity)| activity.rests());
        silent.max_by_key(|(_, activity)| activity.idle_for()).map(|(number, _)| *number)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let Taken { seats, clients, .. } = &mut *taken;
        vacate(seats, clients, self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn client(number: u8) -> Client {
        Client::from(IpAddr::from([192, 0, 2, number]))
    }

    #[test]
    fn a_newcomer_takes_the_place_of_the_oldest_that_never_asked() {
        let seats = Seats::new(3, 3);
        let [asked, first, second] = [1, 2, 3].map(|number| seats.take(Some(client(number))).unwrap());
        drop(asked.activity.begin());
        let newcomer = seats.take(Some(client(4))).unwrap();
        assert!(first.leave.is_cancelled() && !second.leave.is_cancelled() && !asked.leave.is_cancelled());
        drop(first);
        let another = seats.take(Some(client(4))).unwrap();
        assert!(second.leave.is_cancelled());
        let under_way = [newcomer.activity.begin(), another.activity.begin()];
        let last = seats.take(Some(client(5))).unwrap();
        assert!(asked.leave.is_cancelled(), "who has asked goes when nobody else is silent");
        let _busy = last.activity.begin();
        assert_eq!(seats.take(Some(client(6))).err(), Some(Limit::Connections));
        drop(under_way);
        seats.take(Some(client(6))).unwrap();
    }

    #[test]
    fn one_client_displaces_itself_alone() {
        let seats = Seats::new(100, 2);
        let other = seats.take(Some(client(1))).unwrap();
        let crowd: Vec<_> = (0..10).map(|_| seats.take(Some(client(2))).unwrap()).collect();
        assert!(!other.leave.is_cancelled());
        assert_eq!(crowd.iter().filter(|seat| !seat.leave.is_cancelled()).count(), 2);
        let busy: Vec<_> = crowd.iter().map(|seat| seat.activity.begin()).collect();
        assert_eq!(seats.take(Some(client(2))).err(), Some(Limit::AddressConnections));
        let proxy: Vec<_> = (0..10).map(|_| seats.take(None).unwrap()).collect();
        assert!(proxy.iter().all(|seat| !seat.leave.is_cancelled()));
        drop((busy, crowd, proxy, other));
        let taken = seats.taken.lock().unwrap();
        assert!(taken.seats.is_empty() && taken.clients.is_empty());
    }

    #[test]
    fn queues_do_not_grow_with_those_that_have_gone() {
        let seats = Seats::new(10, 10);
        (0..10_000).for_each(|_| drop(seats.take(Some(client(1))).unwrap()));
        assert!(seats.taken.lock().unwrap().everybody.0.len() <= 65);
    }
}
