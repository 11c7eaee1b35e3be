//! Tables with `|` between the columns.

use console::{measure_text_width, truncate_str};
use tabled::{
    builder::Builder,
    settings::{Padding, Style, object::Columns},
};

use crate::{color, plain::plain};

/// What separates two columns: ` | `.
const GAP: usize = 3;
/// How far the line below the headings goes beyond the last column.
const OVERHANG: usize = 1;
/// A column is not made narrower than this.
const NARROWEST: usize = 12;

/// A table of `rows` under `columns`, at most `width` columns of a terminal wide; without rows, the headings alone.
pub(super) fn render(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>, width: Option<usize>) -> String {
    let mut cells: Vec<Vec<String>> = vec![columns.iter().map(|&heading| heading.to_owned()).collect()];
    cells.extend(rows.into_iter().map(|row| row.iter().map(|cell| plain(cell)).collect()));
    if let Some(width) = width {
        fit(&mut cells, width);
    }
    let mut builder = Builder::default();
    for row in cells {
        builder.push_record(row);
    }
    let mut table = builder.build();
    table.with(Style::psql()).modify(Columns::first(), Padding::new(0, 1, 0, 0));
    let text = table.to_string();
    let mut lines = text.lines().map(str::trim_end);
    let headings = lines.next().map(color::heading).unwrap_or_default();
    std::iter::once(headings).chain(lines.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

/// Cuts texts to make the table fit, the widest column first. The first column holds UIDs, which people copy: it goes on
/// in the next line instead.
fn fit(cells: &mut [Vec<String>], width: usize) {
    let columns = cells.first().map_or(0, Vec::len);
    let mut widths: Vec<_> = (0..columns)
        .map(|column| cells.iter().filter_map(|row| row.get(column)).map(|cell| measure_text_width(cell)).max().unwrap_or(0))
        .collect();
    let room = width.saturating_sub(GAP * columns.saturating_sub(1) + OVERHANG);
    let too_much = |widths: &[usize]| widths.iter().sum::<usize>().saturating_sub(room);
    while too_much(&widths) > 0 {
        match widths.iter_mut().skip(1).filter(|width| **width > NARROWEST).max() {
            Some(widest) => *widest -= 1,
            None => break,
        }
    }
    let excess = too_much(&widths);
    if let Some(first) = widths.first_mut() {
        *first = first.saturating_sub(excess).max(NARROWEST.min(*first));
    }
    for row in cells {
        for (column, (cell, &width)) in row.iter_mut().zip(&widths).enumerate() {
            if measure_text_width(cell) > width {
                *cell = if column == 0 { wrapped(cell, width) } else { truncate_str(cell, width, "…").into_owned() };
            }
        }
    }
}

/// The text in lines of at most `width` characters, broken after a slash where there is one.
fn wrapped(text: &str, width: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up() {
        let rows = [vec!["ab12".into(), "dev".into()], vec!["c".into(), "a longer name".into()]];
        insta::assert_snapshot!(render(&["ID", "NAME"], rows, None), @r"
        ID   | NAME
        -----+---------------
        ab12 | dev
        c    | a longer name
        ");
        insta::assert_snapshot!(render(&["ID", "NAME"], [], None), @r"
        ID | NAME
        ---+------
        ");
    }

    #[test]
    fn they_fit_the_terminal_and_keep_uids_whole() {
        let rows =
            || [vec!["0123456789abcdef/01234567".to_owned(), "日本語の長い名前".to_owned(), "a text of some length".to_owned()]];
        let told = render(&["ID", "NAME", "DESCRIPTION"], rows(), Some(50));
        insta::assert_snapshot!(told, @r"
        ID                | NAME        | DESCRIPTION
        ------------------+-------------+--------------
        0123456789abcdef/ | 日本語の長… | a text of s…
        01234567          |             |
        ");
        for width in 43..120 {
            let told = render(&["ID", "NAME", "DESCRIPTION"], rows(), Some(width));
            assert!(told.lines().all(|line| measure_text_width(line) <= width), "{width}\n{told}");
        }
    }
}
