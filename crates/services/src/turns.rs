//! Turns: updates of one resource that get in each other's way go one after the other.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::Uidp;
use tokio::sync::OwnedMutexGuard;

/// Longest wait for a turn: that of a crowd on a slow machine, and a third of what a request may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The resources whose updates take turns, in the order of their arrival. Those that nobody waits for take no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<Uidp, Line>>>);

/// Those who take turns on one resource.
#[derive(Debug, Default)]
struct Line {
    turn: Arc<tokio::sync::Mutex<()>>,
    /// How many wait or have their turn.
    length: usize,
}

/// Somebody's turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    // INVARIANT: goes first, so that the next in line finds the line.
    _turn: OwnedMutexGuard<()>,
    _place: Place,
}

/// A place in a line.
#[derive(Debug)]
struct Place {
    turns: Turns,
    of: Uidp,
}

impl Turns {
    /// Whether updates of the resource take turns now.
    pub(crate) fn are_taken(&self, of: &Uidp) -> bool {
        self.lines().contains_key(of)
    }

    /// Waits for a turn; `None` when it has not come in time.
    pub(crate) async fn wait(&self, of: &Uidp) -> Option<Turn> {
        let (turn, place) = self.stand_in_line(of);
        let turn = tokio::time::timeout(PATIENCE, turn.lock_owned()).await.ok()?;
        Some(Turn { _turn: turn, _place: place })
    }

    fn stand_in_line(&self, of: &Uidp) -> (Arc<tokio::sync::Mutex<()>>, Place) {
        let mut lines = self.lines();
        let line = lines.entry(of.clone()).or_default();
        line.length += 1;
        (Arc::clone(&line.turn), Place { turns: self.clone(), of: of.clone() })
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<Uidp, Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lines = self.turns.lines();
        if let Some(line) = lines.get_mut(&self.of) {
            line.length -= 1;
            if line.length == 0 {
                lines.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    #[tokio::test(start_paused = true)]
    async fn one_has_the_turn_and_others_wait() {
        let turns = Turns::default();
        let first = turns.wait(&uid(1)).await.expect("nobody else is there");
        assert!(turns.are_taken(&uid(1)) && !turns.are_taken(&uid(2)));
        assert!(turns.wait(&uid(2)).await.is_some(), "another resource has a line of its own");
        assert!(turns.wait(&uid(1)).await.is_none(), "it has not come in time");
        let next = tokio::spawn({
            let turns = turns.clone();
            async move { turns.wait(&uid(1)).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(next.await.expect("it ends"));
        assert!(turns.lines().is_empty(), "nobody is left");
    }

    #[tokio::test]
    async fn turns_come_in_the_order_of_arrival() {
        let turns = Turns::default();
        let first = turns.wait(&uid(1)).await;
        let (told, mut came) = mpsc::unbounded_channel();
        for number in 0..10 {
            let (turns, told) = (turns.clone(), told.clone());
            tokio::spawn(async move {
                let _turn = turns.wait(&uid(1)).await;
                told.send(number).expect("somebody listens");
            });
            tokio::task::yield_now().await;
        }
        drop(first);
        for number in 0..10 {
            assert_eq!(came.recv().await, Some(number));
        }
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_the_line() {
        let turns = Turns::default();
        let first = turns.wait(&uid(1)).await;
        let waits = tokio::spawn({
            let turns = turns.clone();
            async move { turns.wait(&uid(1)).await }
        });
        tokio::task::yield_now().await;
        waits.abort();
        assert!(waits.await.is_err_and(|error| error.is_cancelled()));
        drop(first);
        assert!(turns.lines().is_empty());
    }
}
