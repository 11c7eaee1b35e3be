//! Tables with `|` between the columns.

use console::{measure_text_width, truncate_str};
use domain::Uidp;
use tabled::{
    builder::Builder,
    settings::{Padding, Style, object::Columns},
};

use crate::{color, plain::plain};

/// What separates two columns: ` | `.
const GAP: usize = 3;
/// A column is not made narrower than this.
const NARROWEST: usize = 12;

/// The room that there is for a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The columns of the terminal.
    pub(super) width: usize,
    /// Whether the last column is continued in further lines instead of being cut.
    pub(super) prose: bool,
}

/// A table of `rows` under `columns`, made to `fit` a terminal if there is one; without rows, the headings alone.
pub(super) fn render(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>, fit: Option<Fit>) -> String {
    let mut cells: Vec<Vec<String>> = vec![columns.iter().map(|&heading| heading.to_owned()).collect()];
    cells.extend(rows.into_iter().map(|row| row.iter().map(|cell| plain(cell)).collect()));
    if let Some(fit) = fit {
        squeeze(&mut cells, fit);
    }
    let mut builder = Builder::default();
    for row in cells {
        builder.push_record(row);
    }
    let mut table = builder.build();
    let (first, last) = (Columns::first(), Columns::last());
    let sides = if table.count_columns() > 1 { (1, 1) } else { (0, 0) };
    table.with(Style::psql()).modify(last, Padding::new(sides.0, 0, 0, 0)).modify(first, Padding::new(0, sides.1, 0, 0));
    let text = table.to_string();
    let mut lines = text.lines().map(str::trim_end);
    let headings = lines.next().map(color::heading).unwrap_or_default();
    std::iter::once(headings).chain(lines.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

/// What to do with the cells of a column that are wider than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excess {
    /// They are cut.
    Cut,
    /// They go on in the next line: people copy identifiers, so that no character may be missing.
    Broken,
    /// They go on in the next line, between words where that is possible.
    Continued,
}

/// Makes the table fit. Columns without any content go first. Then texts become narrower, the widest first, and where that is not
/// enough, identifiers: what stands in the first column, and every UID. As a UID is broken behind slashes alone, a narrow terminal has
/// longer lines than it is wide.
fn squeeze(cells: &mut [Vec<String>], fit: Fit) {
    let mut widths = widths(cells);
    let room = |columns: usize| fit.width.saturating_sub(GAP * columns.saturating_sub(1));
    let too_much = |widths: &[usize]| widths.iter().sum::<usize>().saturating_sub(room(widths.len()));
    for column in (1..widths.len()).rev() {
        if too_much(&widths) > 0 && is_empty(cells, column) {
            for row in cells.iter_mut() {
                row.remove(column);
            }
            widths.remove(column);
        }
    }
    let last = widths.len().saturating_sub(1);
    let excess: Vec<_> = (0..widths.len())
        .map(|column| match column {
            0 => Excess::Broken,
            _ if holds_uids(cells, column) => Excess::Broken,
            _ if fit.prose && column == last => Excess::Continued,
            _ => Excess::Cut,
        })
        .collect();
    let narrowest: Vec<_> = (0..widths.len()).map(|column| longest_part(cells, column).max(NARROWEST)).collect();
    for identifiers in [false, true] {
        while too_much(&widths) > 0 {
            let columns = widths.iter_mut().zip(&excess).zip(&narrowest);
            let candidates = columns.filter(|((_, excess), _)| (**excess == Excess::Broken) == identifiers);
            match candidates.filter(|((width, _), narrowest)| **width > **narrowest).map(|((width, _), _)| width).max() {
                Some(widest) => *widest -= 1,
                None => break,
            }
        }
    }
    for row in cells {
        for ((cell, &width), excess) in row.iter_mut().zip(&widths).zip(&excess) {
            if measure_text_width(cell) > width {
                *cell = match excess {
                    Excess::Cut => truncate_str(cell, width, "…").into_owned(),
                    Excess::Broken => broken(cell, width),
                    Excess::Continued => continued(cell, width),
                };
            }
        }
    }
}

/// How wide each column is.
fn widths(cells: &[Vec<String>]) -> Vec<usize> {
    let columns = cells.first().map_or(0, Vec::len);
    let widest = |column: usize| cells.iter().filter_map(|row| row.get(column)).map(|cell| measure_text_width(cell)).max();
    (0..columns).map(|column| widest(column).unwrap_or(0)).collect()
}

/// The cells of a column below its heading.
fn below_heading(cells: &[Vec<String>], column: usize) -> impl Iterator<Item = &str> {
    cells.iter().skip(1).filter_map(move |row| row.get(column)).map(String::as_str)
}

fn is_empty(cells: &[Vec<String>], column: usize) -> bool {
    below_heading(cells, column).all(str::is_empty)
}

/// How wide the widest part of a UID in a column is, with the slash behind it.
fn longest_part(cells: &[Vec<String>], column: usize) -> usize {
    let uids = below_heading(cells, column).filter(|cell| cell.parse::<Uidp>().is_ok());
    uids.flat_map(|uid| uid.split_inclusive('/')).map(str::len).max().unwrap_or_default()
}

fn holds_uids(cells: &[Vec<String>], column: usize) -> bool {
    below_heading(cells, column).any(|cell| cell.parse::<Uidp>().is_ok())
}

/// The text in lines of at most `width` characters, broken after a slash where there is one.
fn broken(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > width && width > 0 {
        let slash = rest.iter().take(width).rposition(|&c| c == '/').map(|at| at + 1);
        let tail = rest.split_off(slash.unwrap_or(width));
        lines.push(rest.into_iter().collect::<String>());
        rest = tail;
    }
    lines.push(rest.into_iter().collect());
    lines.join("\n")
}

/// The text in lines of at most `width` columns, broken between words; a word that is longer has lines of its own.
fn continued(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let word = if measure_text_width(word) > width { broken(word, width) } else { word.to_owned() };
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word,
            Some(line) if measure_text_width(line) + 1 + measure_text_width(&word) <= width => line.extend([" ", &word]),
            _ => lines.push(word),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(width: usize) -> Fit {
        Fit { width, prose: false }
    }

    #[test]
    fn tables_line_up() {
        let rows = [vec!["ab12".into(), "dev".into()], vec!["c".into(), "a longer name".into()]];
        insta::assert_snapshot!(render(&["ID", "NAME"], rows, None), @r"
        ID   | NAME
        -----+--------------
        ab12 | dev
        c    | a longer name
        ");
        insta::assert_snapshot!(render(&["ID", "NAME"], [], None), @r"
        ID | NAME
        ---+-----
        ");
        insta::assert_snapshot!(render(&["ID"], [vec!["ab12".into()]], None), @r"
        ID
        ----
        ab12
        ");
    }

    #[test]
    fn they_fit_the_terminal_and_keep_uids_whole() {
        let rows =
            || [vec!["0123456789abcdef/01234567".to_owned(), "日本語の長い名前".to_owned(), "a text of some length".to_owned()]];
        let told = render(&["ID", "NAME", "DESCRIPTION"], rows(), Some(at(50)));
        insta::assert_snapshot!(told, @r"
        ID                | NAME        | DESCRIPTION
        ------------------+-------------+-------------
        0123456789abcdef/ | 日本語の長… | a text of s…
        01234567          |             |
        ");
        for width in 42..120 {
            let told = render(&["ID", "NAME", "DESCRIPTION"], rows(), Some(at(width)));
            assert!(told.lines().all(|line| measure_text_width(line) <= width), "{width}\n{told}");
        }
    }

    #[test]
    fn what_fits_stays_as_it_is_and_empty_columns_go_first() {
        let rows = || [vec!["0123456789".to_owned(), "web".to_owned(), String::new()]];
        let columns = ["ID", "NAME", "DESCRIPTION"];
        let whole = render(&columns, rows(), None);
        let width = whole.lines().map(measure_text_width).max().unwrap_or_default();
        assert_eq!(render(&columns, rows(), Some(at(width))), whole);
        insta::assert_snapshot!(render(&columns, rows(), Some(at(width - 1))), @r"
        ID         | NAME
        -----------+-----
        0123456789 | web
        ");
    }

    #[test]
    fn uids_are_broken_in_every_column_and_never_cut() {
        let uid = format!("{}/{}", "a".repeat(40), "b".repeat(16));
        let rows = [vec!["key".to_owned(), uid.clone(), "some words about it".to_owned()]];
        let told = render(&["NAME", "REPO", "ABOUT"], rows, Some(at(64)));
        insta::assert_snapshot!(told, @r"
        NAME | REPO                                      | ABOUT
        -----+-------------------------------------------+-------------
        key  | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/ | some words …
             | bbbbbbbbbbbbbbbb                          |
        ");
        let rows = [vec!["key".to_owned(), uid, "some words about it".to_owned()]];
        let narrow = render(&["NAME", "REPO", "ABOUT"], rows, Some(at(30)));
        assert_eq!(narrow, told, "a part of a UID stays in one piece");
    }

    #[test]
    fn prose_goes_on_between_words() {
        let rows = [vec!["tls".to_owned(), "the certificate has expired: 2026-01-01".to_owned()]];
        insta::assert_snapshot!(render(&["CHECK", "DETAIL"], rows, Some(Fit { width: 26, prose: true })), @r"
        CHECK | DETAIL
        ------+----------------
        tls   | the certificate
              | has expired:
              | 2026-01-01
        ");
    }
}
