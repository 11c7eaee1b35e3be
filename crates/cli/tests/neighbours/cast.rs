//! Who is there: the neighbour's organization, the attacker's, and somebody without rights in it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use contract::{Body, METHODS, Verb};
use domain::iam::role::built_in_uid;
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::{
    derive::{
        base::{Aim, base, example_name, examples},
        json,
    },
    doors::{self, Transport},
};

/// Groups in the neighbour's folder, of which a list has so many in its first page.
pub(crate) const LISTED: usize = 60;
pub(crate) const PAGE: usize = 50;
/// Groups of the attacker, so that its own lists are long.
const LONG: usize = 200;

/// A workload that owns an organization, or has no rights in it.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    pub(crate) organization: String,
    pub(crate) identity: String,
    /// The API token.
    pub(crate) token: String,
    /// The token that it is exchanged for.
    pub(crate) upstream: String,
}

/// Everybody.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    /// The URL that tokens are for, and whose issuer signs.
    pub(crate) url: String,
    pub(crate) neighbour: Tenant,
    /// The folder that the neighbour lists.
    pub(crate) folder: String,
    pub(crate) owner: Tenant,
    pub(crate) powerless: Tenant,
    /// Where the attacker is at home.
    pub(crate) home: Aim,
    /// Where the neighbour is.
    pub(crate) abroad: Aim,
}

/// Requests that prepare a server, all of which must succeed.
struct Stagehand {
    client: reqwest::Client,
    address: SocketAddr,
    token: String,
}

impl Stagehand {
    async fn post(&self, path: &str, body: Value) -> Value {
        self.post_as(&self.token, path, body).await
    }

    async fn post_as(&self, token: &str, path: &str, body: Value) -> Value {
        let rest = json::Rest { verb: Verb::Post, path: path.to_owned(), body: Some(body.to_string().into_bytes()) };
        let answer = doors::json(&self.client, self.address, rest, Some(token), false, &[]).await;
        assert_eq!(answer.code, "Ok", "{path}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    async fn made(&self, path: &str, body: Value) -> String {
        text(&self.post(path, body).await, "uid")
    }

    async fn exchange(&self, upstream: &str, identity: Option<&str>) -> String {
        let query = identity.map(|identity| format!("?identity={identity}")).unwrap_or_default();
        text(&self.post_as(upstream, &format!("/sts/exchange{query}"), json!({})).await, "token")
    }

    async fn mint(&self, url: &str, subject: &str) -> String {
        text(&self.post("/dev/idp/mint", json!({ "sub": subject, "aud": url, "claims": {} })).await, "token")
    }

    /// A workload in an organization, with a built-in role or none.
    async fn tenant(&self, url: &str, organization: &str, name: &str, role: Option<&str>) -> Tenant {
        let accepted = json!({ "issuer": format!("{url}/dev/idp"), "subject": name });
        let identity = json!({ "name": name, "claimMatch": accepted });
        let identity = self.made(&format!("/iam/v2beta1/identities/{organization}"), identity).await;
        if let Some(role) = role {
            let binding = json!({ "identityUid": identity, "roleUid": built_in_uid(role).as_str() });
            self.made(&format!("/iam/v2beta1/roleBindings/{organization}"), binding).await;
        }
        let upstream = self.mint(url, name).await;
        let token = self.exchange(&upstream, Some(&identity)).await;
        Tenant { organization: organization.to_owned(), identity, token, upstream }
    }

    async fn groups(&self, parent: &str, prefix: &str, count: usize, description: &str) {
        let path = format!("/iam/v2beta1/groups/{parent}");
        let make = |number| {
            let body = json!({ "name": format!("{prefix}-{number}"), "description": description });
            self.made(&path, body)
        };
        stream::iter((0..count).map(make)).buffer_unordered(8).for_each(|_| async {}).await;
    }
}

impl Cast {
    /// Prepares a server in dev mode.
    pub(crate) async fn prepare(address: SocketAddr) -> Self {
        let url = format!("http://{address}");
        let client = doors::http1(IpAddr::V4(Ipv4Addr::LOCALHOST), false);
        let mut stage = Stagehand { client, address, token: String::new() };
        stage.token = stage.exchange(&stage.mint(&url, "admin").await, None).await;
        let quiet = stage.made("/iam/v2beta1/groups", json!({ "name": "quiet" })).await;
        let loud = stage.made("/iam/v2beta1/groups", json!({ "name": "loud" })).await;
        let neighbour = stage.tenant(&url, &quiet, "neighbour", Some("owner")).await;
        let owner = stage.tenant(&url, &loud, "owner", Some("owner")).await;
        let powerless = stage.tenant(&url, &loud, "powerless", None).await;
        let folder = stage.made(&format!("/iam/v2beta1/groups/{quiet}"), json!({ "name": "listed" })).await;
        stage.groups(&folder, "item", LISTED, "").await;
        stage.groups(&loud, "long", LONG, &"d".repeat(500)).await;
        let home = stage.replayed(Aim::at(&loud)).await;
        Self { url, abroad: Aim::at(&neighbour.organization), neighbour, folder, owner, powerless, home }
    }
}

impl Stagehand {
    /// Makes what the examples make in this organization, so that requests that name such things find some.
    async fn replayed(&self, mut aim: Aim) -> Aim {
        for (name, call) in examples() {
            let made = text(&call["response"], "uid");
            if made.is_empty() || !call["request"].is_object() {
                continue;
            }
            let method = METHODS.iter().find(|method| example_name(method) == *name);
            let bound = method.and_then(|method| Some((method, method.http.first()?)));
            match bound.filter(|(_, rule)| rule.verb == Verb::Post && matches!(rule.body, Body::Field(_))) {
                Some((method, rule)) => {
                    let rest = json::plain(rule, &base(method, &aim));
                    let body = serde_json::from_slice(&rest.body.expect("a body")).expect("JSON");
                    let uid = self.made(&rest.path, body).await;
                    aim.resources.entry(method.service.to_owned()).or_insert_with(|| uid.clone());
                    aim.renamed.push((made, uid));
                }
                // What an example makes without a parent is an organization.
                None if !made.contains('/') => aim.renamed.push((made, aim.organization.clone())),
                None => {}
            }
        }
        aim
    }
}

/// A text of an answer; empty where there is none.
fn text(answer: &Value, name: &str) -> String {
    answer[name].as_str().unwrap_or_default().to_owned()
}

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Nobody who could be known.
    Stranger,
    /// Somebody without rights where the request acts.
    Powerless,
    /// The owner of the attacker's organization, at home.
    Owner,
    /// The same in the neighbour's organization.
    Trespasser,
}

impl Caller {
    pub(crate) const ALL: [Self; 4] = [Self::Stranger, Self::Powerless, Self::Owner, Self::Trespasser];

    pub(crate) fn token(self, cast: &Cast) -> Option<&str> {
        match self {
            Self::Stranger => None,
            Self::Powerless => Some(&cast.powerless.token),
            Self::Owner | Self::Trespasser => Some(&cast.owner.token),
        }
    }

    pub(crate) fn aim(self, cast: &Cast) -> &Aim {
        match self {
            Self::Trespasser => &cast.abroad,
            Self::Stranger | Self::Powerless | Self::Owner => &cast.home,
        }
    }
}

/// How inputs are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) transport: Transport,
    pub(crate) packed: bool,
}

impl Way {
    pub(crate) const ALL: [Self; 4] = [
        Self { transport: Transport::Grpc, packed: false },
        Self { transport: Transport::Json, packed: false },
        Self { transport: Transport::Grpc, packed: true },
        Self { transport: Transport::Json, packed: true },
    ];
}
