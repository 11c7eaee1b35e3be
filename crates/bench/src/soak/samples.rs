//! What a server takes, looked at again and again, and what that comes to.

use std::time::Duration;

use super::work::Done;
use crate::{
    Result,
    measure::{median, slope},
    plot::{Chart, Line, Scale},
    process::Process,
    report::{Budget, Row},
};

/// What anything may take in the last third of the time, divided by what it took in the second.
const GROWTH: f64 = 1.05;
/// Megabytes by which the memory may grow in a minute of the last two thirds. What leaves a single byte behind for each of some
/// thousand requests a second grows by that much, and so does what leaves some hundred bytes for each connection, issuer or
/// binding; what an allocator keeps comes and goes by a quarter of a megabyte, which over minutes is no slope.
const CREEP: f64 = 0.5;
/// What of the answers and tokens of the second third must still come in the last.
const PACE: f64 = 0.8;
/// Megabytes that the journal may come to take. Its file keeps the length of the most that ever waited for a checkpoint, so that
/// one larger batch is no growth; 4 MB are usual.
const JOURNAL: f64 = 32.0;

/// Everything that was seen.
#[derive(Debug, Default)]
pub(super) struct Samples {
    seen: Vec<Sample>,
    /// How many answers were not those that were due.
    pub(super) unexpected: u64,
    /// The first of those.
    pub(super) notes: Vec<String>,
}

/// One look.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Seconds since the beginning.
    at: f64,
    /// Megabytes.
    memory: f64,
    descriptors: f64,
    threads: f64,
    /// Megabytes.
    database: f64,
    /// Megabytes.
    journal: f64,
    /// Answers so far.
    answers: f64,
    /// Tokens handed out so far.
    tokens: f64,
    /// Writes so far.
    writes: f64,
}

impl Samples {
    /// Looks once.
    pub(super) fn add(&mut self, at: Duration, process: &Process<'_>, done: Done) -> Result<()> {
        self.seen.push(Sample {
            at: at.as_secs_f64(),
            memory: process.memory("VmRSS")?,
            descriptors: float(process.descriptors()?),
            threads: float(process.threads()?),
            database: process.database()?,
            journal: process.journal()?,
            answers: float(done.answers),
            tokens: float(done.tokens),
            writes: float(done.writes),
        });
        Ok(())
    }

    /// The cases: what was taken in the last third, beside the second, and what grows over both.
    pub(super) fn rows(&self) -> Vec<Row> {
        let compared = |case: &str, budget, figure: fn(&[Sample]) -> f64| {
            Row::beside(format!("soak: {case}"), figure(self.third(2)), figure(self.third(1)), budget)
        };
        vec![
            compared("memory (MB)", Budget::Times(GROWTH), |seen| middle(seen, |sample| sample.memory)),
            Row::alone("soak: memory, growth (MB/min)", self.creep(), Budget::Below(CREEP)),
            compared("open files and sockets", Budget::Times(GROWTH), |seen| middle(seen, |sample| sample.descriptors)),
            compared("threads", Budget::Times(GROWTH), |seen| middle(seen, |sample| sample.threads)),
            Row::alone("soak: journal, at most (MB)", self.longest_journal(), Budget::Below(JOURNAL)),
            Row::alone("soak: database, growth per write (KB)", self.growth_per_write(), Budget::Reported),
            compared("answers (requests/s)", Budget::Ratio(PACE), |seen| rate(seen, |sample| sample.answers)),
            compared("exchanges (tokens/s)", Budget::Ratio(PACE), |seen| rate(seen, |sample| sample.tokens)),
            Row::alone("soak: answers other than expected", float(self.unexpected), Budget::Below(1.0)),
        ]
    }

    /// Memory and journal over time.
    pub(super) fn chart(&self) -> Chart {
        let line = |name: &str, of: fn(&Sample) -> f64| {
            let points = self.seen.iter().map(|sample| (sample.at / 60.0, of(sample)));
            Line { name: name.to_owned(), points: points.collect() }
        };
        Chart {
            title: "Memory and journal under full load".to_owned(),
            across: ("minutes", Scale::Linear),
            up: ("megabytes", Scale::Linear),
            lines: vec![line("resident memory", |sample| sample.memory), line("journal", |sample| sample.journal)],
        }
    }

