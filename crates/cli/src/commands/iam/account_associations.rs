//! `provost iam account-associations`

use clap::{Args, Subcommand, ValueEnum};
use client::{Client, Code};
use contract::{
    chainguard::platform::iam::v2beta1::{
        AccountAssociation, AccountProviderType, CheckAccountAssociationRequest, CheckStatus, CreateAccountAssociationRequest,
        DeleteAccountAssociationRequest, GetAccountAssociationRequest, ListAccountAssociationsRequest,
        UpdateAccountAssociationRequest,
        account_association::{Amazon, Azure, Google},
        rpc::{
            CheckAccountAssociation, CreateAccountAssociation, DeleteAccountAssociation, GetAccountAssociation,
            ListAccountAssociations, UpdateAccountAssociation,
        },
    },
    prost_types::FieldMask,
};
use serde_json::json;

use super::{super::pair, Within};
use crate::{
    confirm::confirm,
    describing::describe,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum AccountAssociations {
    /// List account associations
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show the account association of a group
    Describe(Place),
    /// Associate a cloud account with a group
    #[command(subcommand)]
    Set(Set),
    /// Remove a cloud account from a group
    Unset {
        #[command(flatten)]
        cloud: Cloud,
        #[command(flatten)]
        place: Place,
    },
    /// Test a group's account by exchanging credentials; fails if that is refused
    Check {
        #[command(flatten)]
        cloud: Cloud,
        #[command(flatten)]
        place: Place,
    },
    /// Delete the account association of a group
    #[command(visible_alias = "rm")]
    Delete(Place),
}

#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The organization or folder, by name, path or UID
    #[arg(value_name = "GROUP", required = true)]
    group: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Set {
    /// An account at Amazon Web Services
    Aws {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        naming: Naming,
        /// The number of the account
        #[arg(long, value_name = "NUMBER")]
        account: String,
    },
    /// A project at Google Cloud
    Gcp {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        naming: Naming,
        /// The name of the project
        #[arg(long, value_name = "ID")]
        project_id: String,
        /// The number of the project
        #[arg(long, value_name = "NUMBER")]
        project_number: String,
    },
    /// A tenant at Microsoft Azure
    Azure {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        naming: Naming,
        /// The tenant
        #[arg(long, value_name = "ID")]
        tenant_id: String,
        /// Client IDs of the tenant's applications, by purpose
        #[arg(long, value_name = "NAME=ID,…", value_delimiter = ',', value_parser = pair, required = true)]
        client_ids: Vec<(String, String)>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Cloud {
    /// The cloud: aws, azure or gcp
    #[arg(value_name = "CLOUD", hide_possible_values = true)]
    cloud: Provider,
}

/// A cloud that accounts can be at.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Provider {
    /// Amazon Web Services
    Aws,
    /// Microsoft Azure
    Azure,
    /// Google Cloud
    Gcp,
}

/// What the association of a group is called.
#[derive(Debug, Args)]
pub(crate) struct Naming {
    /// Name of the association [default: the name of the first account]
    #[arg(short, long)]
    name: Option<String>,
    /// Their description
    #[arg(short, long)]
    description: Option<String>,
}

impl AccountAssociations {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListAccountAssociationsRequest { uidp, ..ListAccountAssociationsRequest::default() };
                listing::print::<ListAccountAssociations>(global, &client, request, paging, |_| true).await
            }
            Self::Describe(Place { group }) => {
                let uid = resolve::uid(global, &client, Kind::Group, group).await?;
                describe::<GetAccountAssociation>(global, &client, GetAccountAssociationRequest { uid }).await
            }
            Self::Set(set) => set.run(global, &client).await,
            Self::Unset { cloud: Cloud { cloud }, place: Place { group } } => {
                let uid = resolve::uid(global, &client, Kind::Group, group).await?;
                let nothing = AccountAssociation { uid, ..AccountAssociation::default() };
                global.output.one(&update(&client, nothing, vec![cloud.field().to_owned()]).await?)
            }
            Self::Check { cloud: Cloud { cloud }, place: Place { group } } => {
                let uid = resolve::uid(global, &client, Kind::Group, group).await?;
                check(global, &client, uid, cloud).await
            }
            Self::Delete(Place { group }) => {
                let found = resolve::find(global, &client, Kind::Group, group).await?;
                if global.is_to_confirm() {
                    let title = found.title(global, &client, Kind::Group).await?;
                    confirm(global, &format!("forget the accounts of the group {title}"))?;
                }
                client.call::<DeleteAccountAssociation>(DeleteAccountAssociationRequest { uid: found.uid.clone() }).await?;
                global.deleted(&found.uid)
            }
        }
    }
}

