//! Deployments: one row for a repository at most, under the repository's own identifier.

use database::Fault;
use domain::{Error, Kind, Noun, Result, Rule, error::Detail, registry::Deployment};

use crate::{
    registry::repos,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// What is declared of deployments.
pub(crate) static DECLARED: Declared =
    Declared::new::<Deployment>("deployments", COLUMNS, &repos::DECLARED, WithParent::Goes(table::go_with::<Deployment>))
        .few()
        .sharing_its_uid();

const COLUMNS: &[Column] = &[text("charts")];

impl Entity for Deployment {
    const NOUN: Noun = Noun::Deployment;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            charts: columns.json()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.json(&self.charts)?;
        Ok(())
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "deployments_pkey" => {
                let message = format!("repo {} has a deployment already; read or update it", self.uid);
                Error::new(Kind::AlreadyExists, Rule::OnePerGroup, message)
                    .with(Detail::Resource { noun: Noun::Deployment, uid: self.uid.to_string() })
                    .because(constraint)
            }
            other => other.into(),
        }
    }
}
