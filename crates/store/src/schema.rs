//! The schema of the database: which steps lead to it, and how far a database has come.

use database::{Source, Step, left};
use domain::Result;

use crate::StoreConfig;

/// Every step in order. A released step never changes; new ones are added at the end.
const STEPS: &[Step] = &[
    Step {
        name: "core",
        sqlite: include_str!("../migrations/sqlite/0001_core.sql"),
        postgres: include_str!("../migrations/postgres/0001_core.sql"),
    },
    Step {
        name: "children",
        sqlite: include_str!("../migrations/sqlite/0002_children.sql"),
        postgres: include_str!("../migrations/postgres/0002_children.sql"),
    },
    Step {
        name: "moves",
        sqlite: include_str!("../migrations/sqlite/0003_moves.sql"),
        postgres: include_str!("../migrations/postgres/0003_moves.sql"),
    },
    Step {
        name: "tags",
        sqlite: include_str!("../migrations/sqlite/0004_tags.sql"),
        postgres: include_str!("../migrations/postgres/0004_tags.sql"),
    },
    Step {
        name: "identity_providers",
        sqlite: include_str!("../migrations/sqlite/0005_identity_providers.sql"),
        postgres: include_str!("../migrations/postgres/0005_identity_providers.sql"),
    },
    Step {
        name: "account_associations",
        sqlite: include_str!("../migrations/sqlite/0006_account_associations.sql"),
        postgres: include_str!("../migrations/postgres/0006_account_associations.sql"),
    },
    Step {
        name: "subscriptions",
        sqlite: include_str!("../migrations/sqlite/0007_subscriptions.sql"),
        postgres: include_str!("../migrations/postgres/0007_subscriptions.sql"),
    },
    Step {
        name: "external_group_role_mappings",
        sqlite: include_str!("../migrations/sqlite/0008_external_group_role_mappings.sql"),
        postgres: include_str!("../migrations/postgres/0008_external_group_role_mappings.sql"),
    },
    Step {
        name: "scim",
        sqlite: include_str!("../migrations/sqlite/0009_scim.sql"),
        postgres: include_str!("../migrations/postgres/0009_scim.sql"),
    },
    Step {
        name: "group_invites",
        sqlite: include_str!("../migrations/sqlite/0010_group_invites.sql"),
        postgres: include_str!("../migrations/postgres/0010_group_invites.sql"),
    },
    Step {
        name: "logins",
        sqlite: include_str!("../migrations/sqlite/0011_logins.sql"),
        postgres: include_str!("../migrations/postgres/0011_logins.sql"),
    },
    Step {
        name: "readmes",
        sqlite: include_str!("../migrations/sqlite/0012_readmes.sql"),
        postgres: include_str!("../migrations/postgres/0012_readmes.sql"),
    },
    Step {
        name: "overlays",
        sqlite: include_str!("../migrations/sqlite/0013_overlays.sql"),
        postgres: include_str!("../migrations/postgres/0013_overlays.sql"),
    },
    Step {
        name: "overlay_bindings",
        sqlite: include_str!("../migrations/sqlite/0014_overlay_bindings.sql"),
        postgres: include_str!("../migrations/postgres/0014_overlay_bindings.sql"),
    },
    Step {
        name: "deployments",
        sqlite: include_str!("../migrations/sqlite/0015_deployments.sql"),
        postgres: include_str!("../migrations/postgres/0015_deployments.sql"),
    },
    Step {
        name: "registry_settings",
        sqlite: include_str!("../migrations/sqlite/0016_registry_settings.sql"),
        postgres: include_str!("../migrations/postgres/0016_registry_settings.sql"),
    },
    Step {
        name: "access_requests",
        sqlite: include_str!("../migrations/sqlite/0017_access_requests.sql"),
        postgres: include_str!("../migrations/postgres/0017_access_requests.sql"),
    },
    Step {
        name: "visibility",
        sqlite: include_str!("../migrations/sqlite/0018_visibility.sql"),
        postgres: include_str!("../migrations/postgres/0018_visibility.sql"),
    },
    Step {
        name: "sessions",
        sqlite: include_str!("../migrations/sqlite/0019_sessions.sql"),
        postgres: include_str!("../migrations/postgres/0019_sessions.sql"),
    },
    Step {
        name: "terms_and_metadata",
        sqlite: include_str!("../migrations/sqlite/0020_terms_and_metadata.sql"),
        postgres: include_str!("../migrations/postgres/0020_terms_and_metadata.sql"),
    },
    Step {
        name: "resource_limits",
        sqlite: include_str!("../migrations/sqlite/0021_resource_limits.sql"),
        postgres: include_str!("../migrations/postgres/0021_resource_limits.sql"),
    },
    Step {
        name: "chain",
        sqlite: include_str!("../migrations/sqlite/0022_chain.sql"),
        postgres: include_str!("../migrations/postgres/0022_chain.sql"),
    },
    Step {
        name: "synced_by",
        sqlite: include_str!("../migrations/sqlite/0023_synced_by.sql"),
        postgres: include_str!("../migrations/postgres/0023_synced_by.sql"),
    },
    Step {
        name: "advisories",
        sqlite: include_str!("../migrations/sqlite/0024_advisories.sql"),
        postgres: include_str!("../migrations/postgres/0024_advisories.sql"),
    },
    Step {
        name: "deliveries",
        sqlite: include_str!("../migrations/sqlite/0025_deliveries.sql"),
        postgres: include_str!("../migrations/postgres/0025_deliveries.sql"),
    },
    Step {
        name: "advisory_imports",
        sqlite: include_str!("../migrations/sqlite/0026_advisory_imports.sql"),
        postgres: include_str!("../migrations/postgres/0026_advisory_imports.sql"),
    },
    Step {
        name: "roles_apart",
        sqlite: include_str!("../migrations/sqlite/0027_roles_apart.sql"),
        postgres: include_str!("../migrations/postgres/0027_roles_apart.sql"),
    },
    Step {
        name: "retention",
        sqlite: include_str!("../migrations/sqlite/0028_retention.sql"),
        postgres: include_str!("../migrations/postgres/0028_retention.sql"),
    },
    Step {
        name: "advisory_feeds",
        sqlite: include_str!("../migrations/sqlite/0029_advisory_feeds.sql"),
        postgres: include_str!("../migrations/postgres/0029_advisory_feeds.sql"),
    },
    Step {
        name: "retention_claim",
        sqlite: include_str!("../migrations/sqlite/0030_retention_claim.sql"),
        postgres: include_str!("../migrations/postgres/0030_retention_claim.sql"),
    },
];