impl Set {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let (place, naming, cloud, set) = match self {
            Self::Aws { place, naming, account } => {
                let amazon = Some(Amazon { account });
                (place, naming, "amazon", AccountAssociation { amazon, ..AccountAssociation::default() })
            }
            Self::Gcp { place, naming, project_id, project_number } => {
                let google = Some(Google { project_id, project_number });
                (place, naming, "google", AccountAssociation { google, ..AccountAssociation::default() })
            }
            Self::Azure { place, naming, tenant_id, client_ids } => {
                let azure = Some(Azure { tenant_id, client_ids: client_ids.into_iter().collect() });
                (place, naming, "azure", AccountAssociation { azure, ..AccountAssociation::default() })
            }
        };
        let uid = resolve::uid(global, client, Kind::Group, place.group).await?;
        let named = [("name", &naming.name), ("description", &naming.description)];
        let paths = named.iter().filter(|(_, given)| given.is_some()).map(|(path, _)| *path).chain([cloud]);
        let paths: Vec<_> = paths.map(str::to_owned).collect();
        let (name, description) = (naming.name.clone().unwrap_or_default(), naming.description.clone().unwrap_or_default());
        let association = AccountAssociation { uid: uid.clone(), name, description, ..set };
        match update(client, association.clone(), paths).await {
            Err(error) if error.code() == Code::NotFound => {
                let name = naming.name.unwrap_or_else(|| cloud.to_owned());
                let association = AccountAssociation { uid: String::new(), name, ..association };
                let request = CreateAccountAssociationRequest { parent: uid, account_association: Some(association) };
                global.output.one(&client.call::<CreateAccountAssociation>(request).await?)
            }
            updated => global.output.one(&updated?),
        }
    }
}

impl Provider {
    /// Its field in an account association.
    fn field(self) -> &'static str {
        match self {
            Self::Aws => "amazon",
            Self::Azure => "azure",
            Self::Gcp => "google",
        }
    }

    fn wire(self) -> AccountProviderType {
        match self {
            Self::Aws => AccountProviderType::Amazon,
            Self::Azure => AccountProviderType::Azure,
            Self::Gcp => AccountProviderType::Google,
        }
    }
}

/// Tries the group's account at a cloud.
async fn check(global: &Global, client: &Client, uid: String, cloud: Provider) -> Result<(), Failure> {
    let request = CheckAccountAssociationRequest { uid: uid.clone(), provider_type: cloud.wire().into() };
    let answer = client.call::<CheckAccountAssociation>(request).await?;
    let is_ready = answer.status() == CheckStatus::Ready;
    let value = json!({
        "group": uid,
        "ready": if is_ready { "Ready" } else { "NotReady" },
        "reason": answer.reason,
        "message": answer.message,
    });
    output::report(global.output, &uid, &value, None)?;
    if is_ready { Ok(()) } else { Err(Failure::failed(format!("the account is not ready: {}", answer.reason))) }
}

/// Changes what `paths` name.
async fn update(client: &Client, to: AccountAssociation, paths: Vec<String>) -> Result<AccountAssociation, client::Error> {
    let update_mask = Some(FieldMask { paths });
    let request = UpdateAccountAssociationRequest { account_association: Some(to), update_mask };
    client.call::<UpdateAccountAssociation>(request).await
}
