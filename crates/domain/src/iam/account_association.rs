//! Account associations: the accounts of a group at other providers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    iam::ServicePrincipal,
    revision::Revision,
    text::{Description, Name},
    time::Timestamp,
    uidp::Uidp,
};

/// The accounts of a group at other providers. A group has at most one association, which has no identifier of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountAssociation {
    /// The group's identifier.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: AccountAssociationSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of an account association. What other providers call theirs is kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountAssociationSpec {
    /// Need not be unique.
    pub name: Name,
    /// Free text, one line.
    pub description: Description,
    /// The account at Amazon Web Services: 12 digits.
    pub amazon: Option<String>,
    /// The project at Google Cloud.
    pub google: Option<GoogleProject>,
    /// The tenant at Microsoft Azure.
    pub azure: Option<AzureTenant>,
    /// Which identity each part of the platform acts as.
    pub service_bindings: Option<ServiceBindings>,
    /// Installations of GitHub apps, by the number of the app.
    pub github: Option<BTreeMap<i64, Vec<GitHubInstallation>>>,
}

/// A project at Google Cloud.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoogleProject {
    /// Its id.
    pub project_id: String,
    /// Its number, as text.
    pub project_number: String,
}

/// A tenant at Microsoft Azure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AzureTenant {
    /// Its id.
    pub tenant_id: String,
    /// Ids of its app registrations, by what uses each.
    pub client_ids: BTreeMap<String, String>,
}

/// A cloud at which credentials can be exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloudProvider {
    /// Google Cloud.
    Google,
    /// Amazon Web Services.
    Amazon,
    /// Microsoft Azure.
    Azure,
}

/// The account of a group at one cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloudAccount<'a> {
    /// The project at Google Cloud.
    Google(&'a GoogleProject),
    /// The account at Amazon Web Services.
    Amazon(&'a str),
    /// The tenant at Microsoft Azure.
    Azure(&'a AzureTenant),
}

/// Whether an account can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountStatus {
    /// Credentials were exchanged.
    Ready,
    /// They were not.
    NotReady {
        /// Why, for programs.
        reason: NotReady,
        /// Why, or what to do, for people: one line.
        message: String,
    },
}

/// Why an account cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// The account association does not say what it takes.
    NotConfigured,
    /// The cloud gave no credentials.
    ExchangeFailed,
}

impl AccountAssociationSpec {
    /// The account at this cloud.
    #[must_use]
    pub fn account(&self, provider: CloudProvider) -> Option<CloudAccount<'_>> {
        match provider {
            CloudProvider::Google => self.google.as_ref().map(CloudAccount::Google),
            CloudProvider::Amazon => self.amazon.as_deref().map(CloudAccount::Amazon),
            CloudProvider::Azure => self.azure.as_ref().map(CloudAccount::Azure),
        }
    }
}

impl CloudProvider {
    /// What it is called in requests, metrics, and the audience of tokens for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Amazon => "amazon",
            Self::Azure => "azure",
        }
    }
}

impl CloudAccount<'_> {
    /// The cloud that it is at.
    #[must_use]
    pub fn provider(self) -> CloudProvider {
        match self {
            Self::Google(_) => CloudProvider::Google,
            Self::Amazon(_) => CloudProvider::Amazon,
            Self::Azure(_) => CloudProvider::Azure,
        }
    }
}

impl NotReady {
    /// The text that clients compare.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotConfigured => "not configured",
            Self::ExchangeFailed => "error exchanging credentials",
        }
    }
}

/// Which identity each part of the platform acts as.
pub type ServiceBindings = BTreeMap<ServicePrincipal, ServiceBinding>;

/// The identity that a part of the platform acts as. The check of a database reads the stored form, in which the identity comes first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceBinding {
    /// Lives directly in the group, and proves itself as that very part of the platform.
    pub identity: Uidp,
    /// What the part was called in the request. Versions of the API have different names for it, and each caller gets back its own.
    pub name: String,
}

/// An installation of a GitHub app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitHubInstallation {
    /// Its number.
    pub installation_id: i64,
    /// The organization or user at GitHub, for people.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_of_service_bindings_is_stable() {
        let binding = ServiceBinding { identity: Uidp::root_from([1; 20]).child([2; 8]), name: "COSIGNED".to_owned() };
        let bindings: ServiceBindings = [(ServicePrincipal(1), binding)].into();
        let stored = serde_json::to_string(&bindings).unwrap_or_default();
        let expected = format!(r#"{{"1":{{"identity":"{}/{}","name":"COSIGNED"}}}}"#, "01".repeat(20), "02".repeat(8));
        assert_eq!(stored, expected);
        assert_eq!(serde_json::from_str(&stored).ok(), Some(bindings));
    }
}
