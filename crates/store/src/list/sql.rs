//! SQL text that grows together with its parameters.

use database::Param;
use domain::Uidp;

use crate::counts::placeholders;

/// A statement under construction.
#[derive(Debug)]
pub(super) struct Sql<'a> {
    pub(super) text: String,
    pub(super) params: Vec<Param<'a>>,
    conditions: usize,
}

impl<'a> Sql<'a> {
    pub(super) fn new(text: String) -> Self {
        Self { text, params: Vec::new(), conditions: 0 }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a condition; `?` in it stands for the values in turn.
    pub(super) fn and(&mut self, condition: &str, values: impl IntoIterator<Item = Param<'a>>) {
        self.text.push_str(if self.conditions == 0 { " WHERE " } else { " AND " });
        self.conditions += 1;
        let mut values = values.into_iter();
        for (n, part) in condition.split('?').enumerate() {
            if n > 0
                && let Some(value) = values.next()
            {
                self.bind(value);
            }
            self.text.push_str(part);
        }
    }

    /// Adds a placeholder for the value.
    pub(super) fn bind(&mut self, value: impl Into<Param<'a>>) {
        self.params.push(value.into());
        self.text.push('$');
        self.text.push_str(&self.params.len().to_string());
    }

    /// Adds the condition that a column has one of these texts.
    pub(super) fn and_among(&mut self, column: &str, texts: &'a [String]) {
        self.and(column, []);
        self.in_texts(texts);
    }

    /// Adds that something is one of these texts.
    pub(super) fn in_texts(&mut self, texts: &'a [String]) {
        if let [text] = texts {
            self.push(" = ");
            self.bind(text);
        } else {
            self.push(" IN ");
            self.list(texts.iter());
        }
    }

    /// Adds `(…)` with a placeholder for each identifier.
    pub(super) fn among(&mut self, uids: impl ExactSizeIterator<Item = &'a Uidp>) {
        self.list(uids);
    }

    /// Adds `(…)` with a placeholder for each value. The list is filled up to a power of two with its last one, so that there are few
    /// different statements.
    fn list<T: Into<Param<'a>>>(&mut self, values: impl ExactSizeIterator<Item = T>) {
        let (len, first) = (values.len(), self.params.len());
        self.params.extend(values.map(Into::into));
        if let Some(last) = self.params.last().cloned() {
            self.params.resize(first + len.next_power_of_two(), last);
        }
        let list = placeholders(first + 1, self.params.len() - first);
        self.text.push('(');
        self.text.push_str(&list);
        self.text.push(')');
    }
}
