//! Identity metadata: one row for a user at most, under the user's own identifier.

use domain::{Noun, Result, iam::IdentityMetadata};

use crate::{
    iam::identities,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// What is declared of identity metadata.
pub(crate) static DECLARED: Declared = Declared::new::<IdentityMetadata>(
    "identity_metadata",
    COLUMNS,
    &identities::DECLARED,
    WithParent::Goes(table::go_with::<IdentityMetadata>),
)
.few()
.sharing_its_uid();

const COLUMNS: &[Column] = &[text("spec")];

impl Entity for IdentityMetadata {
    const NOUN: Noun = Noun::IdentityMetadata;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: columns.json()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.json(&self.spec)?;
        Ok(())
    }
}
