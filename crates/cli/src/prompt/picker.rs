//! Choosing one of many on the terminal, by typing a part of its name.

use std::{cmp::Reverse, io};

use console::{Key, Term, truncate_str};

use crate::plain::plain;

/// So many choices are on the terminal at once, if it has as many lines.
const SHOWN: usize = 12;

/// A choice on the terminal.
pub(super) struct Picker<'a> {
    term: Term,
    question: &'a str,
    /// Each a label and a UID.
    items: &'a [(String, String)],
    typed: String,
    /// The places of those that match what was typed, the best first.
    found: Vec<usize>,
    /// Which of `found` is marked.
    marked: usize,
    /// How many lines are on the terminal.
    drawn: usize,
}

impl<'a> Picker<'a> {
    /// A choice of one of `items`, each a label and a UID, in their order as long as nothing is typed.
    pub(super) fn new(question: &'a str, items: &'a [(String, String)]) -> Self {
        let found = (0..items.len()).collect();
        Self { term: Term::buffered_stderr(), question, items, typed: String::new(), found, marked: 0, drawn: 0 }
    }

    /// The place of the one that the user chooses; `None` when the user leaves with Escape.
    ///
    /// # Errors
    /// When the terminal is gone, or Ctrl-C was pressed.
    pub(super) fn choose(mut self) -> io::Result<Option<usize>> {
        self.term.hide_cursor()?;
        let chosen = loop {
            self.draw()?;
            let count = self.found.len();
            match self.term.read_key()? {
                Key::Escape => break None,
                Key::Enter if count > 0 => break self.found.get(self.marked).copied(),
                Key::ArrowDown | Key::Tab if count > 0 => self.marked = (self.marked + 1) % count,
                Key::ArrowUp | Key::BackTab if count > 0 => self.marked = (self.marked + count - 1) % count,
                Key::Backspace => {
                    self.typed.pop();
                    self.search();
                }
                Key::Char(c) if !c.is_control() => {
                    self.typed.push(c);
                    self.search();
                }
                _ => {}
            }
        };
        self.term.clear_last_lines(self.drawn)?;
        if let Some((label, uid)) = chosen.and_then(|at| self.items.get(at)) {
            self.write(&format!("{} {}", self.question, line(label, uid, self.columns())))?;
        }
        self.term.show_cursor()?;
        self.term.flush()?;
        Ok(chosen)
    }

    fn search(&mut self) {
        self.found = matching(&self.typed, self.items);
        self.marked = 0;
    }

    fn draw(&mut self) -> io::Result<()> {
        self.term.clear_last_lines(self.drawn)?;
        let rows = usize::from(self.term.size().0).saturating_sub(3).clamp(1, SHOWN);
        let first = (self.marked + 1).saturating_sub(rows);
        let mut lines = vec![format!("{} {}", self.question, plain(&self.typed))];
        for (at, place) in self.found.iter().enumerate().skip(first).take(rows) {
            let Some((label, uid)) = self.items.get(*place) else { continue };
            let mark = if at == self.marked { '>' } else { ' ' };
            lines.push(format!("{mark} {}", line(label, uid, self.columns())));
        }
        match self.found.len() {
            0 => lines.push("  nothing matches".to_owned()),
            count if count > rows => lines.push(format!("  and {} more", count - rows)),
            _ => {}
        }
        lines.iter().try_for_each(|line| self.write(line))?;
        self.drawn = lines.len();
        self.term.flush()
    }

    /// Writes a line that the terminal does not break, because that would spoil the redrawing.
    fn write(&self, line: &str) -> io::Result<()> {
        self.term.write_line(&truncate_str(line, self.columns(), "…"))
    }

    fn columns(&self) -> usize {
        usize::from(self.term.size().1)
    }
}

/// One line of a choice: the label, cut where there is no room for it, and the end of the UID, which tells apart what has the
/// same label.
fn line(label: &str, uid: &str, columns: usize) -> String {
    let end = plain(uid.rsplit('/').next().unwrap_or(uid));
    let room = columns.saturating_sub(end.len() + 6).max(8);
    format!("{}  {end}", truncate_str(&plain(label), room, "…"))
}

/// How well something matches what was typed, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// The UID has it.
    Uid,
    /// The label has its characters, in this order.
    Scattered,
    /// The label has it.
    Label,
    /// The name, which is the last part of the label's path, begins with it.
    Name,
}

impl Match {
    /// How `label` and `uid` match `typed`, which is in lower case.
    fn of(typed: &str, label: &str, uid: &str) -> Option<Self> {
        let label = label.to_lowercase();
        let mut rest = label.chars();
        if label.rsplit('/').next().unwrap_or(&label).starts_with(typed) {
            Some(Self::Name)
        } else if label.contains(typed) {
            Some(Self::Label)
        } else if typed.chars().all(|wanted| rest.any(|c| c == wanted)) {
            Some(Self::Scattered)
        } else if uid.contains(typed) {
            Some(Self::Uid)
        } else {
            None
        }
    }
}

/// The places of the `items` that match, the best first, and those that match alike in their order.
fn matching(typed: &str, items: &[(String, String)]) -> Vec<usize> {
    let typed = typed.to_lowercase();
    let rank = |(at, (label, uid)): (usize, &(String, String))| Some((Reverse(Match::of(&typed, label, uid)?), at));
    let mut found: Vec<_> = items.iter().enumerate().filter_map(rank).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn items(items: &[(&str, &str)]) -> Vec<(String, String)> {
        items.iter().map(|(label, uid)| ((*label).to_owned(), (*uid).to_owned())).collect()
    }

    #[test]
    fn names_match_before_uids() {
        let items = items(&[("dev/web", "1/beef"), ("dev/lab-eef", "1/22"), ("beef", "3"), ("dev/b-e-e-f", "4"), ("dev/x", "5")]);
        assert_eq!(matching("beef", &items), [2, 1, 3, 0]);
        assert_eq!(matching("BEEF", &items), matching("beef", &items));
        assert_eq!(matching("", &items), [0, 1, 2, 3, 4]);
        assert_eq!(matching("1/2", &items), [1]);
        assert_eq!(matching("zzz", &items), Vec::<usize>::new());
    }

    #[test]
    fn lines_fit_and_differ() {
        assert_eq!(line("acme/team/ci", "ab/0123456789abcdef", 80), "acme/team/ci  0123456789abcdef");
        assert_eq!(line("acme/team/a-long-name\u{1b}", "ab/0123456789abcdef", 36), "acme/team/a-l…  0123456789abcdef");
        assert!(line("acme", "ab/0123456789abcdef", 1).ends_with("  0123456789abcdef"));
    }

    proptest! {
        #[test]
        fn whatever_is_typed_finds_what_has_it(label in "[a-z/]{1,12}", from in 0usize..12, length in 1usize..6) {
            let typed: String = label.chars().skip(from).take(length).collect();
            prop_assert_eq!(matching(&typed, &[(label, String::new())]), [0]);
        }
    }
}
