//! What a server was asked, read from its log, and how it means to answer.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// Values that each statement is asked again with.
const VALUES: usize = 4;
/// The most that is handed to the server at once: what fits into an argument of a program.
const BATCH: usize = 60_000;

/// Statements with the values that they were asked with, from the server's log.
pub(crate) fn asked(log: &str) -> BTreeMap<String, BTreeSet<Vec<String>>> {
    let mut asked: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((_, statement)) = line.split_once("LOG:  execute s").and_then(|(_, rest)| rest.split_once(": ")) else {
            continue;
        };
        let values = lines.next_if(|line| line.contains("DETAIL:  parameters: ")).map(|line| {
            let mut values = line.split_once("parameters: ").expect("it is there").1.to_owned();
            // Values of several lines are indented after the first.
            while let Some(more) = lines.next_if(|line| line.starts_with('\t')) {
                values.extend(["\n", more.trim_start_matches('\t')]);
            }
            values
        });
        let values = values.map_or_else(Vec::new, |values| literals(&values));
        let known = asked.entry(statement.to_owned()).or_default();
        if known.len() < VALUES {
            known.insert(values);
        }
    }
    asked
}

/// The values of `$1 = 'a', $2 = NULL`, as they are written in SQL.
fn literals(mut text: &str) -> Vec<String> {
    let mut literals = Vec::new();
    while let Some((_, rest)) = text.split_once(" = ") {
        let end = if rest.starts_with('\'') {
            let mut end = 1;
            // Quotes within are doubled.
            while let Some(quote) = rest[end..].find('\'') {
                end += quote + 1;
                if rest[end..].starts_with('\'') {
                    end += 1;
                } else {
                    break;
                }
            }
            end
        } else {
            rest.find(',').unwrap_or(rest.len())
        };
        literals.push(rest[..end].to_owned());
        text = &rest[end..];
    }
    literals
}

/// A statement with values, and the plans for them in this order: for these values, and for all.
pub(crate) struct Explained {
    pub(crate) statement: String,
    pub(crate) values: usize,
    pub(crate) plans: [String; 2],
}

/// Explains what was asked. What reads is carried out as well, to count the blocks that it reads.
pub(crate) fn explain(database: &pgcluster::Database, asked: &BTreeMap<String, BTreeSet<Vec<String>>>) -> Vec<Explained> {
    let mut explained = Vec::new();
    let (mut script, mut statements) = (String::new(), Vec::new());
    let mut run = |script: &mut String, statements: &mut Vec<(String, usize)>| {
        let told = database.sql(&format!("SET enable_seqscan = off; SET jit = off; {script}"));
        let mut plans = told.split("=====").skip(1).map(|plan| plan.trim().to_owned());
        for (statement, values) in statements.drain(..) {
            let plans = [plans.next().expect("a plan"), plans.next().expect("a plan")];
            explained.push(Explained { statement, values, plans });
        }
        script.clear();
    };
    let explainable = |sql: &&String| ["SELECT", "INSERT", "UPDATE", "DELETE"].iter().any(|word| sql.starts_with(word));
    for (number, sql) in asked.keys().filter(explainable).enumerate() {
        write!(script, "PREPARE q{number} AS {sql};").expect("a text");
        for values in &asked[sql] {
            let execute = if values.is_empty() { format!("q{number}") } else { format!("q{number}({})", values.join(", ")) };
            let analyze =
                if sql.starts_with("SELECT") && !sql.contains("FOR UPDATE") { ", ANALYZE, BUFFERS, TIMING OFF" } else { "" };
            for mode in ["force_custom_plan", "force_generic_plan"] {
                write!(script, "SET plan_cache_mode = {mode}; SELECT '====='; EXPLAIN (COSTS OFF{analyze}) EXECUTE {execute};")
                    .expect("a text");
            }
            statements.push((format!("{sql}\n{}", values.join(", ")), values.len()));
        }
        if script.len() > BATCH / 2 {
            run(&mut script, &mut statements);
        }
    }
    run(&mut script, &mut statements);
    explained
}
