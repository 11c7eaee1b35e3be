//! What somebody does on the server again and again, and what must come of it.

use std::net::SocketAddr;

use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        CreateGroupRequest, DeleteGroupRequest, GetGroupRequest, Group, ListGroupsRequest,
        rpc::{CreateGroup, DeleteGroup, GetGroup, ListGroups},
    },
};
use serde_json::json;

use super::stage::{Stage, any};
use crate::{
    Error, Result,
    load::{
        grpc::Channel,
        http::{self, Connection},
    },
    world::spread,
};

/// What somebody does again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Reads a folder as one of many callers.
    Read,
    /// Reads pages of every order and depth as one of many callers.
    List,
    /// Reads a folder and a page over gRPC, makes a folder and removes it.
    Call,
    /// Exchanges a workload's token for one that others use from then on.
    Exchange,
    /// Makes a folder, changes it and removes it.
    Write,
    /// Makes a folder by two requests with one idempotency key, and removes it.
    Repeat,
    /// Makes a repository, finds it in its folder, changes it and removes it.
    Stock,
    /// Lets strangers into a new folder by a batch of bindings, and moves a binding from one to another and back.
    Invite,
    /// Is refused: with a token that nobody signed, and without the right.
    Refuse,
    /// Makes an identity of an issuer that nobody has heard of, exchanges its token, and removes it.
    Introduce,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    /// Answers that were those that were due.
    pub(super) answers: u64,
    /// Tokens among them.
    pub(super) tokens: u64,
    /// Those among them that stay in the database: of whatever was changed, and of tokens, which leave audit entries.
    pub(super) writes: u64,
}

/// Somebody's connections.
#[derive(Debug)]
pub(super) struct Lines {
    json: Connection,
    grpc: Channel,
}

impl Lines {
    /// Opens both.
    pub(super) async fn open(address: SocketAddr) -> Result<Self> {
        Ok(Self { json: Connection::open(address, Vec::new()).await?, grpc: Channel::open(address).await? })
    }
}

impl Work {
    /// One round, told by a number that no other has.
    pub(super) async fn round(self, lines: &mut Lines, stage: &Stage, number: u64) -> Result<Done> {
        let Lines { json, grpc } = lines;
        match self {
            Self::Read => read(json, stage, number).await,
            Self::List => list(json, stage, number).await,
            Self::Call => call(grpc, stage, number).await,
            Self::Exchange => exchange(json, stage, number).await,
            Self::Write => write(json, stage, number).await,
            Self::Repeat => repeat(json, stage, number).await,
            Self::Stock => stock(json, stage, number).await,
            Self::Invite => invite(json, stage, number).await,
            Self::Refuse => refuse(json, stage, number).await,
            Self::Introduce => introduce(json, stage, number).await,
        }
    }
}

async fn read(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let folder = any(&stage.folders, spread(number))?;
    json.set(http::get(&group(folder), &stage.token(spread(!number))));
    json.body().await?;
    Ok(Done { answers: 1, ..Done::default() })
}

async fn list(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let (order, skip) = (any(&["uid", "name", "created_at"], number)?, stage.depth(number));
    let path = format!("/iam/v2beta1/groups?uidp.descendantsOf={}&orderBy={order}&skip={skip}", stage.organization);
    json.set(http::get(&path, &stage.token(spread(!number))));
    json.body().await?;
    Ok(Done { answers: 1, ..Done::default() })
}

async fn call(grpc: &Channel, stage: &Stage, number: u64) -> Result<Done> {
    let (folder, token) = (any(&stage.folders, spread(number))?, stage.token(spread(!number)));
    grpc.call::<GetGroup>(&token, &GetGroupRequest { uid: folder.clone() }).await?;
    let uidp = Some(UidpFilter { children_of: stage.organization.clone(), ..UidpFilter::default() });
    let page = ListGroupsRequest { uidp, skip: stage.depth(number), ..ListGroupsRequest::default() };
    grpc.call::<ListGroups>(&token, &page).await?;
    let folder = Group { name: format!("called folder {number}"), ..Group::default() };
    let request = CreateGroupRequest { parent: stage.organization.clone(), group: Some(folder) };
    let made = grpc.call::<CreateGroup>(&stage.owner, &request).await?;
    grpc.call::<DeleteGroup>(&stage.owner, &DeleteGroupRequest { uid: made.uid }).await?;
    Ok(Done { answers: 4, writes: 2, tokens: 0 })
}

async fn exchange(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let workload = any(&stage.workloads, spread(number))?;
    let exchanged = json.json(http::exchange(&workload.identity, &workload.token)).await?;
    stage.keep(http::text(&exchanged, "/token")?);
    Ok(Done { answers: 1, writes: 1, tokens: 1 })
}

async fn write(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let made = json.json(stage.new_folder(&format!("new folder {number}"))).await?;
    let path = group(&http::text(&made, "/uid")?);
    let change = json!({"description": format!("changed in round {number}")}).to_string();
    json.json(http::patch(&path, &stage.owner, &change)).await?;
    json.json(http::delete(&path, &stage.owner)).await?;
    Ok(Done { answers: 3, writes: 3, tokens: 0 })
}

