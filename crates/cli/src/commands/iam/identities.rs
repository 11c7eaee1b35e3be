//! `provost iam identities`

use std::collections::HashMap;

use clap::{Args, Subcommand, ValueEnum};
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        BatchCreateRoleBindingsRequest, CreateIdentityRequest, CreateRoleBindingRequest, DeleteIdentityRequest,
        GetIdentityRequest, Identity, ListIdentitiesRequest, ListRoleBindingsRequest, RelationshipType, RoleBinding,
        UpdateIdentityRequest,
        rpc::{
            BatchCreateRoleBindings, CreateIdentity, DeleteIdentity, GetIdentity, ListIdentities, ListRoleBindings,
            UpdateIdentity,
        },
    },
    prost_types::FieldMask,
};

use super::{Naming, Within, relationship::Proof, something_to_change};
use crate::{
    config::Global,
    confirm::confirm,
    exit::{Exit, Failure},
    listing::{all, below, by_name},
    output::Format,
    resolve, session,
    views::IdentityRow,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Identities {
    /// List the identities that you can see
    #[command(visible_alias = "ls")]
    List(List),
    /// Show everything about an identity
    Describe {
        /// Its name or UID
        identity: String,
    },
    /// Create an identity for a workload
    Create(Box<Create>),
    /// Change an identity
    Update(Box<Update>),
    /// Delete an identity and its role bindings
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name or UID
        identity: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    within: Within,
    /// Only those of this name
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only those that prove themselves this way
    #[arg(long = "type", visible_alias = "relationship", value_enum)]
    kind: Option<Kind>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Kind {
    ClaimMatch,
    Static,
    Aws,
    ServicePrincipal,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name
    name: String,
    /// The organization or folder that it belongs to, by name or UID
    #[arg(long, value_name = "GROUP")]
    parent: String,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
    /// Roles that it gets at its parent, by name or UID
    #[arg(long = "role", value_delimiter = ',', value_name = "ROLE,…")]
    roles: Vec<String>,
    #[command(flatten)]
    proof: Proof,
}

#[derive(Debug, Args)]
pub(crate) struct Update {
    /// Its name or UID
    identity: String,
    #[command(flatten)]
    naming: Naming,
    #[command(flatten)]
    proof: Proof,
}

impl Identities {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List(list) => list.run(global, &client).await,
            Self::Describe { identity } => {
                let uid = resolve::identity(&client, &identity).await?;
                let identity = client.call::<GetIdentity>(GetIdentityRequest { uid }).await?;
                global.output.describe(&IdentityRow { identity, roles: Vec::new() })
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => update.run(global, &client).await,
            Self::Delete { identity } => {
                let uid = resolve::identity(&client, &identity).await?;
                confirm(global, &format!("delete the identity {uid} and its role bindings"))?;
                client.call::<DeleteIdentity>(DeleteIdentityRequest { uid: uid.clone() }).await?;
                global.output.deleted(&uid)
            }
        }
    }
}

impl List {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::optional_group(client, self.within.parent.as_deref()).await?;
        let kind = self.kind.map_or(RelationshipType::Unspecified, Kind::wire);
        let request = ListIdentitiesRequest {
            uidp: below(parent, self.within.recursive),
            name: self.name,
            relationship_type: kind.into(),
            order_by: by_name(),
            ..ListIdentitiesRequest::default()
        };
        let identities = all::<ListIdentities>(client, request).await?;
        let mut held = match global.output {
            Format::Table if !identities.is_empty() => roles_by_identity(client).await?,
            _ => HashMap::new(),
        };
        let row = |identity: Identity| IdentityRow { roles: held.remove(&identity.uid).unwrap_or_default(), identity };
        global.output.list(&identities.into_iter().map(row).collect::<Vec<_>>())
    }
}

impl Kind {
    fn wire(self) -> RelationshipType {
        match self {
            Self::ClaimMatch => RelationshipType::ClaimMatch,
            Self::Static => RelationshipType::Static,
            Self::Aws => RelationshipType::AwsIdentity,
            Self::ServicePrincipal => RelationshipType::ServicePrincipal,
        }
    }
}

/// The names of the roles that each identity holds, as far as the caller may see them.
async fn roles_by_identity(client: &Client) -> Result<HashMap<String, Vec<String>>, Failure> {
    let bindings = match all::<ListRoleBindings>(client, ListRoleBindingsRequest::default()).await {
        Err(failure) if failure.exit == Exit::Denied => Vec::new(),
        bindings => bindings?,
    };
    let mut held: HashMap<_, Vec<_>> = HashMap::new();
    for binding in bindings {
        let (Some(identity), Some(role)) = (binding.identity, binding.role) else { continue };
        let roles = held.entry(identity.uid).or_default();
        if !roles.contains(&role.name) {
            roles.push(role.name);
        }
    }
    for roles in held.values_mut() {
        roles.sort();
    }
    Ok(held)
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::group(client, &self.parent).await?;
        let mut roles = Vec::new();
        for role in &self.roles {
            roles.push(resolve::role(client, role).await?);
        }
        let relationship = Some(self.proof.create()?);
        let identity = Identity { name: self.name, description: self.description, relationship, ..Identity::default() };
        let request = CreateIdentityRequest { parent: parent.clone(), identity: Some(identity) };
        let identity = client.call::<CreateIdentity>(request).await?;
        if !roles.is_empty() {
            bind(client, &parent, &identity.uid, roles).await?;
        }
        global.output.one(&IdentityRow { identity, roles: self.roles })
    }
}

/// Gives a new identity its roles, all or none.
async fn bind(client: &Client, parent: &str, identity: &str, roles: Vec<String>) -> Result<(), Failure> {
    let binding = |role_uid| RoleBinding { identity_uid: identity.to_owned(), role_uid, ..RoleBinding::default() };
    let request = |role| CreateRoleBindingRequest { parent: parent.to_owned(), role_binding: Some(binding(role)) };
    let requests = roles.into_iter().map(request).collect();
    let batch = BatchCreateRoleBindingsRequest { parent: parent.to_owned(), requests, role_uid: String::new() };
    match client.call::<BatchCreateRoleBindings>(batch).await {
        Ok(_) => Ok(()),
        Err(error) => {
            let failure = Failure::from(error);
            let message = format!("the identity {identity} was created, but it did not get its roles: {}", failure.message);
            Err(Failure { message, ..failure }.hint(format!(
                "bind them with `provost iam role-bindings create --identity {identity} --role ROLE --parent {parent}`"
            )))
        }
    }
}

impl Update {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let uid = resolve::identity(client, &self.identity).await?;
        let current = client.call::<GetIdentity>(GetIdentityRequest { uid: uid.clone() }).await?;
        let (relationship, changed) = self.proof.update(current.relationship.as_ref())?;
        let mut paths = self.naming.paths();
        paths.extend(changed);
        something_to_change(&paths)?;
        let (name, description) = (self.naming.name.unwrap_or_default(), self.naming.description.unwrap_or_default());
        let identity = Identity { uid, name, description, relationship, ..Identity::default() };
        let request = UpdateIdentityRequest { identity: Some(identity), update_mask: Some(FieldMask { paths }) };
        let identity = client.call::<UpdateIdentity>(request).await?;
        global.output.one(&IdentityRow { identity, roles: Vec::new() })
    }
}
