//! `provost iam organizations limits`

use std::collections::HashMap;

use clap::{Args, Subcommand};
use client::Client;
use contract::provost::iam::v1::{
    GetResourceLimitsRequest, ResourceLimits, SetResourceLimitsRequest,
    rpc::{GetResourceLimits, SetResourceLimits},
};
use serde_json::json;

use crate::{
    exit::Failure,
    global::Global,
    output,
    resolve::{self, Kind},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Limits {
    /// Show how many resources an organization may have, and has
    Describe {
        /// Its name or UID
        #[arg(required = true)]
        organization: Option<String>,
    },
    /// Limit how many resources an organization may have, which only operators do; what is not named has no limit
    Set(Set),
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// Its name or UID
    #[arg(required = true)]
    organization: Option<String>,
    /// How many of which: groups (its folders), identities, identity-providers, overlays, repos, role-bindings, roles
    #[arg(value_name = "WHAT=MOST", value_parser = limit, required_unless_present = "none", conflicts_with = "none")]
    limits: Vec<(String, i32)>,
    /// Take all limits away
    #[arg(long)]
    none: bool,
}

impl Limits {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        match self {
            Self::Describe { organization } => {
                let uid = resolve::uid(global, client, Kind::Organization, organization).await?;
                print(global, &client.call::<GetResourceLimits>(GetResourceLimitsRequest { uid }).await?)
            }
            Self::Set(Set { organization, limits, .. }) => {
                let uid = resolve::uid(global, client, Kind::Organization, organization).await?;
                let limits: HashMap<_, _> = limits.into_iter().collect();
                let request = SetResourceLimitsRequest { uid, limits: limits.into_iter().collect() };
                print(global, &client.call::<SetResourceLimits>(request).await?)
            }
        }
    }
}

fn print(global: &Global, limits: &ResourceLimits) -> Result<(), Failure> {
    let told = json!({ "id": limits.uid, "limits": limits.limits, "used": limits.used });
    output::report(global.output, &limits.uid, &told, None)
}

fn limit(text: &str) -> Result<(String, i32), String> {
    let wrong = || format!("{text:?} is not of the form repos=100");
    let (what, most) = text.split_once('=').ok_or_else(wrong)?;
    Ok((what.replace('-', "_"), most.parse().map_err(|_| wrong())?))
}
