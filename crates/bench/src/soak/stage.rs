//! What the crowd works with: folders, identities with rights, and the tokens that all of them hold at the moment.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::Timestamp;
use serde_json::json;

use crate::{
    Error, Result,
    load::http::{self, Connection},
    reference::provider::Providers,
    world::spread,
};

/// Folders to read: more than the rows that are passed over without ranks.
const FOLDERS: usize = 2000;
/// Callers: identities, each with a role of its own on the organization.
const IDENTITIES: usize = 200;
/// Identities without rights: one, and as many more as a batch of bindings takes.
const STRANGERS: usize = 26;
/// Tokens in use at a time; each exchange adds one, and the oldest goes.
const TOKENS: usize = 5000;
/// How long a workload's token holds, in seconds.
const LIFETIME: i64 = 3600;

/// Everything that the crowd shares.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) address: SocketAddr,
    /// The token of the organization's owner.
    pub(super) owner: String,
    pub(super) organization: String,
    /// The role that callers have.
    pub(super) viewer: String,
    pub(super) folders: Vec<String>,
    /// Identities, each with the token that a workload brings for it.
    pub(super) workloads: Vec<Holder>,
    /// Identities without rights, each with a token of ours.
    pub(super) strangers: Vec<Holder>,
    pub(super) providers: Providers,
    base_url: String,
    now: Timestamp,
    tokens: Mutex<VecDeque<String>>,
}

/// An identity, and a token of whoever is behind it.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) identity: String,
    pub(super) token: String,
}

impl Stage {
    /// Makes everything over the port, as the owner of the first organization.
    pub(super) async fn set(address: SocketAddr, owner: String, base_url: String, now: Timestamp) -> Result<Self> {
        let mut connection = Connection::open(address, Vec::new()).await?;
        let organizations = connection.json(http::get("/iam/v2beta1/groups?pageSize=1", &owner)).await?;
        let organization = http::text(&organizations, "/groups/0/uid")?;
        let roles = connection.json(http::get("/iam/v2beta1/roles?name=viewer", &owner)).await?;
        let viewer = http::text(&roles, "/roles/0/uid")?;
        let mut stage = Self {
            address,
            owner,
            organization,
            viewer,
            folders: Vec::new(),
            workloads: Vec::new(),
            strangers: Vec::new(),
            providers: Providers::serve().await?,
            base_url,
            now,
            tokens: Mutex::default(),
        };
        for number in 0..FOLDERS {
            let made = connection.json(stage.new_folder(&format!("folder {number}"))).await?;
            stage.folders.push(http::text(&made, "/uid")?);
        }
        for number in 0..IDENTITIES {
            let (workload, token) = stage.introduce(&mut connection, &format!("workload {number}")).await?;
            connection.json(stage.new_binding(&stage.organization, &workload.identity)).await?;
            stage.keep(token);
            stage.workloads.push(workload);
        }
        for number in 0..STRANGERS {
            let (stranger, token) = stage.introduce(&mut connection, &format!("stranger {number}")).await?;
            stage.strangers.push(Holder { token, ..stranger });
        }
        Ok(stage)
    }

    /// Makes an identity for a workload; that with the workload's token, and one of ours in exchange for it.
    async fn introduce(&self, connection: &mut Connection, subject: &str) -> Result<(Holder, String)> {
        let issuer = self.providers.url();
        let made = connection.json(self.new_identity(&issuer, subject)).await?;
        let workload = Holder { identity: http::text(&made, "/uid")?, token: self.workload_token(&issuer, subject)? };
        let exchanged = connection.json(http::exchange(&workload.identity, &workload.token)).await?;
        Ok((workload, http::text(&exchanged, "/token")?))
    }

    /// The request for a folder.
    pub(super) fn new_folder(&self, name: &str) -> Vec<u8> {
        let body = json!({"name": name, "description": "made to be soaked"}).to_string();
        http::post(&format!("/iam/v2beta1/groups/{}", self.organization), &self.owner, &body)
    }

    /// The request for an identity that accepts this subject of this issuer.
    pub(super) fn new_identity(&self, issuer: &str, subject: &str) -> Vec<u8> {
        let body = json!({"name": subject, "claimMatch": {"issuer": issuer, "subject": subject}}).to_string();
        http::post(&format!("/iam/v2beta1/identities/{}", self.organization), &self.owner, &body)
    }

    /// The request for a binding of this identity to the callers' role.
    pub(super) fn new_binding(&self, at: &str, identity: &str) -> Vec<u8> {
        let body = json!({"identityUid": identity, "roleUid": self.viewer}).to_string();
        http::post(&format!("/iam/v2beta1/roleBindings/{at}"), &self.owner, &body)
    }

    /// A token as a workload brings it.
    pub(super) fn workload_token(&self, issuer: &str, subject: &str) -> Result<String> {
        let now = self.now.seconds();
        self.providers.sign(&json!({"iss": issuer, "sub": subject, "aud": self.base_url, "iat": now, "exp": now + LIFETIME}))
    }

    /// How many of the folders a page passes over.
    pub(super) fn depth(&self, number: u64) -> i32 {
        let folders = u64::try_from(self.folders.len().max(1)).unwrap_or(1);
        i32::try_from(spread(number) % folders).unwrap_or(0)
    }

    /// Any of the tokens that are in use.
    pub(super) fn token(&self, number: u64) -> String {
        let tokens = self.tokens();
        let at = usize::try_from(number).unwrap_or(0) % tokens.len().max(1);
        tokens.get(at).cloned().unwrap_or_default()
    }

    /// Takes a token into use; the oldest of many goes.
    pub(super) fn keep(&self, token: String) {
        let mut tokens = self.tokens();
        tokens.push_back(token);
        if tokens.len() > TOKENS {
            tokens.pop_front();
        }
    }

    fn tokens(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Any of several things.
pub(super) fn any<T>(things: &[T], number: u64) -> Result<&T> {
    let at = usize::try_from(number).unwrap_or(0) % things.len().max(1);
    things.get(at).ok_or_else(|| Error::new("there is nothing to choose from"))
}
