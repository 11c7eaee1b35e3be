mod bindings;
mod check;
mod create;
mod delete;
mod list;
mod update;

use contract::chainguard::platform::iam::v2beta1::{
    AccountAssociation, CreateAccountAssociationRequest, GetAccountAssociationRequest,
    account_association::{Amazon, Azure, GitHub, GitHubAppInstallations, GitHubInstallation, Google},
};

/// A request for the account association of a group.
fn new_association(group: &str, association: AccountAssociation) -> CreateAccountAssociationRequest {
    CreateAccountAssociationRequest { parent: group.into(), account_association: Some(association) }
}

fn get(group: &str) -> GetAccountAssociationRequest {
    GetAccountAssociationRequest { uid: group.into() }
}

/// An account association with nothing but a name.
fn named(name: &str) -> AccountAssociation {
    AccountAssociation { name: name.into(), ..AccountAssociation::default() }
}

/// One with accounts at every other provider.
fn everywhere() -> AccountAssociation {
    AccountAssociation {
        description: "Accounts of Acme.".into(),
        amazon: Some(amazon("123456789012")),
        google: Some(Google { project_id: "acme".into(), project_number: "415104041262".into() }),
        azure: Some(Azure { tenant_id: "tenant".into(), client_ids: [("puller".into(), "client".into())].into() }),
        github: Some(github(&[(12, &[(7, "acme")]), (3, &[])])),
        ..named("accounts")
    }
}

fn amazon(account: &str) -> Amazon {
    Amazon { account: account.into() }
}

/// Apps with their installations.
fn github(apps: &[(i64, &[(i64, &str)])]) -> GitHub {
    let installation =
        |(installation_id, name): &(i64, &str)| GitHubInstallation { installation_id: *installation_id, name: (*name).into() };
    let installations = |of: &[_]| GitHubAppInstallations { installations: of.iter().map(installation).collect() };
    GitHub { app_installations: apps.iter().map(|(app, of)| (*app, installations(of))).collect() }
}
