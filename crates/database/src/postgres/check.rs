//! What `admin check` asks of PostgreSQL itself.

use std::ops::ControlFlow;

use domain::Result;

use super::Connection;
use crate::probe::{Probe, Question, Way};

/// Lets the planner walk an index where there is one in the order that is asked for, and read nothing but the index.
const BY_INDEX: &[&str] = &[
    "SET LOCAL enable_seqscan = off",
    "SET LOCAL enable_bitmapscan = off",
    "SET LOCAL enable_sort = off",
    "SET LOCAL enable_indexscan = on",
    "SET LOCAL enable_indexonlyscan = on",
    "SET LOCAL max_parallel_workers_per_gather = 0",
    "SET LOCAL jit = off",
];
/// Lets it read the table and no index.
const BY_TABLE: &[&str] = &[
    "SET LOCAL enable_seqscan = on",
    "SET LOCAL enable_bitmapscan = off",
    "SET LOCAL enable_indexscan = off",
    "SET LOCAL enable_indexonlyscan = off",
    "SET LOCAL jit = off",
];

/// The indexes of our tables: their names, quoted; their tables; their columns; what they hold; whether they are in use.
const INDEXES: &str = "SELECT quote_ident(i.relname), quote_ident(t.relname), \
    (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.n) FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (attnum, n) \
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum), \
    coalesce(' WHERE ' || pg_get_expr(x.indpred, x.indrelid), ''), x.indisvalid AND x.indisready \
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid \
    WHERE t.relnamespace = current_schema()::regnamespace ORDER BY 1";
/// Whether amcheck is there and we may use it.
const AMCHECK: &str = "SELECT EXISTS (SELECT 1 FROM pg_proc p WHERE p.proname = 'bt_index_check' AND p.pronargs = 2 \
    AND has_function_privilege(p.oid, 'EXECUTE') AND pg_function_is_visible(p.oid))";

struct Index {
    name: String,
    table: String,
    columns: String,
    condition: String,
    is_used: bool,
}

/// Each index against its table, and with amcheck where that is installed; and what cannot be looked at.
pub(crate) async fn probes(connection: &mut Connection) -> Result<(Vec<Probe>, Vec<String>)> {
    let mut indexes = Vec::new();
    connection
        .query(INDEXES, &[], &mut |row| {
            let (name, table, columns, condition) = (row.string(0)?, row.string(1)?, row.string(2)?, row.string(3)?);
            indexes.push(Index { name, table, columns, condition, is_used: row.bool(4)? });
            Ok(ControlFlow::Continue(()))
        })
        .await?;
    let mut has_amcheck = false;
    connection
        .query(AMCHECK, &[], &mut |row| {
            has_amcheck = row.bool(0)?;
            Ok(ControlFlow::Break(()))
        })
        .await?;
    let (mut probes, mut remarks) = (Vec::new(), Vec::new());
    for statement in BY_INDEX {
        connection.execute(statement, &[]).await?;
    }
    for index in &indexes {
        if !index.is_used {
            let sql = format!("SELECT '{}' AS place, 'it is not valid; make it anew with REINDEX' AS problem", index.name);
            probes.push(index.probe(Question::Problems(sql)));
        } else if index.is_walked(connection).await? {
            let [one, other] = [index.ordered(), index.unordered()];
            let ways = [Way { setup: BY_INDEX, query: one }, Way { setup: BY_TABLE, query: other }];
            probes.push(index.probe(Question::Same(ways)));
        } else if !has_amcheck {
            remarks.push(format!("the index {} was not compared with its table: another one answers for it", index.name));
        }
        if has_amcheck && index.is_used {
            let looked = format!("bt_index_check('{}'::regclass, true)::text", index.name);
            let sql = format!("SELECT '{}' AS place, {looked} AS problem WHERE {looked} <> ''", index.name);
            probes.push(index.probe(Question::Problems(sql)));
        }
    }
    if !has_amcheck {
        remarks.push(
            "amcheck is not installed, or may not be used, in this database: the order within indexes is not known".to_owned(),
        );
    }
    Ok((probes, remarks))
}

impl Index {
    fn probe(&self, question: Question) -> Probe {
        Probe { check: "indexes", place: self.name.clone(), question }
    }

    /// The rows as the index has them: their number, and a sum over what is in them.
    fn ordered(&self) -> String {
        self.summed(&format!(" ORDER BY {}", self.columns))
    }

    /// The same as the table has them.
    fn unordered(&self) -> String {
        self.summed("")
    }

    fn summed(&self, order: &str) -> String {
        let Self { table, columns, condition, .. } = self;
        format!(
            "SELECT count(*) || ' rows with the sum ' || coalesce(sum(hashtextextended(content, 0)::numeric), 0) \
             FROM (SELECT ROW({columns})::text AS content FROM {table}{condition}{order}) AS rows"
        )
    }

    /// Whether the planner walks this index, and not another one in the same order.
    async fn is_walked(&self, connection: &mut Connection) -> Result<bool> {
        let (mut is_walked, using) = (false, format!(" using {} on ", self.name));
        connection
            .query(&format!("EXPLAIN {}", self.ordered()), &[], &mut |row| {
                is_walked |= row.text(0)?.contains(&using);
                Ok(ControlFlow::Continue(()))
            })
            .await?;
        Ok(is_walked)
    }
}
