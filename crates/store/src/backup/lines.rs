//! Rows as lines of JSON: an array of values, bytes in base64 (RFC 4648 section 4).

use std::{fmt, result::Result};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::Error;
use serde::{
    Deserializer,
    de::{self, DeserializeSeed, Error as _, SeqAccess, Visitor},
};

use super::{
    header::damaged,
    tables::{Cell, Table},
};
use crate::table::Column;

/// Longest line in bytes that is written or read: no row that the server takes comes near it.
pub(super) const LINE: usize = 32 * 1024 * 1024;

/// The line before the rows of a table.
pub(super) fn heading(table: &Table, schema: i64) -> Vec<u8> {
    let columns: Vec<_> = table.columns_in(schema).iter().map(|column| column.name).collect();
    let mut line = serde_json::json!({ "table": table.name, "columns": columns }).to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Appends the line of a row.
pub(super) fn write(row: &[Cell], to: &mut Vec<u8>) -> Result<(), Error> {
    to.push(b'[');
    for (n, cell) in row.iter().enumerate() {
        if n > 0 {
            to.push(b',');
        }
        match cell {
            Cell::Null => to.extend_from_slice(b"null"),
            Cell::Text(text) => serde_json::to_writer(&mut *to, text).map_err(Error::internal)?,
            Cell::Int(number) => serde_json::to_writer(&mut *to, number).map_err(Error::internal)?,
            Cell::Bool(value) => to.extend_from_slice(if *value { b"true" } else { b"false" }),
            Cell::Bytes(bytes) => serde_json::to_writer(&mut *to, &STANDARD.encode(bytes)).map_err(Error::internal)?,
        }
    }
    to.extend_from_slice(b"]\n");
    Ok(())
}

/// The row of a line in a backup of this schema; columns that it does not have are empty. It takes no more memory than the line: nothing is read that is not the value of a column.
pub(super) fn read(table: &Table, schema: i64, line: &[u8]) -> Result<Vec<Cell>, Error> {
    let wrong = |error| damaged(&format!("a row of {} is not what it should be", table.name)).because(error);
    let mut json = serde_json::Deserializer::from_slice(line);
    let row = RowOf(&table.columns_in(schema)).deserialize(&mut json).map_err(wrong)?;
    json.end().map_err(wrong)?;
    Ok(table.filled(schema, row))
}

/// Reads a row of these columns.
struct RowOf<'a>(&'a [Column]);

impl<'de> DeserializeSeed<'de> for RowOf<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Cell>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowOf<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {} values", self.0.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Vec<Cell>, A::Error> {
        let mut row = Vec::with_capacity(self.0.len());
        for column in self.0 {
            let cell = values.next_element_seed(CellOf(*column))?;
            row.push(cell.ok_or_else(|| A::Error::invalid_length(row.len(), &self))?);
        }
        Ok(row)
    }
}

/// Reads the value of this column.
#[derive(Clone, Copy)]
struct CellOf(Column);

impl CellOf {
    fn check<E: de::Error>(self, cell: Cell) -> Result<Cell, E> {
        if self.0.takes(&cell) { Ok(cell) } else { Err(E::custom(format!("{} has a value of another type", self.0.name))) }
    }
}

impl<'de> DeserializeSeed<'de> for CellOf {
    type Value = Cell;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cell, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for CellOf {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of {}", self.0.name)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Cell, E> {
        self.check(Cell::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Cell, E> {
        self.check(Cell::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Cell, E> {
        self.check(Cell::Int(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Cell, E> {
        self.check(Cell::Int(i64::try_from(number).map_err(E::custom)?))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Cell, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Cell, E> {
        self.check(if self.0.is_bytes() { Cell::Bytes(STANDARD.decode(text).map_err(E::custom)?) } else { Cell::Text(text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::tables::TABLES;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let table = TABLES.iter().find(|table| table.name == "idempotency").expect("the table");
        let row = vec![
            Cell::Bytes(vec![0, 255, 7]),
            Cell::Bytes(Vec::new()),
            Cell::Null,
            Cell::Text("\u{1}\"é\n".to_owned()),
            Cell::Int(i64::MIN),
        ];
        let mut line = Vec::new();
        write(&row, &mut line).expect("written");
        assert_eq!(read(table, 24, &line).expect("read"), row);
    }

    #[test]
    fn what_an_earlier_schema_lacks_is_empty() {
        let table = TABLES.iter().find(|table| table.name == "changes").expect("the table");
        let line = br#"[1,0,"group","x","created",null,null,null,null]"#;
        let row = read(table, 20, line).expect("read");
        assert_eq!((row.len(), row.last()), (table.columns.len(), Some(&Cell::Null)));
        assert!(read(table, 24, line).is_err());
    }

    #[test]
    fn other_lines_are_refused_at_their_first_wrong_value() {
        let table = TABLES.iter().find(|table| table.name == "counts").expect("the table");
        assert!(read(table, 24, br#"["/","group",1,1]"#).is_ok());
        for line in [
            r#"["/","group",1]"#,
            r#"["/","group",1,1,2]"#,
            r#"["/","group",1,1] 2"#,
            r#"["/","group","1",1]"#,
            r#"["/","group",1.5,1]"#,
            r#"["/","group",9223372036854775808,1]"#,
            r#"["/","group",true,1]"#,
            r#"["/",[],1,1]"#,
            r#"[["/"],"group",1,1]"#,
            r#"{"prefix":"/"}"#,
            "null",
            "",
        ] {
            let error = read(table, 24, line.as_bytes()).expect_err(line);
            assert!(error.message().contains("a row of counts is not what it should be"), "{line}: {error}");
        }
    }
}