    fn longest_journal(&self) -> f64 {
        self.seen.iter().map(|sample| sample.journal).fold(0.0, f64::max)
    }

    /// By how many megabytes the memory has grown in a minute, once caches were full.
    fn creep(&self) -> f64 {
        let points: Vec<_> = self.warm().iter().map(|sample| (sample.at / 60.0, sample.memory)).collect();
        slope(&points)
    }

    /// How many kilobytes of the database each write has taken for good.
    fn growth_per_write(&self) -> f64 {
        match (self.warm().first(), self.warm().last()) {
            (Some(first), Some(last)) => (last.database - first.database) * 1e3 / (last.writes - first.writes),
            _ => f64::NAN,
        }
    }

    /// Everything behind the first third.
    fn warm(&self) -> &[Sample] {
        self.seen.get(self.seen.len() / 3..).unwrap_or_default()
    }

    fn third(&self, number: usize) -> &[Sample] {
        let length = self.seen.len() / 3;
        self.seen.get(number * length..(number + 1) * length).unwrap_or_default()
    }
}

fn middle(seen: &[Sample], of: fn(&Sample) -> f64) -> f64 {
    median(seen.iter().map(of).collect())
}

/// How much came in a second.
fn rate(seen: &[Sample], of: fn(&Sample) -> f64) -> f64 {
    match (seen.first(), seen.last()) {
        (Some(first), Some(last)) => (of(last) - of(first)) / (last.at - first.at),
        _ => f64::NAN,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts here fit in 52 bits")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(memory: impl Fn(f64) -> f64) -> Samples {
        let sample = |at: f64| Sample {
            at,
            memory: memory(at),
            descriptors: 50.0,
            threads: 10.0,
            database: 10.0 + at,
            journal: 4.0,
            answers: 1000.0 * at,
            tokens: 100.0 * at,
            writes: 500.0 * at,
        };
        Samples { seen: (0..60).map(|at| sample(f64::from(at))).collect(), ..Samples::default() }
    }

    fn verdicts(samples: &Samples) -> String {
        samples.rows().iter().map(|row| if row.verdict == crate::Verdict::Ok { '.' } else { 'x' }).collect()
    }

    #[test]
    fn what_grows_after_the_first_third_is_short() {
        // Caches that fill in the beginning are no growth.
        assert_eq!(verdicts(&samples(|at| at.min(20.0) + 100.0)), ".........");
        assert_eq!(verdicts(&samples(|at| at + 100.0)), "xx.......");
        // A megabyte in a minute is little of many, and shows all the same, whatever comes and goes.
        assert_eq!(verdicts(&samples(|at| 100.0 + at / 60.0 + (at % 2.0) / 4.0)), ".x.......");
        assert_eq!(verdicts(&samples(|at| 100.0 + (at % 2.0) / 4.0)), ".........");
        assert_eq!(verdicts(&Samples { unexpected: 1, ..samples(|_| 100.0) }), "........x");
        let mut spilled = samples(|_| 100.0);
        spilled.seen.iter_mut().for_each(|sample| sample.journal = sample.at);
        assert_eq!(verdicts(&spilled), "....x....");
    }

    #[test]
    fn who_becomes_slow_is_short() {
        let mut tired = samples(|_| 100.0);
        tired
            .seen
            .iter_mut()
            .for_each(|sample| sample.answers = 1000.0 * sample.at.min(40.0) + 700.0 * (sample.at - 40.0).max(0.0));
        assert_eq!(verdicts(&tired), "......x..");
    }

    #[test]
    fn rates_and_growth_are_of_what_was_counted() {
        let rows = samples(|_| 1.0).rows();
        let ours = |case: &str| rows.iter().find(|row| row.case == case).map(|row| row.ours.to_string());
        assert_eq!(ours("soak: answers (requests/s)"), Some("1000".into()));
        assert_eq!(ours("soak: database, growth per write (KB)"), Some("2".into()));
        assert_eq!(ours("soak: memory, growth (MB/min)"), Some("0".into()));
    }
}
