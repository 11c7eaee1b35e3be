//! A case as a row of a table.

use bench::Row;
use serde_json::{Value, json};

use crate::output::Show;

impl Show for Row {
    const COLUMNS: &'static [&'static str] = &["CASE", "OURS", "REFERENCE", "RATIO", "BUDGET", "VERDICT"];

    fn id(&self) -> &str {
        &self.case
    }

    fn row(&self) -> Vec<String> {
        let figure = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
        vec![
            self.case.clone(),
            self.ours.to_string(),
            figure(self.reference),
            figure(self.ratio),
            self.budget.to_string(),
            self.verdict.to_string(),
        ]
    }

    fn json(&self) -> Value {
        json!(self)
    }
}
