//! Limits of the texts in a rule, and one text's rule compiled.

use domain::iam::identity::Matcher;

use super::dialect::{self, Budget, Expression};

/// Longest literal in bytes.
pub const MAX_TEXT: usize = 1024;
/// Longest pattern in bytes.
pub const MAX_PATTERN: usize = 1024;
/// Most custom claims of one rule, literals and patterns together.
pub const MAX_CLAIMS: usize = 32;
/// Longest pasted key set in bytes.
pub const MAX_KEYS_TEXT: usize = 64 * 1024;

/// A literal or a compiled pattern.
#[derive(Clone, Debug)]
pub(super) enum TextRule {
    Literal(String),
    Pattern(Expression),
}

impl TextRule {
    /// Compiles `matcher`; otherwise what is wrong with it.
    pub(super) fn compile(matcher: &Matcher, budget: &mut Budget) -> Result<Self, String> {
        match matcher {
            Matcher::Literal(text) => literal(text).map(|()| Self::Literal(text.clone())),
            Matcher::Pattern(pattern) => Self::pattern(pattern, budget),
        }
    }

    /// Compiles a pattern; otherwise what is wrong with it.
    pub(super) fn pattern(pattern: &str, budget: &mut Budget) -> Result<Self, String> {
        dialect::parse(pattern, budget)?.compile(budget).map(Self::Pattern)
    }

    /// How many bytes it takes beside its text, about.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Literal(_) => 0,
            Self::Pattern(pattern) => pattern.memory(),
        }
    }

    /// What it takes at most to match `value`, as [`Expression::steps`] counts it.
    pub(super) fn steps(&self, value: &str) -> u64 {
        match self {
            Self::Literal(_) => 0,
            Self::Pattern(pattern) => pattern.steps(value),
        }
    }

    /// Whether the whole of `value` is what the rule asks for. Takes time linear in the value.
    pub(super) fn admits(&self, value: &str) -> bool {
        match self {
            Self::Literal(text) => text == value,
            Self::Pattern(pattern) => pattern.is_match(value),
        }
    }
}

/// Whether `text` can stand in a rule; otherwise what is wrong with it.
pub(super) fn literal(text: &str) -> Result<(), String> {
    if text.is_empty() {
        Err("must not be empty".to_owned())
    } else if text.len() > MAX_TEXT {
        Err(format!("must be at most {MAX_TEXT} bytes"))
    } else if text.chars().any(char::is_control) {
        Err("must not contain control characters".to_owned())
    } else {
        Ok(())
    }
}
