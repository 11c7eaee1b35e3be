//! Comma-separated values (RFC 4180), ready for spreadsheets.

use crate::plain::plain;

/// One record with its line end.
///
/// A cell that a spreadsheet would take for a formula gets an apostrophe in front: names and descriptions are written by
/// others. Programs that need every character as it is read JSON.
pub(super) fn record(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<_> = cells.into_iter().map(|cell| quoted(&harmless(&plain(cell.as_ref())))).collect();
    format!("{}\r\n", cells.join(","))
}

fn harmless(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@']);
    if formula { format!("'{cell}") } else { cell.to_owned() }
}

fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\r', '\n']) || cell.starts_with(' ') || cell.ends_with(' ') {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(record(["a", "b c", "", "d,e", "say \"x\"", " f"]), "a,b c,,\"d,e\",\"say \"\"x\"\"\",\" f\"\r\n");
    }

    #[test]
    fn formulas_are_text() {
        assert_eq!(record(["=1+1", "+1", "-1", "@x", "a=b"]), "'=1+1,'+1,'-1,'@x,a=b\r\n");
        assert_eq!(record(["=HYPERLINK(\"a\",\"b\")"]), "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"\r\n");
        assert_eq!(record(["\t=1", "\u{1b}"]), "\\u{9}=1,\\u{1b}\r\n");
    }
}