async fn repeat(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let body = json!({"name": format!("single folder {number}")}).to_string();
    let request = http::post_once(&group(&stage.organization), &stage.owner, &body, &format!("round-{number}"));
    let made = json.json(request.clone()).await?;
    if json.json(request).await? != made {
        return Err(Error::new("a repetition is not answered as the first request was"));
    }
    json.json(http::delete(&group(&http::text(&made, "/uid")?), &stage.owner)).await?;
    Ok(Done { answers: 3, writes: 2, tokens: 0 })
}

async fn stock(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let (folder, token) = (any(&stage.folders, spread(number))?, stage.token(spread(!number)));
    let body = json!({"name": format!("repository-{number}")}).to_string();
    let made = json.json(http::post(&format!("/registry/v2beta1/repos/{folder}"), &stage.owner, &body)).await?;
    let repository = http::text(&made, "/uid")?;
    let listed = format!("/registry/v2beta1/repos?uidp.childrenOf={folder}&name=repository-{number}");
    if http::text(&json.json(http::get(&listed, &token)).await?, "/repos/0/uid")? != repository {
        return Err(Error::new("a new repository is not in its folder"));
    }
    let path = format!("/registry/v2beta1/repos/{repository}");
    let change = json!({"description": format!("changed in round {number}")}).to_string();
    json.json(http::patch(&path, &stage.owner, &change)).await?;
    json.json(http::delete(&path, &stage.owner)).await?;
    Ok(Done { answers: 4, writes: 3, tokens: 0 })
}

async fn invite(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let [guest, late, ..] = &*stage.strangers else { return Err(Error::new("there are too few strangers")) };
    let made = json.json(stage.new_folder(&format!("shared folder {number}"))).await?;
    let folder = http::text(&made, "/uid")?;
    let path = group(&folder);
    let invited = stage.strangers.iter().filter(|stranger| stranger.identity != late.identity);
    let invited: Vec<_> = invited.map(|stranger| json!({"roleBinding": {"identityUid": stranger.identity}})).collect();
    let batch = json!({"parent": folder, "roleUid": stage.viewer, "requests": invited}).to_string();
    let bound = json.json(http::post("/iam/v2beta1/roleBindings:batchCreate", &stage.owner, &batch)).await?;
    let binding = format!("/iam/v2beta1/roleBindings/{}", http::text(&bound, "/roleBindings/0/uid")?);
    expect(json, http::get(&path, &guest.token), 200).await?;
    expect(json, http::get(&path, &late.token), 403).await?;
    // To another one, and back by a binding of its own.
    let change = json!({"identityUid": late.identity}).to_string();
    json.json(http::patch(&binding, &stage.owner, &change)).await?;
    expect(json, http::get(&path, &guest.token), 403).await?;
    expect(json, http::get(&path, &late.token), 200).await?;
    json.json(http::delete(&binding, &stage.owner)).await?;
    json.json(stage.new_binding(&folder, &guest.identity)).await?;
    expect(json, http::get(&path, &guest.token), 200).await?;
    expect(json, http::get(&path, &late.token), 403).await?;
    // Its bindings go with it.
    json.json(http::delete(&path, &stage.owner)).await?;
    expect(json, http::get(&path, &guest.token), 403).await?;
    Ok(Done { answers: 13, writes: 6, tokens: 0 })
}

async fn refuse(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let (folder, token) = (any(&stage.folders, spread(number))?, stage.token(spread(!number)));
    // Another signature of the right length.
    let forged = token.rsplit_once('.').map(|(signed, _)| format!("{signed}.{:0>86}", format!("{:x}", spread(number))));
    expect(json, http::get(&group(folder), &forged.unwrap_or_default()), 401).await?;
    expect(json, http::delete(&group(folder), &token), 403).await?;
    Ok(Done { answers: 2, ..Done::default() })
}

async fn introduce(json: &mut Connection, stage: &Stage, number: u64) -> Result<Done> {
    let (issuer, subject) = (stage.providers.tenant(number), format!("newcomer {number}"));
    let made = json.json(stage.new_identity(&issuer, &subject)).await?;
    let identity = http::text(&made, "/uid")?;
    let exchanged = json.json(http::exchange(&identity, &stage.workload_token(&issuer, &subject)?)).await?;
    let token = http::text(&exchanged, "/token")?;
    json.json(http::delete(&format!("/iam/v2beta1/identities/{identity}"), &stage.owner)).await?;
    // Nobody is behind it any more.
    expect(json, http::get("/iam/v2beta1/groups", &token), 401).await?;
    Ok(Done { answers: 4, writes: 3, tokens: 1 })
}

/// Sends a request that must be answered with this status.
async fn expect(json: &mut Connection, request: Vec<u8>, due: u16) -> Result<()> {
    json.set(request);
    match json.answer().await? {
        (status, _) if status == due => Ok(()),
        (status, body) => Err(Error::new(format!("{status} instead of {due}: {}", String::from_utf8_lossy(body)))),
    }
}

/// Where a folder is.
fn group(uid: &str) -> String {
    format!("/iam/v2beta1/groups/{uid}")
}
