//! How often something may be done: so many times at once, and then again and again after a while.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// How many times at once, by whoever has not done it for long.
    pub(crate) burst: u32,
    /// After how long once more.
    pub(crate) every: Duration,
}

/// What many have done, each for themselves. It remembers who has something left to wait for, and nobody else.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// When each may do it in one go again as often as is allowed at once.
    rested: HashMap<String, Instant>,
    /// How many there may be before those who have rested are forgotten.
    limit: usize,
}

/// Fewer than this are never looked through.
const FEW: usize = 1024;

impl Rates {
    /// Does it once at `now` for each of these, if each of them may.
    ///
    /// # Errors
    /// After how long all of them may; nothing is done then.
    pub(crate) fn take(&self, each: &[(String, Rate)], now: Instant) -> Result<(), Duration> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rested = |state: &State, name: &str, rate: &Rate| {
            state.rested.get(name).copied().filter(|at| *at > now).unwrap_or(now) + rate.every
        };
        let wait = each
            .iter()
            .map(|(name, rate)| rested(&state, name, rate).duration_since(now).saturating_sub(rate.every * rate.burst))
            .max();
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            return Err(wait);
        }
        if state.rested.len() >= state.limit.max(FEW) {
            state.rested.retain(|_, at| *at > now);
            state.limit = state.rested.len() * 2;
        }
        for (name, rate) in each {
            let at = rested(&state, name, rate);
            state.rested.insert(name.clone(), at);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Rate = Rate { burst: 2, every: Duration::from_secs(10) };
    const QUICK: Rate = Rate { burst: 3, every: Duration::from_secs(1) };

    #[test]
    fn a_burst_and_then_one_after_the_other() {
        let (rates, begin) = (Rates::default(), Instant::now());
        let take = |name: &str, seconds: u64| rates.take(&[(name.to_owned(), SLOW)], begin + Duration::from_secs(seconds));
        assert_eq!((take("a", 0), take("a", 0)), (Ok(()), Ok(())));
        assert_eq!(take("a", 0), Err(Duration::from_secs(10)));
        assert_eq!(take("b", 0), Ok(()), "another one has an own share");
        assert_eq!(take("a", 4), Err(Duration::from_secs(6)), "what is refused counts nothing");
        assert_eq!((take("a", 10), take("a", 10)), (Ok(()), Err(Duration::from_secs(10))));
        assert_eq!((take("a", 1000), take("a", 1000)), (Ok(()), Ok(())), "rest adds up to a burst and no more");
        assert!(take("a", 1000).is_err());
    }

    #[test]
    fn all_or_none() {
        let (rates, now) = (Rates::default(), Instant::now());
        let take = |slow: &str| rates.take(&[(slow.to_owned(), SLOW), ("all".to_owned(), QUICK)], now);
        assert_eq!((take("a"), take("a")), (Ok(()), Ok(())));
        assert_eq!((take("a"), take("a")), (Err(SLOW.every), Err(SLOW.every)));
        assert_eq!((take("b"), take("b")), (Ok(()), Err(QUICK.every)), "those who were refused have left the rest its share");
    }

    #[test]
    fn who_has_rested_is_forgotten() {
        let (rates, begin) = (Rates::default(), Instant::now());
        for number in 0..10_000_u64 {
            let now = begin + Duration::from_secs(number);
            assert_eq!(rates.take(&[(number.to_string(), QUICK)], now), Ok(()));
        }
        assert!(rates.0.lock().expect("a lock").rested.len() <= FEW);
    }
}
