//! What was measured: a row per case.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::plot::Chart;

/// Everything that was measured.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The cases in the order in which they were measured.
    pub rows: Vec<Row>,
    /// What charts show, by name.
    pub charts: Vec<(&'static str, Chart)>,
    /// What a reader of the rows should know besides.
    pub notes: Vec<String>,
}

/// One case.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was measured, with its unit.
    pub case: String,
    /// This program's figure.
    pub ours: f64,
    /// The reference's, if there is one.
    pub reference: Option<f64>,
    /// Ours divided by the reference's.
    pub ratio: Option<f64>,
    /// What it should be.
    pub budget: Budget,
    /// Whether it is.
    pub verdict: Verdict,
}

/// What a case should come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// The ratio is at least this.
    Ratio(f64),
    /// The ratio is at most this.
    Times(f64),
    /// Ours is less than this.
    Below(f64),
    /// Reported, not judged.
    Reported,
}

/// Whether a case keeps its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It does, or has none.
    Ok,
    /// It does not.
    Short,
}

impl Row {
    /// A case that is compared with a reference.
    pub(crate) fn beside(case: impl Into<String>, ours: f64, reference: f64, budget: Budget) -> Self {
        Self::judged(case.into(), ours, Some(reference), budget)
    }

    /// A case with nothing beside it.
    pub(crate) fn alone(case: impl Into<String>, ours: f64, budget: Budget) -> Self {
        Self::judged(case.into(), ours, None, budget)
    }

    fn judged(case: String, ours: f64, reference: Option<f64>, budget: Budget) -> Self {
        let ratio = reference.map(|reference| ours / reference);
        let kept = match budget {
            Budget::Ratio(least) => ratio.is_some_and(|ratio| ratio >= least),
            Budget::Times(most) => ratio.is_some_and(|ratio| ratio <= most),
            Budget::Below(limit) => ours < limit,
            Budget::Reported => true,
        };
        let verdict = if kept { Verdict::Ok } else { Verdict::Short };
        Self { case, ours: rounded(ours), reference: reference.map(rounded), ratio: ratio.map(rounded), budget, verdict }
    }
}

/// Four digits are more than any measurement here is good for.
fn rounded(figure: f64) -> f64 {
    let Some(magnitude) = Some(figure.abs().log10().floor()).filter(|magnitude| magnitude.is_finite()) else { return figure };
    let unit = 10f64.powf(magnitude - 3.0);
    // Divided by a power of ten that is exact, so that no digits appear behind the last one.
    if unit < 1.0 { (figure / unit).round() / unit.recip().round() } else { (figure / unit).round() * unit }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio(least) => write!(f, ">= {least}"),
            Self::Times(most) => write!(f, "<= {most}"),
            Self::Below(limit) => write!(f, "< {limit}"),
            Self::Reported => f.write_str("-"),
        }
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Short => "short",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ours: f64, reference: f64, budget: Budget) -> Verdict {
        Row::beside("c", ours, reference, budget).verdict
    }

    #[test]
    fn budgets_are_kept_up_to_their_edge() {
        assert_eq!(verdict(5.0, 10.0, Budget::Ratio(0.5)), Verdict::Ok);
        assert_eq!(verdict(4.9, 10.0, Budget::Ratio(0.5)), Verdict::Short);
        assert_eq!(verdict(20.0, 10.0, Budget::Times(2.0)), Verdict::Ok);
        assert_eq!(verdict(20.1, 10.0, Budget::Times(2.0)), Verdict::Short);
        assert_eq!(verdict(f64::NAN, 10.0, Budget::Times(2.0)), Verdict::Short);
        assert_eq!(Row::alone("c", 1.0, Budget::Below(1.0)).verdict, Verdict::Short);
        assert_eq!(Row::alone("c", 9.0, Budget::Reported).verdict, Verdict::Ok);
    }

    #[test]
    fn a_row_is_an_object_of_six_keys() {
        let row = serde_json::to_string(&Row::beside("GET", 12_345.678, 20_000.0, Budget::Ratio(0.5))).expect("JSON");
        let expected = r#"{"case":"GET","ours":12350.0,"reference":20000.0,"ratio":0.6173,"budget":">= 0.5","verdict":"ok"}"#;
        assert_eq!(row, expected);
        let row = serde_json::to_string(&Row::alone("start", 0.0, Budget::Reported)).expect("JSON");
        assert_eq!(row, r#"{"case":"start","ours":0.0,"reference":null,"ratio":null,"budget":"-","verdict":"ok"}"#);
    }
}
