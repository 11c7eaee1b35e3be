//! Rows as lines of JSON: an array of values, bytes in base64 (RFC 4648 section 4).

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{Error, Result};
use serde_json::Value;

use super::{
    header::damaged,
    tables::{Cell, Table},
};

/// The line before the rows of a table.
pub(super) fn heading(table: &Table) -> Vec<u8> {
    let columns: Vec<_> = table.columns.iter().map(|column| column.name).collect();
    let mut line = serde_json::json!({ "table": table.name, "columns": columns }).to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Appends the line of a row.
pub(super) fn write(row: &[Cell], to: &mut Vec<u8>) -> Result<()> {
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

/// The row of a line.
pub(super) fn read(table: &Table, line: &[u8]) -> Result<Vec<Cell>> {
    let wrong = || damaged(&format!("a row of {} is not what it should be", table.name));
    let values: Vec<Value> = serde_json::from_slice(line).map_err(|error| wrong().because(error))?;
    if values.len() != table.columns.len() {
        return Err(wrong());
    }
    let cell = |(column, value): (&super::tables::Column, Value)| {
        let cell = match value {
            Value::Null => Some(Cell::Null),
            Value::Bool(value) => Some(Cell::Bool(value)),
            Value::Number(number) => number.as_i64().map(Cell::Int),
            Value::String(text) if column.is_bytes() => STANDARD.decode(text).ok().map(Cell::Bytes),
            Value::String(text) => Some(Cell::Text(text)),
            Value::Array(_) | Value::Object(_) => None,
        };
        cell.filter(|cell| column.takes(cell)).ok_or_else(wrong)
    };
    table.columns.iter().zip(values).map(cell).collect()
}
