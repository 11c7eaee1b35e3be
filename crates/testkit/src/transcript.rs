//! What happened in a test, as text that is the same on every run and over every transport.

use std::fmt::Write as _;

use serde_json::Value;

use crate::transport::Outcome;

/// Collects steps and replaces what differs between runs by names.
#[derive(Debug, Default)]
pub struct Transcript {
    text: String,
    names: Vec<(String, String)>,
}

impl Transcript {
    /// From now on `value` appears as `<name>`. Longer values are replaced first, so a child's identifier keeps its own name.
    pub fn name(&mut self, value: impl Into<String>, name: &str) {
        self.names.push((value.into(), format!("<{name}>")));
        self.names.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    }

    /// Adds a step: its title and the whole answer.
    pub fn step(&mut self, title: &str, outcome: &Outcome) {
        let body = serde_json::to_string_pretty(&outcome.body).unwrap_or_default();
        let etag = outcome.etag.as_ref().map(|etag| format!(" etag {etag}")).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "# {title}\n{}{etag}\n{body}\n", outcome.code);
    }

    /// Adds a line of the test's own.
    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// Adds a step with an HTTP status and a body that need not be of the API.
    pub fn http(&mut self, title: &str, answer: &client::http::Answer) {
        let body = match answer.json() {
            Value::Null => answer.text(),
            json => serde_json::to_string_pretty(&json).unwrap_or_default(),
        };
        let _ = writeln!(self.text, "# {title}\n{}\n{body}\n", answer.status);
    }

    /// The text with everything replaced that was named.
    #[must_use]
    pub fn finish(&self) -> String {
        self.names.iter().fold(self.text.clone(), |text, (value, name)| text.replace(value, name))
    }
}
