//! Account associations between the wire and the domain: the same in all versions, but for what they are called and for times.

use std::collections::BTreeMap;

use domain::{
    Uidp, Violations,
    iam::{ServiceBinding, ServiceBindings},
    text::excerpt,
    uidp::NotAUidp,
};

use crate::mirror;

/// Functions between what callers may set of an account association and the message `$message`, whose parts are in the module `$parts`.
macro_rules! account_associations {
    ($message:ident with $parts:ident) => {
        /// What callers may set of an account association; the rest is left empty.
        pub(crate) fn spec_to_wire(spec: &domain::iam::AccountAssociationSpec) -> $message {
            let installation = |installation: &domain::iam::GitHubInstallation| $parts::GitHubInstallation {
                installation_id: installation.installation_id,
                name: installation.name.clone(),
            };
            let installations =
                |of: &Vec<_>| $parts::GitHubAppInstallations { installations: of.iter().map(installation).collect() };
            $message {
                name: spec.name.to_string(),
                description: spec.description.to_string(),
                amazon: spec.amazon.clone().map(|account| $parts::Amazon { account }),
                google: spec.google.clone().map(|domain::iam::GoogleProject { project_id, project_number }| $parts::Google {
                    project_id,
                    project_number,
                }),
                azure: spec
                    .azure
                    .clone()
                    .map(|domain::iam::AzureTenant { tenant_id, client_ids }| $parts::Azure { tenant_id, client_ids }),
                chainguard: spec.service_bindings.as_ref().map(|bindings| $parts::Chainguard {
                    service_bindings: crate::account_association::bindings_to_wire(bindings),
                }),
                github: spec.github.as_ref().map(|apps| $parts::GitHub {
                    app_installations: apps.iter().map(|(app, of)| (*app, installations(of))).collect(),
                }),
                ..$message::default()
            }
        }

        /// What a request says that an account association should be; output-only fields are not looked at.
        ///
        /// # Errors
        /// Invalid argument naming every field that is not as it must be.
        pub(crate) fn spec_from_wire(wire: $message) -> domain::Result<domain::iam::AccountAssociationSpec> {
            let violations = &mut domain::Violations::default();
            let name = domain::Name::parse("name", &wire.name, violations);
            let description = domain::Description::parse("description", &wire.description, violations);
            let amazon = wire.amazon.map(|part| {
                crate::field::required_in("amazon.", &part, violations);
                part.account
            });
            let google = wire.google.map(|part| {
                crate::field::required_in("google.", &part, violations);
                domain::iam::GoogleProject { project_id: part.project_id, project_number: part.project_number }
            });
            let azure = wire.azure.map(|part| {
                crate::field::required_in("azure.", &part, violations);
                domain::iam::AzureTenant { tenant_id: part.tenant_id, client_ids: part.client_ids }
            });
            let service_bindings = wire.chainguard.map(|part| {
                crate::field::required_in("chainguard.", &part, violations);
                crate::account_association::bindings_from_wire(part.service_bindings, violations)
            });
            let installation = |part: $parts::GitHubInstallation| domain::iam::GitHubInstallation {
                installation_id: part.installation_id,
                name: part.name,
            };
            let installations = |of: $parts::GitHubAppInstallations| of.installations.into_iter().map(installation).collect();
            let github =
                wire.github.map(|part| part.app_installations.into_iter().map(|(app, of)| (app, installations(of))).collect());
            let spec = || {
                let (name, description) = (name?, description?);
                Some(domain::iam::AccountAssociationSpec { name, description, amazon, google, azure, service_bindings, github })
            };
            std::mem::take(violations).finish(spec())
        }
    };
}
pub(crate) use account_associations;

/// Service bindings for an answer, under the names that they were written with.
pub(crate) fn bindings_to_wire(bindings: &ServiceBindings) -> BTreeMap<String, String> {
    bindings.values().map(|binding| (binding.name.clone(), binding.identity.to_string())).collect()
}

/// The service bindings that a request names, with violations of those that cannot be read.
pub(crate) fn bindings_from_wire(wire: BTreeMap<String, String>, violations: &mut Violations) -> ServiceBindings {
    let field = "chainguard.service_bindings";
    let mut bindings = ServiceBindings::new();
    for (name, identity) in wire {
        match (mirror::principal_named(&name), identity.parse::<Uidp>()) {
            (None, _) => {
                let name = excerpt(&name);
                violations.add(
                    field,
                    format!("service_bindings must have names of service principals as keys, such as COSIGNED; not so: {name:?}"),
                );
            }
            (Some(_), Err(NotAUidp)) => violations.add(field, format!("the identity of {name} {NotAUidp}")),
            (Some(part), Ok(identity)) => {
                if let Some(other) = bindings.insert(part, ServiceBinding { identity, name: name.clone() }) {
                    violations.add(field, format!("{} and {name} are names of one service principal", other.name));
                }
            }
        }
    }
    bindings
}
