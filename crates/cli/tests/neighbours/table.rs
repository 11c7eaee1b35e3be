//! What came of a run, for people.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use crate::neighbour::{Kind, Sample};

/// How many problems of one row are told.
const TOLD: usize = 4;

/// Attacks that ran together.
#[derive(Debug)]
pub(crate) struct Row {
    name: String,
    took: Duration,
    requests: usize,
    answers: BTreeMap<String, usize>,
    pub(crate) peak: u64,
    worst: BTreeMap<Kind, Duration>,
    pub(crate) wrong: Vec<String>,
}

impl Row {
    pub(crate) fn new(name: &str, took: Duration, requests: usize, answers: BTreeMap<String, usize>, peak: u64) -> Self {
        Self { name: name.to_owned(), took, requests, answers, peak, worst: BTreeMap::new(), wrong: Vec::new() }
    }

    /// Notes how long a request of the neighbour took.
    pub(crate) fn note(&mut self, kind: Kind, took: Duration) {
        let worst = self.worst.entry(kind).or_default();
        *worst = took.max(*worst);
    }
}

/// Everything.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    pub(crate) failures: Vec<String>,
    quiet: BTreeMap<Kind, Vec<Duration>>,
    loud: BTreeMap<Kind, Vec<Duration>>,
    memory: Vec<String>,
}

impl Table {
    /// What the neighbour saw alone.
    pub(crate) fn quiet(&mut self, samples: &[Sample], idle: u64, budget: u64) {
        add(&mut self.quiet, samples);
        self.memory.push(format!("{} MB idle, {} MB allowed", idle >> 20, budget >> 20));
    }

    pub(crate) fn push(&mut self, row: Row, samples: &[Sample]) {
        add(&mut self.loud, samples);
        println!("{}", line(&row));
        let mut told: Vec<_> = row.wrong.iter().take(TOLD).map(|wrong| format!("{}: {wrong}", row.name)).collect();
        if row.wrong.len() > TOLD {
            told.push(format!("{}: and {} more", row.name, row.wrong.len() - TOLD));
        }
        // At once as well: a run may be given up.
        for wrong in &told {
            println!("  {wrong}");
        }
        self.failures.extend(told);
        self.rows.push(row);
    }

    /// Holds the neighbour's p99 beside attacks against the quiet one: at most three times it and 5 ms.
    pub(crate) fn compare(&mut self) {
        for kind in Kind::ALL {
            let [quiet, loud] = [&self.quiet, &self.loud].map(|samples| p99(samples.get(&kind)));
            if loud > 3 * quiet + Duration::from_millis(5) {
                self.failures.push(format!("{kind:?}: p99 {loud:?} beside attacks, {quiet:?} without"));
            }
        }
    }

    /// The rows by their names, the figures of the neighbour, and what is wrong.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from("worst request of the neighbour without the machine's part, by what it did, in ms\n");
        let _ = writeln!(text, "{:<44} {:>5} {:>6}{} {:>6}  answers", "attack", "sent", "s", heads(), "MB");
        for row in &self.rows {
            let _ = writeln!(text, "{}", line(row));
        }
        let _ = writeln!(text, "\nneighbour (ms){:>10}{:>12}{:>10}{:>12}", "requests", "quiet p99", "requests", "beside p99");
        for kind in Kind::ALL {
            let (quiet, loud) = (self.quiet.get(&kind), self.loud.get(&kind));
            let count = |samples: Option<&Vec<Duration>>| samples.map_or(0, Vec::len);
            let kind = format!("{kind:?}");
            let (quiet_p99, loud_p99) = (millis(p99(quiet)), millis(p99(loud)));
            let _ = writeln!(text, "{kind:<14}{:>10}{quiet_p99:>12}{:>10}{loud_p99:>12}", count(quiet), count(loud));
        }
        let _ = writeln!(text, "\nmemory: {}", self.memory.join("; "));
        let _ = writeln!(text, "{} failures", self.failures.len());
        for failure in &self.failures {
            let _ = writeln!(text, "  {failure}");
        }
        text
    }
}

fn heads() -> String {
    Kind::ALL.iter().fold(String::new(), |text, kind| text + &format!(" {:>8}", format!("{kind:?}")))
}

fn line(row: &Row) -> String {
    let worst = Kind::ALL.iter().fold(String::new(), |text, kind| {
        text + &format!(" {:>8}", row.worst.get(kind).map_or("-".to_owned(), |took| millis(*took)))
    });
    let answers: Vec<_> = row.answers.iter().map(|(code, count)| format!("{code} {count}")).collect();
    let (name, took, peak) = (&row.name, row.took.as_secs_f64(), row.peak >> 20);
    let mark = if row.wrong.is_empty() { "" } else { "  WRONG" };
    format!("{name:<44} {:>5} {took:>6.1}{worst} {peak:>6}  {}{mark}", row.requests, answers.join(", "))
}

fn millis(took: Duration) -> String {
    format!("{:.0}", took.as_secs_f64() * 1e3)
}

fn add(to: &mut BTreeMap<Kind, Vec<Duration>>, samples: &[Sample]) {
    for sample in samples {
        to.entry(sample.kind).or_default().push(sample.end - sample.begin);
    }
}

fn p99(samples: Option<&Vec<Duration>>) -> Duration {
    let mut sorted = samples.cloned().unwrap_or_default();
    sorted.sort_unstable();
    let at = (sorted.len() * 99).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}
