//! What happened in a test, as text that is the same on every run and over every transport.

mod refusal;

use std::fmt::Write as _;

use serde_json::Value;

use crate::transport::Outcome;

/// Collects steps and replaces what differs between runs by names.
#[derive(Debug, Default)]
pub struct Transcript {
    text: String,
    names: Vec<(String, String)>,
    /// How many entity tags have names.
    versions: usize,
}

impl Transcript {
    /// From now on `value` appears as `<name>`. Longer values are replaced first, so a child's identifier keeps its own name.
    pub fn name(&mut self, value: impl Into<String>, name: &str) {
        self.names.push((value.into(), format!("<{name}>")));
        self.names.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    }

    /// Adds a step: its title and the whole answer. Of an error that is code, rule, message and what its details tell beside that.
    pub fn step(&mut self, title: &str, outcome: &Outcome) {
        let Outcome { code, body, etag, warning } = outcome;
        // Writing to a String cannot fail.
        if let (Some(refusal), None) = (refusal::lines(code, body), etag) {
            let _ = writeln!(self.text, "# {title}\n{code} {refusal}");
            return;
        }
        let body = serde_json::to_string_pretty(body).unwrap_or_default();
        let etag = etag.as_ref().map(|etag| format!(" etag {}", self.version(etag))).unwrap_or_default();
        let warning = warning.as_ref().map(|warning| format!("\nwarning: {warning}")).unwrap_or_default();
        let _ = writeln!(self.text, "# {title}\n{code}{etag}{warning}\n{body}\n");
    }

    /// The entity tag, which gets the next name if it is a new one: tags follow from identifiers and keys, and some of these differ between
    /// runs.
    fn version<'e>(&mut self, etag: &'e str) -> &'e str {
        let tag = etag.trim_matches('"');
        if !self.names.iter().any(|(known, _)| known == tag) {
            self.versions += 1;
            self.name(tag, &format!("version {}", self.versions));
        }
        etag
    }

    /// Adds a line of the test's own.
    pub fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// Adds a step with an HTTP status and a body that need not be of the API.
    pub fn http(&mut self, title: &str, answer: &client::http::Answer) {
        let (status, body) = (answer.status, answer.json());
        let code = body["details"][0]["reason"].as_str().unwrap_or_default();
        if let Some(refusal) = refusal::lines(code, &body) {
            let _ = writeln!(self.text, "# {title}\n{status} {code} {refusal}");
            return;
        }
        let body = match body {
            Value::Null => answer.text(),
            json => serde_json::to_string_pretty(&json).unwrap_or_default(),
        };
        let _ = writeln!(self.text, "# {title}\n{status}\n{body}\n");
    }

    /// The text with everything replaced that was named.
    #[must_use]
    pub fn finish(&self) -> String {
        self.names.iter().fold(self.text.clone(), |text, (value, name)| text.replace(value, name))
    }
}
