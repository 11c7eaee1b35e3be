//! Terms: the documents that were accepted in the names of groups.

use database::Fault;
use domain::{Error, Kind, Noun, Result, Rule, Uidp, iam::TermsAcceptance};

use crate::{
    Reader,
    counts::placeholders,
    iam::groups,
    list::{self, Cursor, Filter, ListQuery, Listed, Term},
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// Which terms acceptances to list: lists are narrowed by nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermsAcceptanceFilter;

impl Filter for TermsAcceptanceFilter {
    type Row = TermsAcceptance;

    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }
}

/// What is declared of terms acceptances.
pub(crate) static DECLARED: Declared = Declared::new::<TermsAcceptance>(
    "terms_acceptances",
    COLUMNS,
    &groups::DECLARED,
    WithParent::Goes(table::go_with::<TermsAcceptance>),
)
.few();

const COLUMNS: &[Column] = &[text("document"), text("accepted_by")];

impl Entity for TermsAcceptance {
    const NOUN: Noun = Noun::TermsAcceptance;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            document: columns.string()?,
            accepted_by: columns.uidp()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(self.document.as_str()).add(&self.accepted_by);
        Ok(())
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "terms_acceptances_parent_document_key" => {
                let message = format!("{} was accepted already", self.document);
                Error::new(Kind::AlreadyExists, Rule::Duplicate, message).because(constraint)
            }
            other => other.into(),
        }
    }
}

/// A page of what was accepted in the names of these groups, which are few and have few acceptances each: all of them are read.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(
    reader: &mut Reader,
    groups: &[Uidp],
    query: &ListQuery<TermsAcceptanceFilter>,
) -> Result<Listed<TermsAcceptance>> {
    list::check(&DECLARED, query.order, query.cursor.as_ref(), &query.uidp)?;
    let columns = &DECLARED.statements().columns;
    let sql = format!("SELECT {columns} FROM terms_acceptances WHERE parent IN ({})", placeholders(1, groups.len()));
    let params: Vec<_> = groups.iter().map(Into::into).collect();
    let rows = reader.query_map(&sql, &params, |row| TermsAcceptance::read(&mut Columns::of(row, 0))).await?;
    Ok(page(rows, query))
}

fn page(rows: Vec<TermsAcceptance>, query: &ListQuery<TermsAcceptanceFilter>) -> Listed<TermsAcceptance> {
    let key = |cursor: Cursor| (cursor.key, cursor.uid);
    let of = |row: &TermsAcceptance| key(row.cursor(query.order.field));
    let total = rows.len() as u64;
    let (last, descending) = (query.cursor.clone().map(key), query.order.descending);
    let is_left = |row: &TermsAcceptance| match &last {
        None => true,
        Some(last) if descending => of(row) < *last,
        Some(last) => of(row) > *last,
    };
    let mut left: Vec<_> = rows.into_iter().filter(is_left).collect();
    left.sort_by_cached_key(of);
    if descending {
        left.reverse();
    }
    let mut left = left.into_iter().skip(query.skip as usize);
    let items: Vec<_> = left.by_ref().take(query.page_size as usize).collect();
    let next = items.last().filter(|_| left.next().is_some()).map(|item| item.cursor(query.order.field));
    Listed { items, next, total, skipped: query.skip }
}

/// Which documents were accepted in the names of these groups, some perhaps several times.
///
/// # Errors
/// Internal when the storage fails.
pub async fn documents(reader: &mut Reader, groups: &[Uidp]) -> Result<Vec<String>> {
    let sql = format!("SELECT document FROM terms_acceptances WHERE parent IN ({})", placeholders(1, groups.len()));
    let params: Vec<_> = groups.iter().map(Into::into).collect();
    reader.query_map(&sql, &params, |row| row.string(0)).await
}