/// The schema of this program: the number of its steps.
pub const CURRENT: usize = STEPS.len();

impl StoreConfig {
    /// What is to be opened.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { database: &self.database, data: &self.data, steps: STEPS }
    }
}

/// How far a database has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The schema of the database; 0 when there is none yet.
    pub found: usize,
    /// The schema of this program.
    pub program: usize,
}

impl Schema {
    /// Reads it and changes nothing. A server may be running on the database.
    ///
    /// # Errors
    /// Unavailable when the database cannot be read.
    pub async fn of(config: &StoreConfig) -> Result<Self> {
        Ok(Self { found: config.source().version().await?, program: CURRENT })
    }

    /// Whether steps are missing.
    ///
    /// # Errors
    /// Failed precondition when a newer program wrote the database.
    pub fn check(&self) -> Result<bool> {
        Ok(left(self.found, self.program)? > 0)
    }

    /// The names of the steps that the database does not have yet.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        STEPS.iter().skip(self.found).map(|step| step.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let schema = |found| Schema { found, program: CURRENT };
        assert_eq!((schema(0).check().ok(), schema(0).missing()), (Some(true), STEPS.iter().map(|step| step.name).collect()));
        assert_eq!((schema(CURRENT).check().ok(), schema(CURRENT).missing().len()), (Some(false), 0));
        assert!(schema(CURRENT + 1).check().is_err_and(|error| error.message().contains("run the newer provost")));
    }
}
