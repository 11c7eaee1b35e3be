//! What an engine can be asked about the database itself.

/// A question that shows whether a part of the database is as it should be.
#[derive(Clone, Debug)]
pub struct Probe {
    /// What it belongs to: `file` or `indexes`.
    pub check: &'static str,
    /// What it looks at.
    pub place: String,
    /// What is asked.
    pub question: Question,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Question {
    /// A query: every row of its answer is a place and a problem, both texts.
    Problems(String),
    /// Two ways to one number, or several as one text.
    Same([Way; 2]),
}

/// A way to an answer.
#[derive(Clone, Debug)]
pub struct Way {
    /// Statements that lead onto it.
    pub setup: &'static [&'static str],
    /// A query for one text.
    pub query: String,
}
