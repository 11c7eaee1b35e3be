//! What holds for every account association. What other providers call theirs is limited in length and not looked at otherwise.

use std::collections::BTreeMap;

use domain::{
    Error, Result, Rule, Uidp, Violations,
    error::Violation,
    iam::{AccountAssociationSpec, AzureTenant, GitHubInstallation, GoogleProject, ServiceBindings},
};
use store::{Reader, iam::identities};

use crate::texts;

/// Most app registrations of a tenant.
const CLIENTS: usize = 32;
/// Most GitHub apps.
const APPS: usize = 16;
/// Most installations of all GitHub apps together.
const INSTALLATIONS: usize = 100;
/// Where service bindings stand in requests.
const BINDINGS: &str = "chainguard.service_bindings";

/// Judges what no type of `domain` limits.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn check(spec: &AccountAssociationSpec) -> Result<()> {
    let mut violations = Violations::default();
    if let Some(account) = &spec.amazon
        && !is_account(account)
    {
        violations.add("amazon.account", "account must match \"^[0-9]{12}$\"");
    }
    if let Some(GoogleProject { project_id, project_number }) = &spec.google {
        texts::required("google.project_id", project_id, texts::SHORT, &mut violations);
        texts::required("google.project_number", project_number, texts::SHORT, &mut violations);
    }
    if let Some(AzureTenant { tenant_id, client_ids }) = &spec.azure {
        texts::required("azure.tenant_id", tenant_id, texts::SHORT, &mut violations);
        if client_ids.is_empty() {
            violations.add("azure.client_ids", "client_ids is required");
        }
        texts::map("azure.client_ids", client_ids, CLIENTS, texts::SHORT, &mut violations, |_| None);
    }
    if spec.service_bindings.as_ref().is_some_and(BTreeMap::is_empty) {
        violations.add(BINDINGS, "service_bindings is required");
    }
    if let Some(apps) = &spec.github {
        check_apps(apps, &mut violations);
    }
    violations.check()
}

/// Whether this is an account at Amazon Web Services.
fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|b| b.is_ascii_digit())
}

fn check_apps(apps: &BTreeMap<i64, Vec<GitHubInstallation>>, violations: &mut Violations) {
    let field = "github.app_installations";
    if !texts::count(field, apps.len(), APPS, violations) {
        return;
    }
    if apps.values().map(Vec::len).sum::<usize>() > INSTALLATIONS {
        violations.add(field, format!("app_installations must have at most {INSTALLATIONS} installations in all"));
        return;
    }
    for (app, installations) in apps {
        for (index, installation) in installations.iter().enumerate() {
            let place = format!("{field}[{app}].installations[{index}]");
            if installation.installation_id == 0 {
                violations.add(format!("{place}.installation_id"), "installation_id is required");
            }
            texts::optional(&format!("{place}.name"), &installation.name, texts::SHORT, violations);
        }
    }
}

/// Judges the identities that parts of the platform are bound to: there are never more than the contract has parts.
///
/// What is absent and what belongs elsewhere get the same answer, so that nobody learns of other places.
///
/// # Errors
/// Invalid argument for an identity that does not live directly in the group, or is not that part of the platform.
pub(super) async fn check_bound(reader: &mut Reader, group: &Uidp, bindings: Option<&ServiceBindings>) -> Result<()> {
    let Some(bindings) = bindings.filter(|bindings| !bindings.is_empty()) else { return Ok(()) };
    let uids: Vec<_> = bindings.values().map(|binding| &binding.identity).collect();
    let found = identities::principals(reader, group, &uids).await?;
    let misfits: Vec<_> = bindings
        .iter()
        .filter(|(part, binding)| !found.iter().any(|(uid, is)| *uid == binding.identity && is == *part))
        .map(|(_, binding)| binding.name.as_str())
        .collect();
    if misfits.is_empty() {
        return Ok(());
    }
    let description = format!(
        "service_bindings must name identities that live directly in the group, each of the service principal that it is bound to; \
         not so: {}",
        misfits.join(", ")
    );
    Err(Error::fields(Rule::OtherOrganization, vec![Violation { field: BINDINGS.to_owned(), description }]))
}
