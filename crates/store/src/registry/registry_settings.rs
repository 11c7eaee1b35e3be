//! Settings of registries: one row for a group at most, under the group's own identifier.

use domain::{
    Noun, Result,
    registry::{RegistrySettings, RegistrySettingsSpec},
};

use crate::{
    iam::groups,
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, bool, its_fields},
};

/// What is declared of the settings of registries.
pub(crate) static DECLARED: Declared = Declared::new::<RegistrySettings>(
    "registry_settings",
    COLUMNS,
    &groups::DECLARED,
    WithParent::Goes(table::go_with::<RegistrySettings>),
)
.few()
.sharing_its_uid();

const COLUMNS: &[Column] = &[bool("unique_tags"), bool("eol_grace_period")];

impl Entity for RegistrySettings {
    const NOUN: Noun = Noun::RegistrySettings;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: RegistrySettingsSpec { unique_tags: columns.bool()?, eol_grace_period: columns.bool()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(self.spec.unique_tags).add(self.spec.eol_grace_period);
        Ok(())
    }
}
