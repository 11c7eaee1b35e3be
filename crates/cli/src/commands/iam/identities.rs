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
    deleting::delete,
    exit::{Exit, Failure},
    global::Global,
    listing::{Paging, Printed, all, by_name},
    output::{self, Format},
    resolve::{self, Kind as Noun},
    session, tree,
    views::IdentityRow,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Identities {
    /// List the identities that you can see
    #[command(visible_alias = "ls")]
    List(List),
    /// Show everything about an identity
    Describe {
        /// Its name, path or UID
        #[arg(required = true)]
        identity: Option<String>,
    },
    /// Create an identity for a workload
    Create(Box<Create>),
    /// Change an identity
    Update(Box<Update>),
    /// Delete an identity and its role bindings
    #[command(visible_alias = "rm")]
    Delete {
        /// Its name, path or UID
        #[arg(required = true)]
        identity: Option<String>,
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
    #[command(flatten)]
    paging: Paging,
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
    /// The organization or folder that it belongs to, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
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
    /// Its name, path or UID
    #[arg(required = true)]
    identity: Option<String>,
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
                let uid = resolve::uid(global, &client, Noun::Identity, identity).await?;
                let identity = client.call::<GetIdentity>(GetIdentityRequest { uid }).await?;
                global.output.describe(&IdentityRow { identity, roles: Vec::new() })
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => update.run(global, &client).await,
            Self::Delete { identity } => {
                let (with, request) = (" and its role bindings", |uid| DeleteIdentityRequest { uid });
                delete::<DeleteIdentity>(global, &client, Noun::Identity, identity, with, request).await
            }
        }
    }
}

impl List {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let kind = self.kind.map_or(RelationshipType::Unspecified, Kind::wire);
        let request = ListIdentitiesRequest {
            uidp: self.within.filter(global, client).await?,
            name: self.name,
            relationship_type: kind.into(),
            order_by: by_name(),
            ..ListIdentitiesRequest::default()
        };
        if global.output == Format::Tree {
            let node = |identity: &Identity| (identity.uid.clone(), identity.name.clone());
            return tree::print::<ListIdentities>(global, client, request, self.paging, |_| true, node).await;
        }
        let mut printed = Printed::<ListIdentities>::new(global, client, request, self.paging);
        let mut list = output::List::new(global.output)?;
        let mut held = None;
        while let Some(identities) = printed.next(|_| true).await? {
            if held.is_none() && matches!(global.output, Format::Table | Format::Csv) && !identities.is_empty() {
                held = Some(roles_by_identity(client).await?);
            }
            for identity in identities {
                let roles = held.as_mut().and_then(|held| held.remove(&identity.uid)).unwrap_or_default();
                list.add(&IdentityRow { identity, roles })?;
            }
        }
        printed.finish();
        list.end()
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
        let relationship = Some(self.proof.create()?);
        let parent = resolve::uid(global, client, Noun::Group, self.parent).await?;
        let mut roles = Vec::new();
        for role in &self.roles {
            roles.push(resolve::uid(global, client, Noun::Role, Some(role.clone())).await?);
        }
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
        let uid = resolve::uid(global, client, Noun::Identity, self.identity).await?;
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
