//! `provost iam users`

use std::collections::BTreeMap;

use clap::Subcommand;
use client::Client;
use contract::chainguard::platform::iam::v2beta1::{
    DeleteRoleBindingRequest, ListRoleBindingsRequest, RoleBinding,
    rpc::{DeleteRoleBinding, ListRoleBindings},
};

use super::Force;
use crate::{
    confirm::confirm,
    exit::{Exit, Failure},
    global::Global,
    listing::{all, below},
    output::Show as _,
    owners,
    plain::plain,
    resolve::{self, Kind},
    session,
    views::{Held, UserRow},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Users {
    /// List users with a role in an organization or folder, or below it
    #[command(visible_alias = "ls")]
    List {
        /// The organization or folder, by name, path or UID
        #[arg(value_name = "GROUP", required = true)]
        group: Option<String>,
    },
    /// Remove a user from an organization or folder: delete all its role bindings there and below
    Remove {
        /// The user, by email address, name or UID
        user: String,
        /// The organization or folder, by name, path or UID
        #[arg(long, value_name = "GROUP", required = true)]
        parent: Option<String>,
        #[command(flatten)]
        force: Force,
    },
}

impl Users {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { group } => {
                let group = resolve::uid(global, &client, Kind::Group, group).await?;
                global.output.list(&users(&client, group).await?)
            }
            Self::Remove { user, parent, force } => {
                let group = resolve::uid(global, &client, Kind::Group, parent).await?;
                let user = one(users(&client, group).await?, &user)?;
                let held = user.held.iter().map(|held| held.binding.clone()).collect();
                force.or_spare(&client, owners::bindings(&client, held)).await?;
                remove(global, &client, &user).await
            }
        }
    }
}

/// Whoever holds a role at `group` or below and is no workload, by what they are called.
async fn users(client: &Client, group: String) -> Result<Vec<UserRow>, Failure> {
    let request = ListRoleBindingsRequest { uidp: below(Some(group), true)?, ..ListRoleBindingsRequest::default() };
    let mut users = BTreeMap::<String, UserRow>::new();
    for binding in all::<ListRoleBindings>(client, request).await?.into_iter().filter(is_of_a_user) {
        let held = Held::by(&binding);
        let user = users.entry(binding.identity_uid.clone()).or_insert_with(|| {
            let known = binding.identity.unwrap_or_default();
            UserRow { uid: binding.identity_uid, name: known.name, email: known.email, held: Vec::new() }
        });
        user.held.push(held);
    }
    let mut users: Vec<_> = users.into_values().collect();
    for user in &mut users {
        Held::sort(&mut user.held);
    }
    users.sort_by_cached_key(UserRow::label);
    Ok(users)
}

/// Users are roots; workloads lie in groups.
fn is_of_a_user(binding: &RoleBinding) -> bool {
    !binding.identity_uid.contains('/')
}

/// The one of `users` that `given` means.
fn one(mut users: Vec<UserRow>, given: &str) -> Result<UserRow, Failure> {
    // Not everybody has an address, and a name may look like somebody's UID.
    let is_meant = |name: &str| !given.is_empty() && name == given;
    if let Some(at) = users.iter().position(|user| is_meant(&user.uid)) {
        return Ok(users.swap_remove(at));
    }
    let mut meant: Vec<_> = users.into_iter().filter(|user| is_meant(&user.email) || is_meant(&user.name)).collect();
    match (meant.pop(), meant.is_empty()) {
        (Some(user), true) => Ok(user),
        (Some(_), false) => {
            Err(Failure::usage(format!("more than one user is called {given:?}"))
                .hint("use the UID: provost iam users list GROUP"))
        }
        (None, _) => Err(Failure::new(Exit::NotFound, format!("no user {given:?} holds a role there"))
            .hint("list users: provost iam users list GROUP")),
    }
}

/// Deletes what the user holds, one role after the other.
async fn remove(global: &Global, client: &Client, user: &UserRow) -> Result<(), Failure> {
    if global.is_to_confirm() {
        confirm(global, &format!("take from {} ({}): {}", plain(&user.label()), user.uid, plain(&user.roles())))?;
    }
    for held in &user.held {
        client.call::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: held.binding.clone() }).await?;
        global.deleted(&held.binding)?;
    }
    Ok(())
}
