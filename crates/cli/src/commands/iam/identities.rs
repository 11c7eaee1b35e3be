//! `provost iam identities`

use std::collections::HashMap;

use clap::{Args, Subcommand, ValueEnum};
use client::{Client, Options};
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

use super::{Force, Naming, Within, relationship::Proof, something_to_change};
use crate::{
    deleting::delete_found,
    exit::{Exit, Failure},
    global::Global,
    listing::{Paging, Printed, all, by_name},
    output::{self, Format, remark},
    owners,
    resolve::{self, Kind as Noun},
    session, tree,
    views::{Held, IdentityRow},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Identities {
    /// List the identities that you can see
    #[command(visible_alias = "ls")]
    List(List),
    /// Show the details of an identity
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
        #[command(flatten)]
        force: Force,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    within: Within,
    /// Only those of this name
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only those with this kind of relationship
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
    /// Roles to grant at its parent, by name or UID
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
                let found = client.call_with::<GetIdentity>(GetIdentityRequest { uid }, &Options::default()).await?;
                global.output.describe(&with_roles(&client, found.message).await?, found.etag.as_deref())
            }
            Self::Create(create) => create.run(global, &client).await,
            Self::Update(update) => Box::pin(update.run(global, &client)).await,
            Self::Delete { identity, force } => {
                let found = resolve::find(global, &client, Noun::Identity, identity).await?;
                force.or_spare(&client, owners::bindings_of(&client, &found.uid)).await?;
                let (with, request) = (" and its role bindings", |uid| DeleteIdentityRequest { uid });
                delete_found::<DeleteIdentity>(global, &client, Noun::Identity, &found, with, request).await
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
        let mut held: Option<HashMap<String, Vec<Held>>> = None;
        while let Some(identities) = printed.next(|_| true).await? {
            let tabular = matches!(global.output, Format::Table | Format::Wide | Format::Csv);
            if held.is_none() && tabular && !identities.is_empty() {
                held = held_by_all(client).await?;
            }
            for identity in identities {
                let held = held.as_mut().map(|held| held.remove(&identity.uid).unwrap_or_default());
                list.add(&IdentityRow { identity, held })?;
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

/// What each identity holds, as far as the caller sees it; `None` when he may see nothing of it.
async fn held_by_all(client: &Client) -> Result<Option<HashMap<String, Vec<Held>>>, Failure> {
    let Some(bindings) = bindings(client, ListRoleBindingsRequest::default()).await? else { return Ok(None) };
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for binding in bindings {
        all.entry(binding.identity_uid.clone()).or_default().push(Held::by(&binding));
    }
    Ok(Some(all))
}

/// The identity with what it holds, as far as the caller sees that.
async fn with_roles(client: &Client, identity: Identity) -> Result<IdentityRow, Failure> {
    let request = ListRoleBindingsRequest { identity: identity.uid.clone(), ..ListRoleBindingsRequest::default() };
    let held = bindings(client, request).await?.map(|bindings| held(&bindings));
    Ok(IdentityRow { identity, held })
}

/// What role bindings give.
fn held(bindings: &[RoleBinding]) -> Vec<Held> {
    let mut held: Vec<_> = bindings.iter().map(Held::by).collect();
    Held::sort(&mut held);
    held
}

/// The role bindings that `request` selects; `None` for a caller who may not see any.
async fn bindings(client: &Client, request: ListRoleBindingsRequest) -> Result<Option<Vec<RoleBinding>>, Failure> {
    match all::<ListRoleBindings>(client, request).await {
        Err(failure) if failure.exit == Exit::Denied => Ok(None),
        bindings => bindings.map(Some),
    }
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
        let bindings = if roles.is_empty() {
            Vec::new()
        } else if global.dry_run {
            remark("its roles were not tried: they need the identity");
            Vec::new()
        } else {
            bind(client, &parent, &identity.uid, roles).await?
        };
        global.output.one(&IdentityRow { identity, held: Some(held(&bindings)) })
    }
}

/// Gives a new identity its roles, all or none.
async fn bind(client: &Client, parent: &str, identity: &str, roles: Vec<String>) -> Result<Vec<RoleBinding>, Failure> {
    let binding = |role_uid| RoleBinding { identity_uid: identity.to_owned(), role_uid, ..RoleBinding::default() };
    let request = |role| CreateRoleBindingRequest { parent: parent.to_owned(), role_binding: Some(binding(role)) };
    let requests = roles.into_iter().map(request).collect();
    let batch = BatchCreateRoleBindingsRequest { parent: parent.to_owned(), requests, role_uid: String::new() };
    match client.call::<BatchCreateRoleBindings>(batch).await {
        Ok(made) => Ok(made.role_bindings),
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
        global.output.one(&with_roles(client, identity).await?)
    }
}
