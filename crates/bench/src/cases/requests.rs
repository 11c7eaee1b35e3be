//! Reading over the port: one group, and a page of groups.

use bytes::Bytes;
use contract::chainguard::platform::iam::v2beta1::{
    GetGroupRequest, Group, ListGroupsRequest, ListGroupsResponse,
    rpc::{GetGroup, ListGroups},
};
use contract::{Rpc, chainguard::platform::common::UidpFilter};
use domain::Uidp;
use serde_json::Value;

use super::Pace;
use crate::{
    Error, Result,
    load::{
        Clients,
        grpc::Channel,
        http::{self, Connection},
    },
    measure::{Medians, in_turn},
    reference::{self, rows},
    report::{Budget, Row},
    served::Server,
};

/// Connections with HTTP/1.1, each with one request at a time.
const CONNECTIONS: usize = 16;
/// Connections with HTTP/2, and the calls under way on each.
const CHANNELS: usize = 2;
const STREAMS: usize = 8;

/// Measures all of them; `folder` is the group to get.
pub(crate) async fn measure(server: &Server, clients: &Clients, folder: &Uidp, pace: Pace) -> Result<Vec<Row>> {
    let path = format!("/iam/v2beta1/groups/{folder}");
    let body = ask(server, clients, &path).await?;
    let hello = reference::http::serve(move |_| body.clone()).await?;
    let get_json = json(clients, server, hello.address, &path, pace).await?;

    let request = GetGroupRequest { uid: folder.to_string() };
    let group: Group = call::<GetGroup>(server, clients, request.clone()).await?;
    let bare = reference::grpc::serve::<GetGroup>(move || group.clone()).await?;
    let get_grpc = grpc::<GetGroup>(clients, server, bare.address, &request, pace).await?;

    let path = format!("/iam/v2beta1/groups?uidp.descendantsOf={}", server.organization);
    let list: Value = serde_json::from_slice(&ask(server, clients, &path).await?)?;
    let token = list.get("nextPageToken").and_then(Value::as_str).unwrap_or_default().to_owned();
    let rows = rows::Groups::new(server, token.clone());
    same(&list, &serde_json::from_slice(&rows.json()?)?)?;
    let by_hand = reference::http::serve(move |_| rows.json().unwrap_or_default()).await?;
    let list_json = json(clients, server, by_hand.address, &path, pace).await?;

    let uidp = Some(UidpFilter { descendants_of: server.organization.to_string(), ..UidpFilter::default() });
    let request = ListGroupsRequest { uidp, ..ListGroupsRequest::default() };
    let list: ListGroupsResponse = call::<ListGroups>(server, clients, request.clone()).await?;
    let rows = rows::Groups::new(server, token);
    if (&list.groups, list.total_count) != (&rows.message()?.groups, rows.message()?.total_count) {
        return Err(Error::new("the reference for LIST over gRPC answers something else"));
    }
    let by_hand = reference::grpc::serve::<ListGroups>(move || rows.message().unwrap_or_default()).await?;
    let list_grpc = grpc::<ListGroups>(clients, server, by_hand.address, &request, pace).await?;

    let row = |case: &str, medians: Medians, budget| Row::beside(case, medians.ours, medians.reference, Budget::Ratio(budget));
    Ok(vec![
        row("GET, JSON (requests/s)", get_json, 0.5),
        row("GET, gRPC (requests/s)", get_grpc, 0.5),
        row("LIST 50, JSON (requests/s)", list_json, 0.8),
        row("LIST 50, gRPC (requests/s)", list_grpc, 0.8),
    ])
}

async fn ask(server: &Server, clients: &Clients, path: &str) -> Result<Bytes> {
    let (address, request) = (server.address, http::get(path, &server.owner));
    clients.run(async move { Ok(Bytes::copy_from_slice(Connection::open(address, request).await?.body().await?)) }).await
}

async fn call<R: Rpc>(server: &Server, clients: &Clients, request: R::Request) -> Result<R::Response> {
    let (address, token) = (server.address, server.owner.clone());
    clients.run(async move { Channel::open(address).await?.call::<R>(&token, &request).await }).await
}

/// The reference answers the same page, but for what is sealed in its token.
fn same(ours: &Value, reference: &Value) -> Result<()> {
    let is_same = ours.get("groups").is_some_and(|groups| groups.as_array().is_some_and(|groups| groups.len() == 50));
    if is_same && ours == reference {
        return Ok(());
    }
    Err(Error::new("the reference for LIST over JSON answers something else"))
}

async fn json(clients: &Clients, server: &Server, reference: std::net::SocketAddr, path: &str, pace: Pace) -> Result<Medians> {
    let request = http::get(path, &server.owner);
    let open = |address| Connection::crowd(clients, address, request.clone(), CONNECTIONS);
    let (mut ours, mut theirs) = (open(server.address).await?, open(reference).await?);
    in_turn(pace.rounds, async || clients.load(&mut ours, pace.slice).await, async || clients.load(&mut theirs, pace.slice).await)
        .await
}

async fn grpc<R: Rpc>(
    clients: &Clients,
    server: &Server,
    reference: std::net::SocketAddr,
    request: &R::Request,
    pace: Pace,
) -> Result<Medians> {
    let open = |address| {
        let (token, request) = (server.owner.clone(), request.clone());
        clients.run(async move {
            let mut callers = Vec::new();
            for _ in 0..CHANNELS {
                let caller = Channel::open(address).await?.caller::<R>(&token, &request);
                callers.extend(std::iter::repeat_n(caller, STREAMS));
            }
            Ok(callers)
        })
    };
    let (mut ours, mut theirs) = (open(server.address).await?, open(reference).await?);
    in_turn(pace.rounds, async || clients.load(&mut ours, pace.slice).await, async || clients.load(&mut theirs, pace.slice).await)
        .await
}
