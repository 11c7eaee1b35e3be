//! External group role mappings.

use database::Fault;
use domain::{
    Error, Kind, Noun, Result, Rule, Uidp,
    error::Detail,
    iam::{ExternalGroupRoleMapping, ExternalGroupRoleMappingSpec},
};

use crate::{
    iam::identity_providers,
    list::{Filter, Term},
    table::{self, Column, Columns, Declared, Entity, EventGroup, Values, WithParent, its_fields, text},
};

/// Which external group role mappings to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalGroupRoleMappingFilter {
    /// Only those of this identity provider.
    pub identity_provider: Option<Uidp>,
}

impl Filter for ExternalGroupRoleMappingFilter {
    type Row = ExternalGroupRoleMapping;

    fn terms(&self) -> Vec<Term> {
        self.identity_provider.iter().map(|provider| Term::few("parent", provider.as_str())).collect()
    }
}

/// What is declared of external group role mappings.
pub(crate) static DECLARED: Declared = Declared::new::<ExternalGroupRoleMapping>(
    "external_group_role_mappings",
    COLUMNS,
    &identity_providers::DECLARED,
    WithParent::Goes(table::go_with::<ExternalGroupRoleMapping>),
)
.few()
.with_events_of(EventGroup::Organization);

const COLUMNS: &[Column] = &[text("external_group_id").of_rights(), text("role").of_rights()];

impl Entity for ExternalGroupRoleMapping {
    const NOUN: Noun = Noun::ExternalGroupRoleMapping;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: ExternalGroupRoleMappingSpec { external_group_id: columns.string()?, role: columns.uidp()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(self.spec.external_group_id.as_str()).add(&self.spec.role);
        Ok(())
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "external_group_role_mappings_parent_external_group_id_role_key" => {
                let message = format!("identity provider {} maps this group to this role already", self.uid.parent_text());
                Error::new(Kind::AlreadyExists, Rule::Duplicate, message)
                    .with(Detail::Resource { noun: Noun::ExternalGroupRoleMapping, uid: self.spec.external_group_id.clone() })
                    .because(constraint)
            }
            Fault::Reference => {
                let description = "the role of the external group role mapping does not exist";
                Error::precondition(Rule::NoSuchResource, "NO_SUCH_RESOURCE", self.uid.as_str(), description)
            }
            other => other.into(),
        }
    }
}
