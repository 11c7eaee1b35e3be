//! Tables with `|` between the columns.

use tabled::{
    builder::Builder,
    settings::{Padding, Style, object::Columns},
};

/// A table of `rows` under `columns`; without rows, the headings alone.
pub(super) fn render(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut builder = Builder::default();
    builder.push_record(columns.iter().copied());
    for row in rows {
        builder.push_record(row.iter().map(|cell| plain(cell)));
    }
    let mut table = builder.build();
    table.with(Style::psql()).modify(Columns::first(), Padding::new(0, 1, 0, 0));
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The text with control characters made visible: what a server sends must not drive the terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up() {
        let rows = [vec!["ab12".into(), "dev".into()], vec!["c".into(), "a longer name".into()]];
        insta::assert_snapshot!(render(&["ID", "NAME"], rows), @r"
        ID   | NAME
        -----+---------------
        ab12 | dev
        c    | a longer name
        ");
        insta::assert_snapshot!(render(&["ID", "NAME"], []), @r"
        ID | NAME
        ---+------
        ");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
    }
}
