//! What a request may make of its bytes, and that nothing is made of them for who may not do what it asks.

use bytes::Bytes;
use contract::chainguard::platform::iam::v2beta1::{GetGroupRequest, ListGroupsRequest, UpdateGroupRequest};
use prost::Message as _;
use reqwest::Method;
use tonic::{Code, Request, Status};

use crate::support::{GROUPS, Raw, Running, group, org, start};

/// Sends these bytes as the message of a call.
async fn send(server: &Running, method: &str, token: &str, wire: Vec<u8>) -> Result<Bytes, Status> {
    let mut grpc = tonic::client::Grpc::new(server.channel().await);
    grpc.ready().await.unwrap();
    let mut request = Request::new(Bytes::from(wire));
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    let path = format!("{GROUPS}/{method}").parse().unwrap();
    grpc.unary(request, path, Raw).await.map(tonic::Response::into_inner)
}

/// An update of the organization with something behind it.
fn update(behind: &[u8]) -> Vec<u8> {
    let group = contract::chainguard::platform::iam::v2beta1::Group { uid: org().to_string(), ..Default::default() };
    let mut wire = UpdateGroupRequest { group: Some(group), update_mask: None }.encode_to_vec();
    wire.extend(behind);
    wire
}

/// `paths` of an update mask, a million times.
fn million_paths() -> Vec<u8> {
    let mut wire = Vec::new();
    prost::encoding::bytes::encode(2, &[0x0a, 0x00].repeat(1_000_000), &mut wire);
    wire
}

#[tokio::test]
async fn who_may_not_do_it_learns_that_first() {
    let server = start().await;
    for behind in [million_paths(), vec![0x12, 0x01, 0xff], vec![0x1a, 0x80]] {
        let status = send(&server, "UpdateGroup", "viewer", update(&behind)).await.unwrap_err();
        let readable = behind != [0x1a, 0x80];
        let expected = if readable { Code::PermissionDenied } else { Code::InvalidArgument };
        assert_eq!(status.code(), expected, "{}", status.message());
    }
    let refused = server.world.refused.lock().unwrap().clone();
    assert_eq!(refused, vec![format!("{GROUPS}/UpdateGroup {} CAPABILITY_MISSING", org()); 2]);

    let path = format!("/iam/v2beta1/groups/{}", org());
    for body in ["{\"name\": oops", "[[[[", "{\"name\": 5}", "{\"updateMask\": 1}"] {
        let request = server.request(Method::PATCH, &path).bearer_auth("viewer").body(body);
        assert_eq!(server.send(request).await.error().2, "CAPABILITY_MISSING", "{body}");
    }
}

#[tokio::test]
async fn who_may_do_it_learns_what_is_too_much() {
    let server = start().await;
    let status = send(&server, "UpdateGroup", "owner", update(&million_paths())).await.unwrap_err();
    let message = "Invalid argument: update_mask.paths: paths must have at most 1000 entries";
    assert_eq!((status.code(), status.message()), (Code::InvalidArgument, message));
    let path = format!("/iam/v2beta1/groups/{}", org());
    let mask = format!("{{\"name\": \"a\", \"updateMask\": \"{}\"}}", "a,".repeat(2000));
    assert_eq!(server.owner(Method::PATCH, &path, Some(&mask)).await.status, 200, "unknown keys are ignored");
    let answered = server.owner(Method::PATCH, &format!("{path}?updateMask={}", "a,".repeat(2000)), Some("{}")).await;
    assert_eq!(answered.error(), (400, 3, "FIELD".to_owned(), message.to_owned()));
    let values = format!("{{\"unknown\": [{}]}}", vec!["{}"; 100_000].join(","));
    let (status, code, rule, message) = server.owner(Method::PATCH, &path, Some(&values)).await.error();
    assert_eq!((status, code, rule.as_str()), (400, 3, "JSON"));
    assert!(message.starts_with("Invalid argument: body: the body has more than 60000 values (line 1, column "), "{message}");
}

/// Pieces of a message flow together, and of a text the last one counts: the gate and the handler see the same.
#[tokio::test]
async fn what_is_authorised_is_what_is_handled() {
    let server = start().await;
    let get =
        |uids: &[String]| uids.iter().flat_map(|uid| GetGroupRequest { uid: uid.clone() }.encode_to_vec()).collect::<Vec<_>>();
    let (seen, hidden) = (group(1).to_string(), org().to_string());
    assert!(send(&server, "GetGroup", "viewer", get(&[hidden.clone(), seen.clone()])).await.is_ok());
    let status = send(&server, "GetGroup", "viewer", get(&[seen.clone(), hidden.clone()])).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    let path = format!("/iam/v2beta1/groups/{hidden}");
    let body = format!("{{\"uid\": \"{seen}\"}}");
    let request = server.request(Method::PATCH, &path).bearer_auth("viewer").body(body);
    assert_eq!(server.send(request).await.error().2, "CAPABILITY_MISSING");
}

#[tokio::test]
async fn lists_of_parameters_have_an_end() {
    let server = start().await;
    let ids = |count: usize| format!("/iam/v2beta1/groups?{}", vec!["uidp.ids=a"; count].join("&"));
    assert_eq!(server.owner(Method::GET, &ids(1000), None).await.status, 200);
    let answered = server.owner(Method::GET, &ids(1001), None).await;
    assert_eq!(answered.error().3, "Invalid argument: uidp.ids: ids must have at most 1000 entries");
    let answered = server.owner(Method::GET, &ids(2001), None).await;
    assert_eq!(answered.error().3, "Invalid argument: query: there may be at most 2000 parameters");
    let uidp = contract::chainguard::platform::common::UidpFilter { ids: vec![String::new(); 1001], ..Default::default() };
    let list = ListGroupsRequest { uidp: Some(uidp), ..Default::default() };
    let status = send(&server, "ListGroups", "owner", list.encode_to_vec()).await.unwrap_err();
    assert_eq!(status.message(), "Invalid argument: uidp.ids: ids must have at most 1000 entries");
}
