//! How often steps were answered in which way: a test that only ever saw refusals, or none, would prove little.

use std::{collections::BTreeMap, fmt};

use crate::model::answer::Answer;

/// What some steps must come to in ten thousand.
const EXPECTED: &[&str] = &[
    "OK",
    "BUILT_IN",
    "CAPABILITY_MISSING",
    "CLAIM_MISMATCH",
    "ESCALATION",
    "ETAG_MISMATCH",
    "FIELD",
    "NAME_TAKEN",
    "NOT_EMPTY",
    "NO_SUCH_RESOURCE",
    "OPERATORS_ONLY",
    "ORDER_BY",
    "OTHER_ORGANIZATION",
    "PAGE_SIZE",
    "REQUIRED",
    "ROLE_BOUND",
    "SKIP",
    "TOKEN_EXPIRED",
    "TOKEN_INVALID",
    "TOKEN_MISSING",
    "TOKEN_REVOKED",
    "UPDATE_MASK",
];

/// What the steps of histories came to.
#[derive(Default)]
pub(crate) struct Tally {
    /// Answers by their rule; `OK` for those without an error.
    answers: BTreeMap<String, usize>,
    /// Pages that servers found by ranks.
    by_ranks: f64,
}

impl Tally {
    pub(crate) fn count(&mut self, answer: &Answer) {
        let rule = match answer {
            Answer::Done { .. } => "OK",
            Answer::Refused(refusal) => refusal.rule.as_str(),
        };
        *self.answers.entry(rule.to_owned()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (rule, count) in other.answers {
            *self.answers.entry(rule).or_default() += count;
        }
        self.by_ranks += other.by_ranks;
    }

    pub(crate) fn found_by_ranks(&mut self, pages: f64) {
        self.by_ranks += pages;
    }

    pub(crate) fn by_ranks(&self) -> f64 {
        self.by_ranks
    }

    pub(crate) fn steps(&self) -> usize {
        self.answers.values().sum()
    }

    /// What has never been answered and should have been.
    pub(crate) fn never(&self) -> Vec<&'static str> {
        EXPECTED.iter().copied().filter(|rule| !self.answers.contains_key(*rule)).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answers.iter().try_for_each(|(rule, count)| writeln!(f, "{count:>9} {rule}"))?;
        writeln!(f, "{:>9} pages found by ranks", self.by_ranks)
    }
}
