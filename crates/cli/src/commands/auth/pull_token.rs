//! `provost auth pull-token`: an identity with a key of its own, whose one token is used until the key expires.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use client::Client;
use contract::{
    chainguard::platform::iam::v2beta1::{
        CreateIdentityRequest, CreateRoleBindingRequest, DeleteIdentityRequest, Identity, ListIdentitiesRequest,
        ListRolesRequest, RelationshipType, RoleBinding,
        identity::{Relationship, StaticKeys},
        rpc::{CreateIdentity, CreateRoleBinding, DeleteIdentity, ListIdentities, ListRoles},
    },
    prost_types::Timestamp,
};
use domain::Clock as _;
use serde_json::json;
use server::SystemClock;
use sts::jws::{SigningKey, TokenAlgorithm};

use crate::{
    commands::iam::Within,
    exit::Failure,
    global::Global,
    listing::{self, Paging, by_name, roots},
    output::{self, time},
    resolve::{self, Kind},
    session,
    views::PullTokenRow,
};

/// The issuer of all pull tokens. Nobody can ever serve keys there (RFC 2606 section 2): the one key stands in the identity.
const ISSUER: &str = "https://pull-token.invalid";
/// The longest life of a key that the API allows.
const LONGEST: Duration = Duration::from_hours(8760);

#[derive(Debug, Subcommand)]
pub(crate) enum PullToken {
    /// Create a pull token; it is shown only once
    Create(Create),
    /// List pull tokens; `iam identities delete` revokes one
    #[command(visible_alias = "ls")]
    List {
        /// Only those that have expired
        #[arg(long)]
        expired: bool,
        #[command(flatten)]
        within: Within,
        #[command(flatten)]
        paging: Paging,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The organization or folder to pull from, by name, path or UID
    #[arg(long, value_name = "GROUP", required = true)]
    parent: Option<String>,
    /// Name of its identity
    #[arg(long, default_value = "pull-token")]
    name: String,
    /// Its description
    #[arg(short, long, default_value = "", hide_default_value = true)]
    description: String,
    /// Lifetime, at most 8760h (a year)
    #[arg(long, value_name = "TIME", default_value = "720h", value_parser = lifetime)]
    ttl: Duration,
    /// What to pull: oci (images) or apk (Alpine packages)
    #[arg(long, value_enum, default_value_t = Repository::Oci, hide_possible_values = true)]
    repository: Repository,
}

/// What is pulled, each by a built-in role of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Repository {
    /// Images
    Oci,
    /// Alpine packages
    Apk,
}

impl Repository {
    /// The built-in role that pulls it.
    fn role(self) -> &'static str {
        match self {
            Self::Oci => "registry.pull",
            Self::Apk => "apk.pull",
        }
    }
}

impl PullToken {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::Create(create) => create.run(global, &client).await,
            Self::List { expired, within, paging } => {
                let uidp = within.filter(global, &client).await?;
                let request = ListIdentitiesRequest {
                    uidp,
                    relationship_type: RelationshipType::Static.into(),
                    order_by: by_name(),
                    ..ListIdentitiesRequest::default()
                };
                let now = SystemClock.now().seconds();
                let is_wanted = |keys: &StaticKeys| {
                    let ended = keys.expiration_time.as_ref().is_some_and(|at| at.seconds <= now);
                    keys.issuer == ISSUER && (ended || !expired)
                };
                let mut printed = listing::Printed::<ListIdentities>::new(global, &client, request, paging);
                let mut list = output::List::new(global.output)?;
                let keep = |identity: &Identity| matches!(&identity.relationship, Some(Relationship::StaticKeys(keys)) if is_wanted(keys));
                while let Some(identities) = printed.next(keep).await? {
                    for identity in identities {
                        list.add(&PullTokenRow(identity))?;
                    }
                }
                printed.finish();
                list.end()
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let parent = resolve::uid(global, client, Kind::Group, self.parent).await?;
        let role_uid = built_in(client, self.repository.role()).await?;
        let now = SystemClock.now().seconds();
        let ends = now.saturating_add(i64::try_from(self.ttl.as_secs()).unwrap_or(i64::MAX));
        let key = SigningKey::generate(TokenAlgorithm::Es256).map_err(|error| failed(&error))?;
        // The key is used this once and forgotten.
        let subject = format!("pull-token:{}", key.key_id());
        let claims = json!({ "iss": ISSUER, "sub": subject, "aud": global.issuer, "iat": now, "exp": ends });
        let token = key.sign(&claims).map_err(|error| failed(&error))?;
        let keys = StaticKeys {
            issuer: ISSUER.to_owned(),
            subject,
            issuer_keys: json!({ "keys": [key.public_jwk()] }).to_string(),
            expiration_time: Some(Timestamp { seconds: ends, nanos: 0 }),
            ..StaticKeys::default()
        };
        let identity = Identity {
            name: self.name,
            description: self.description,
            relationship: Some(Relationship::StaticKeys(keys)),
            ..Identity::default()
        };
        let request = CreateIdentityRequest { parent: parent.clone(), identity: Some(identity) };
        let identity = client.call::<CreateIdentity>(request).await?;
        bind(client, parent, &identity.uid, role_uid).await?;
        let expiry = time::wire(Some(&Timestamp { seconds: ends, nanos: 0 }));
        let told = json!({ "identity": identity.uid, "token": token.expose(), "expiration": expiry });
        output::report(global.output, &identity.uid, &told, None)
    }
}

/// Gives the identity its role; without it the identity is of no use and goes again.
async fn bind(client: &Client, parent: String, identity: &str, role_uid: String) -> Result<(), Failure> {
    let binding = RoleBinding { identity_uid: identity.to_owned(), role_uid, ..RoleBinding::default() };
    let request = CreateRoleBindingRequest { parent, role_binding: Some(binding) };
    let Err(error) = client.call::<CreateRoleBinding>(request).await else { return Ok(()) };
    let failure = Failure::from(error);
    match client.call::<DeleteIdentity>(DeleteIdentityRequest { uid: identity.to_owned() }).await {
        Ok(()) => Err(failure),
        Err(_) => {
            Err(failure.hint(format!("the identity {identity} is left without a role: provost iam identities delete {identity}")))
        }
    }
}

/// The UID of the built-in role of that name.
async fn built_in(client: &Client, name: &str) -> Result<String, Failure> {
    let request = ListRolesRequest { name: name.to_owned(), uidp: Some(roots()), ..ListRolesRequest::default() };
    let found = listing::first::<ListRoles>(client, request, 1).await?.pop();
    found.map(|role| role.uid).ok_or_else(|| Failure::failed(format!("the server has no role {name}")))
}

fn failed(error: &domain::Error) -> Failure {
    Failure::failed(format!("cannot make a key: {error}"))
}

fn lifetime(text: &str) -> Result<Duration, String> {
    let time = crate::commands::duration(text)?;
    if time > LONGEST { Err("must be 8760h at most".to_owned()) } else { Ok(time) }
}
