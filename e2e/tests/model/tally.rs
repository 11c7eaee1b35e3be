//! How often steps were answered in which way: a test that only ever saw refusals, or none, would prove little.

use std::{collections::BTreeMap, fmt};

use crate::answer::Answer;

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

/// Answers by their rule; `OK` for those without an error.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<String, usize>);

impl Tally {
    pub(crate) fn count(&mut self, answer: &Answer) {
        let rule = match answer {
            Answer::Done { .. } => "OK",
            Answer::Refused(refusal) => refusal.rule.as_str(),
        };
        *self.0.entry(rule.to_owned()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (rule, count) in other.0 {
            *self.0.entry(rule).or_default() += count;
        }
    }

    pub(crate) fn steps(&self) -> usize {
        self.0.values().sum()
    }

    /// What has never been answered and should have been.
    pub(crate) fn never(&self) -> Vec<&'static str> {
        EXPECTED.iter().copied().filter(|rule| !self.0.contains_key(*rule)).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(rule, count)| writeln!(f, "{count:>9} {rule}"))
    }
}
