//! Access requests.

use database::Fault;
use domain::{Error, Kind, Noun, Result, Rule, Uidp, iam::AccessRequest};

use crate::{
    Reader,
    iam::groups,
    list::{Filter, Term},
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, int, its_fields, text},
};

/// Which access requests to list: lists are narrowed by nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessRequestFilter;

impl Filter for AccessRequestFilter {
    type Row = AccessRequest;

    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }
}

/// What is declared of access requests.
pub(crate) static DECLARED: Declared = Declared::new::<AccessRequest>(
    "access_requests",
    COLUMNS,
    &groups::DECLARED,
    WithParent::Goes(table::go_with::<AccessRequest>),
)
.few();

const COLUMNS: &[Column] = &[text("identity"), text("email"), int("refused_at")];

impl Entity for AccessRequest {
    const NOUN: Noun = Noun::AccessRequest;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            identity: columns.uidp()?,
            email: columns.string()?,
            refused_at: columns.opt_time()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(&self.identity).add(self.email.as_str()).add(self.refused_at);
        Ok(())
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "access_requests_parent_identity_key" => {
                let message = "you have asked for access before; wait for the answer";
                Error::new(Kind::AlreadyExists, Rule::Duplicate, message).because(constraint)
            }
            other => other.into(),
        }
    }
}

/// What the user has asked of the organization, if it has.
///
/// # Errors
/// Internal when the storage fails.
pub async fn of(reader: &mut Reader, organization: &Uidp, identity: &Uidp) -> Result<Option<AccessRequest>> {
    let columns = &DECLARED.statements().columns;
    let sql = format!("SELECT {columns} FROM access_requests WHERE parent = $1 AND identity = $2");
    reader.query_one(&sql, &[organization.into(), identity.into()], |row| AccessRequest::read(&mut Columns::of(row, 0))).await
}
