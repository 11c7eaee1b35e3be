//! Turns: updates of one resource that get in each other's way go one after the other.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{Error, Kind, Noun, Result, Rule, Uidp, error::Detail};
use tokio::sync::OwnedMutexGuard;

/// Longest wait for a turn: that of a crowd on a slow machine, and a third of what a request may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// When a retry makes sense.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

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

    /// Waits for a turn.
    ///
    /// # Errors
    /// Aborted when it has not come in time.
    pub(crate) async fn wait(&self, noun: Noun, of: &Uidp) -> Result<Turn> {
        let (turn, place) = self.stand_in_line(of);
        match tokio::time::timeout(PATIENCE, turn.lock_owned()).await {
            Ok(turn) => Ok(Turn { _turn: turn, _place: place }),
            Err(_) => Err(crowded(noun, of)),
        }
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

/// The error for an update before which too many others of the resource wait.
fn crowded(noun: Noun, of: &Uidp) -> Error {
    let message = format!(
        "too many updates of {} {of} are waiting, and the turn of this one did not come within {} s; retry in a moment",
        noun.title(),
        PATIENCE.as_secs()
    );
    Error::new(Kind::Aborted, Rule::Contended, message).with(Detail::RetryAfter(RETRY))
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    async fn wait(turns: &Turns, byte: u8) -> Result<Turn> {
        turns.wait(Noun::Group, &uid(byte)).await
    }

    #[tokio::test(start_paused = true)]
    async fn one_has_the_turn_and_others_wait() {
        let turns = Turns::default();
        let first = wait(&turns, 1).await.expect("nobody else is there");
        assert!(turns.are_taken(&uid(1)) && !turns.are_taken(&uid(2)));
        assert!(wait(&turns, 2).await.is_ok(), "another resource has a line of its own");
        let late = wait(&turns, 1).await.expect_err("it has not come in time");
        assert_eq!((late.kind(), late.rule()), (Kind::Aborted, Rule::Contended));
        let told = format!("too many updates of group {} are waiting, and the turn of this one did not come within 20 s", uid(1));
        assert!(late.message().starts_with(&told), "{late}");
        assert!(late.details().iter().any(|detail| matches!(detail, Detail::RetryAfter(_))));
        let next = tokio::spawn({
            let turns = turns.clone();
            async move { wait(&turns, 1).await.is_ok() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(next.await.expect("it ends"));
        assert!(turns.lines().is_empty(), "nobody is left");
    }

    #[tokio::test]
    async fn turns_come_in_the_order_of_arrival() {
        let turns = Turns::default();
        let first = wait(&turns, 1).await;
        let (told, mut came) = mpsc::unbounded_channel();
        for number in 0..10 {
            let (turns, told) = (turns.clone(), told.clone());
            tokio::spawn(async move {
                let _turn = wait(&turns, 1).await;
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
        let first = wait(&turns, 1).await;
        let waits = tokio::spawn({
            let turns = turns.clone();
            async move { wait(&turns, 1).await }
        });
        tokio::task::yield_now().await;
        waits.abort();
        assert!(waits.await.is_err_and(|error| error.is_cancelled()));
        drop(first);
        assert!(turns.lines().is_empty());
    }
}
