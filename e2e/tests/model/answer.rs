//! What the model says that the server must answer.

use serde_json::{Value, json};

use crate::model::nouns::Noun;

/// An answer, as far as the model decides it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Done {
        body: Value,
        /// The thing that the answer's entity tag is of.
        tagged: Option<(Noun, String)>,
    },
    Refused(Refusal),
}

/// An error: its code, its rule and, for invalid arguments, the fields that are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) rule: String,
    pub(crate) fields: Vec<String>,
}

/// What carrying out a step gives, or why it is refused.
pub(crate) type Outcome = Result<Done, Refusal>;

/// A body, and whose entity tag comes with it.
pub(crate) type Done = (Value, Option<(Noun, String)>);

/// An answer without anything in it.
pub(crate) fn nothing() -> Done {
    (json!({}), None)
}

pub(crate) fn refused<T>(code: &str, rule: &str) -> Result<T, Refusal> {
    Err(Refusal { code: code.to_owned(), rule: rule.to_owned(), fields: Vec::new() })
}

pub(crate) fn wrong<T>(rule: &str, fields: &[impl AsRef<str>]) -> Result<T, Refusal> {
    let fields = fields.iter().map(|field| field.as_ref().to_owned()).collect();
    Err(Refusal { code: "INVALID_ARGUMENT".to_owned(), rule: rule.to_owned(), fields })
}

pub(crate) fn not_found<T>() -> Result<T, Refusal> {
    refused("NOT_FOUND", "NO_SUCH_RESOURCE")
}

/// Refuses when any field is wrong.
pub(crate) fn check(fields: &[impl AsRef<str>]) -> Result<(), Refusal> {
    if fields.is_empty() { Ok(()) } else { wrong("FIELD", fields) }
}
