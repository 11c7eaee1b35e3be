//! How often somebody did something in the current minute.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use domain::{Timestamp, Uidp};

const MINUTE_MILLIS: i64 = 60_000;
/// Callers that are counted at once; with more, those whose minute is over are forgotten.
const COUNTED: usize = 4096;

/// Counts by caller; callers without identity are one.
#[derive(Debug, Default)]
pub(crate) struct Minutes(Mutex<HashMap<Option<Uidp>, Count>>);

/// What one caller did in one minute.
#[derive(Clone, Copy, Debug)]
struct Count {
    since: Timestamp,
    times: u32,
}

impl Minutes {
    /// Adds `times` to what `who` did; how often that was in this minute. Added nothing, it only tells.
    pub(crate) fn add(&self, who: Option<&Uidp>, times: u32, now: Timestamp) -> u32 {
        let is_over = |count: &Count| !(0..MINUTE_MILLIS).contains(&now.0.saturating_sub(count.since.0));
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= COUNTED {
            counts.retain(|_, count| !is_over(count));
        }
        let fresh = Count { since: now, times: 0 };
        let count = counts.entry(who.cloned()).or_insert(fresh);
        if is_over(count) {
            *count = fresh;
        }
        count.times = count.times.saturating_add(times);
        count.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_minutes_of_its_own() {
        let (minutes, one) = (Minutes::default(), Uidp::root_from([1; 20]));
        let add = |who, times, seconds| minutes.add(who, times, Timestamp::from_seconds(seconds));
        assert_eq!((add(Some(&one), 2, 0), add(Some(&one), 3, 59), add(Some(&one), 0, 59)), (2, 5, 5));
        assert_eq!((add(None, 1, 59), add(Some(&one), 1, 60)), (1, 1), "another one, and another minute");
        assert_eq!(add(Some(&one), 1, 30), 1, "a clock that was set back begins another minute");
    }

    #[test]
    fn those_whose_minute_is_over_are_forgotten() {
        let minutes = Minutes::default();
        for number in 0..20_000_u32 {
            let mut bytes = [0; 20];
            bytes.iter_mut().zip(number.to_be_bytes()).for_each(|(to, from)| *to = from);
            minutes.add(Some(&Uidp::root_from(bytes)), 1, Timestamp::from_seconds(i64::from(number)));
        }
        assert!(minutes.0.lock().unwrap().len() <= COUNTED);
    }
}
