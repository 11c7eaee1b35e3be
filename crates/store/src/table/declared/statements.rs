//! The statements that a noun's columns make.

use super::{Column, Declared, LAST};

/// Statements about one row.
#[derive(Debug)]
pub(crate) struct Statements {
    /// What a row is read from, with commas between.
    pub(crate) columns: String,
    /// A row by its identifier.
    pub(crate) get: String,
    pub(crate) insert: String,
    pub(crate) update: String,
}

impl Statements {
    pub(super) fn of(declared: &Declared) -> Self {
        let table = declared.table;
        let columns = declared.read_columns().collect::<Vec<_>>().join(", ");
        let names: Vec<_> = declared.all_columns().map(|column| column.name).collect();
        let values: Vec<_> = (1..=names.len()).map(|number| format!("${number}")).collect();
        let own = declared.columns.iter().filter(|column| column.is_updated);
        let changed: Vec<_> =
            own.chain(changes_last()).zip(2..).map(|(column, number)| format!("{} = ${number}", column.name)).collect();
        Self {
            get: format!("SELECT {columns} FROM {table} WHERE uid = $1"),
            insert: format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", ")),
            update: format!("UPDATE {table} SET {} WHERE uid = $1", changed.join(", ")),
            columns,
        }
    }

    /// The columns, each with the name that the table has in a join.
    pub(crate) fn columns_of(&self, table: &str) -> String {
        self.columns.split(", ").map(|column| format!("{table}.{column}")).collect::<Vec<_>>().join(", ")
    }
}

/// What every change writes: all that stands behind a noun's own columns but when the row was made.
fn changes_last() -> impl Iterator<Item = &'static Column> {
    LAST.iter().skip(1)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{FIRST, WithParent, int, text},
        *,
    };
    use crate::iam::groups;

    #[test]
    fn columns_make_statements() {
        const COLUMNS: &[Column] = &[text("name"), text("kind").for_conditions(), int("seen_at").left_alone()];
        let statements =
            Statements::of(&Declared::new::<domain::iam::Group>("things", COLUMNS, &groups::DECLARED, WithParent::Keeps("")));
        assert_eq!(statements.get, "SELECT uid, name, seen_at, created_at, updated_at, revision FROM things WHERE uid = $1");
        assert_eq!(
            statements.insert,
            "INSERT INTO things (uid, parent, org, name, kind, seen_at, created_at, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        );
        assert_eq!(statements.update, "UPDATE things SET name = $2, kind = $3, updated_at = $4, revision = $5 WHERE uid = $1");
        assert_eq!(statements.columns_of("t").split(", ").nth(1), Some("t.name"));
        assert_eq!(FIRST.len() + COLUMNS.len() + LAST.len(), 9);
    }
}
