//! What `admin check` asks of SQLite itself.

use std::ops::ControlFlow;

use domain::Result;

use super::Connection;
use crate::probe::{Probe, Question, Way};

/// The file, and each index against its table.
pub(crate) fn probes(connection: &mut Connection) -> Result<Vec<Probe>> {
    // The check of the file reads the rows of every table and looks each of them up in every index.
    let file = "SELECT 'provost.db' AS place, integrity_check AS problem FROM pragma_integrity_check \
                WHERE integrity_check <> 'ok'";
    let mut probes = vec![Probe { check: "file", place: "provost.db".to_owned(), question: Question::Problems(file.to_owned()) }];
    let indexes = "SELECT t.name, i.name, coalesce(m.sql, '') FROM sqlite_master t, pragma_index_list(t.name) i \
                   LEFT JOIN sqlite_master m ON m.type = 'index' AND m.name = i.name \
                   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1, 2";
    connection.query(indexes, &[], &mut |row| {
        probes.push(index(row.text(0)?, row.text(1)?, row.text(2)?));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(probes)
}

fn index(table: &str, index: &str, sql: &str) -> Probe {
    let condition = sql.find(" WHERE ").and_then(|at| sql.get(at..)).unwrap_or_default();
    let count = |way: &str| Way { setup: &[], query: format!("SELECT count(*) || ' rows' FROM {table} {way}{condition}") };
    let question = Question::Same([count(&format!("INDEXED BY {index}")), count("NOT INDEXED")]);
    Probe { check: "indexes", place: index.to_owned(), question }
}
