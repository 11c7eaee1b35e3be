//! How much of a delay is the machine's and not the server's.
//!
//! A thread that competes with nobody's locks does a little work, sleeps, and notes how long both took beside the best that they
//! ever took. What it loses, everybody loses. It works so little that a busy machine serves it first, so it also notes how much
//! processor time others use: what is left for the server is that much slower.

use std::{
    hint::black_box,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::others;

const SLEEP: Duration = Duration::from_millis(10);
/// About a millisecond of work.
const WORK: u64 = 200_000;
/// How often what others use is looked at: the clock of that has a resolution of 10 ms.
const LOOK: Duration = Duration::from_millis(250);
/// What is left for the server at least, for the reckoning.
const LEAST: f64 = 0.1;

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
    /// What others have used, by when that was looked at.
    others: Arc<Mutex<Vec<(Instant, Duration)>>>,
    stop: Arc<AtomicBool>,
    best: Duration,
    threads: Vec<JoinHandle<()>>,
}

impl Control {
    pub(crate) fn start() -> Self {
        let best = (0..50).map(|_| work()).min().unwrap_or_default();
        let (turns, stop) = (Arc::<Mutex<Vec<Turn>>>::default(), Arc::<AtomicBool>::default());
        let others = Arc::<Mutex<Vec<_>>>::default();
        let (seen, stopped) = (Arc::clone(&others), Arc::clone(&stop));
        let looks = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let look = (Instant::now(), others::used());
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(look);
                thread::sleep(LOOK);
            }
        });
        let (noted, stopped) = (Arc::clone(&turns), Arc::clone(&stop));
        let works = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let begin = Instant::now();
                thread::sleep(SLEEP);
                let late = begin.elapsed().saturating_sub(SLEEP);
                let work = work();
                let turn = Turn { begin, end: Instant::now(), late, work };
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(turn);
            }
        });
        Self { turns, others, stop, best, threads: vec![looks, works] }
    }

    /// What is left of a delay between these moments without the machine's part: less the longest time that the thread
    /// did not run, divided by how much slower than at best it worked, or than without others.
    pub(crate) fn without_machine(&self, begin: Instant, end: Instant) -> Duration {
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let from = turns.partition_point(|turn| turn.end < begin);
        let during: Vec<_> = turns[from..].iter().take_while(|turn| turn.begin <= end).collect();
        let late = during.iter().map(|turn| turn.late + turn.work.saturating_sub(self.best)).max().unwrap_or_default();
        let took: Duration = during.iter().map(|turn| turn.work).sum();
        let at_best: Duration = during.iter().map(|_| self.best).sum();
        let slower = took.as_secs_f64() / at_best.as_secs_f64().max(1e-9);
        (end - begin).saturating_sub(late).div_f64(slower.max(1.0 / self.left(begin, end)))
    }

    /// Which part of the processors others have left between these moments.
    fn left(&self, begin: Instant, end: Instant) -> f64 {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let first = others.partition_point(|(at, _)| *at <= begin).saturating_sub(1);
        let last = others.partition_point(|(at, _)| *at < end).min(others.len().saturating_sub(1));
        let (Some((from, before)), Some((to, after))) = (others.get(first), others.get(last)) else { return 1.0 };
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let there_was = to.saturating_duration_since(*from).as_secs_f64() * f64::from(u32::try_from(processors).unwrap_or(1));
        if there_was <= 0.0 {
            return 1.0;
        }
        (1.0 - after.saturating_sub(*before).as_secs_f64() / there_was).clamp(LEAST, 1.0)
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
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
        let control = |turns: Vec<Turn>, others: Vec<_>| Control {
            turns: Arc::new(Mutex::new(turns)),
            others: Arc::new(Mutex::new(others)),
            stop: Arc::default(),
            best,
            threads: Vec::new(),
        };
        let of = |turns| control(turns, Vec::new());
        let quiet = of(vec![turn(second, Duration::ZERO, best), turn(2 * second, Duration::ZERO, best)]);
        assert_eq!(quiet.without_machine(begin, begin + 3 * second), 3 * second);
        let stopped = of(vec![turn(second, second, best)]);
        assert_eq!(stopped.without_machine(begin, begin + 3 * second), 2 * second);
        let slow = of(vec![turn(second, Duration::ZERO, 4 * best)]);
        let left = slow.without_machine(begin, begin + 4 * second);
        assert!(left <= second && left > second / 2, "{left:?}");
        let processors = u32::try_from(thread::available_parallelism().map_or(1, usize::from)).unwrap_or(1);
        let others = vec![(begin, Duration::ZERO), (begin + 4 * second, 3 * second * processors)];
        let crowded = control(vec![turn(second, Duration::ZERO, best)], others);
        assert_eq!(crowded.without_machine(begin, begin + 4 * second), second, "others leave a quarter");
    }
}
