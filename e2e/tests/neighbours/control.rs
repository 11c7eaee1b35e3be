//! How much of a delay is the machine's and not the server's.
//!
//! A thread that competes with nobody's locks does a little work, sleeps, and notes how long both took beside the best that they
//! ever took. What it loses, everybody loses.

use std::{
    hint::black_box,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

const SLEEP: Duration = Duration::from_millis(10);
/// About a millisecond of work.
const WORK: u64 = 200_000;

/// One turn of the thread.
#[derive(Clone, Copy, Debug)]
struct Turn {
    begin: Instant,
    end: Instant,
    /// How much later than asked it woke.
    late: Duration,
    /// How long the work took.
    work: Duration,
}

/// The thread and what it has noted.
#[derive(Debug)]
pub(crate) struct Control {
    turns: Arc<Mutex<Vec<Turn>>>,
    stop: Arc<AtomicBool>,
    best: Duration,
    thread: Option<JoinHandle<()>>,
}

impl Control {
    pub(crate) fn start() -> Self {
        let best = (0..50).map(|_| work()).min().unwrap_or_default();
        let (turns, stop) = (Arc::<Mutex<Vec<Turn>>>::default(), Arc::<AtomicBool>::default());
        let (noted, stopped) = (Arc::clone(&turns), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let begin = Instant::now();
                thread::sleep(SLEEP);
                let late = begin.elapsed().saturating_sub(SLEEP);
                let work = work();
                let turn = Turn { begin, end: Instant::now(), late, work };
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(turn);
            }
        });
        Self { turns, stop, best, thread: Some(thread) }
    }

    /// What is left of a delay between these moments without the machine's part: less the longest time that the thread
    /// did not run, divided by how much slower than at best it worked.
    pub(crate) fn without_machine(&self, begin: Instant, end: Instant) -> Duration {
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let from = turns.partition_point(|turn| turn.end < begin);
        let during: Vec<_> = turns[from..].iter().take_while(|turn| turn.begin <= end).collect();
        let late = during.iter().map(|turn| turn.late + turn.work.saturating_sub(self.best)).max().unwrap_or_default();
        let took: Duration = during.iter().map(|turn| turn.work).sum();
        let at_best: Duration = during.iter().map(|_| self.best).sum();
        let slower = took.as_secs_f64() / at_best.as_secs_f64().max(1e-9);
        (end - begin).saturating_sub(late).div_f64(slower.max(1.0))
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work() -> Duration {
    let begin = Instant::now();
    let mut sum = 0_u64;
    for number in 0..WORK {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(number));
    }
    black_box(sum);
    begin.elapsed()
}

mod tests {
    use super::*;

    #[test]
    fn a_delay_that_the_machine_shares_is_not_the_servers() {
        let begin = Instant::now();
        let (second, best) = (Duration::from_secs(1), Duration::from_millis(1));
        let turn = |at: Duration, late, work| Turn { begin: begin + at, end: begin + at + second / 10, late, work };
        let of = |turns: Vec<Turn>| Control { turns: Arc::new(Mutex::new(turns)), stop: Arc::default(), best, thread: None };
        let quiet = of(vec![turn(second, Duration::ZERO, best), turn(2 * second, Duration::ZERO, best)]);
        assert_eq!(quiet.without_machine(begin, begin + 3 * second), 3 * second);
        let stopped = of(vec![turn(second, second, best)]);
        assert_eq!(stopped.without_machine(begin, begin + 3 * second), 2 * second);
        let slow = of(vec![turn(second, Duration::ZERO, 4 * best)]);
        let left = slow.without_machine(begin, begin + 4 * second);
        assert!(left <= second && left > second / 2, "{left:?}");
    }
}
