//! What the gate refuses and lets through, over both transports.

use contract::{
    METHODS,
    chainguard::platform::iam::v2beta1::{GetGroupRequest, Group, ListGroupsRequest, UpdateGroupRequest},
    google::rpc::{ErrorInfo, Status},
};
use domain::{EntityTags, Versioned as _};
use prost::Message as _;
use reqwest::Method;
use tonic::Code;

use crate::support::{Changeable, GONE, GROUPS, call, endpoints, group, org, start};

const OWNER: [(&str, &str); 1] = [("authorization", "Bearer owner")];

fn get(uid: &str) -> GetGroupRequest {
    GetGroupRequest { uid: uid.to_owned() }
}

#[tokio::test]
async fn tokens_are_asked_for() {
    let server = start().await;
    let path = format!("/iam/v2beta1/groups/{}", org());
    let answered = server.send(server.request(Method::GET, &path)).await;
    let message = "this call needs a token: send the header `authorization: Bearer <token>`".to_owned();
    assert_eq!(answered.error(), (401, 16, "TOKEN_MISSING".to_owned(), message));
    assert_eq!(answered.header("www-authenticate"), "Bearer realm=\"provost\"");
    let answered = server.send(server.request(Method::GET, &path).bearer_auth("forged")).await;
    assert_eq!(answered.error().2, "TOKEN_INVALID");
    assert!(answered.header("www-authenticate").contains("error=\"invalid_token\""));

    let method = format!("{GROUPS}/GetGroup");
    let status = server.grpc(&method, &get(org().as_str()), &[]).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
    let status = server.grpc(&method, &get(org().as_str()), &[("authorization", "Bearer forged")]).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Unauthenticated, "the token is not one of ours"));
}

#[tokio::test]
async fn both_transports_reach_the_same_handler() {
    let server = start().await;
    let answered = server.owner(Method::GET, &format!("/iam/v2beta1/groups/{}", org()), None).await;
    assert_eq!(answered.status, 200);
    let caller = "01".repeat(20);
    let description = format!("{GROUPS}/GetGroup v2beta1 127.0.0.1");
    assert_eq!(answered.json()["uid"], org().as_str());
    assert_eq!(
        (&answered.json()["name"], &answered.json()["description"]),
        (&caller.clone().into(), &description.clone().into())
    );
    assert_eq!(answered.header("etag"), "\"2a\"");
    assert_eq!(answered.header("content-type"), "application/json");
    assert_eq!(answered.header("cache-control"), "no-store");
    assert_eq!(answered.header("x-content-type-options"), "nosniff");
    assert_eq!(answered.header("x-request-id").len(), 32);

    let metadata = [OWNER[0], ("x-request-id", "mine-1")];
    let answered = server.grpc(&format!("{GROUPS}/GetGroup"), &get(org().as_str()), &metadata).await.unwrap();
    assert_eq!(answered.metadata().get("etag").unwrap(), "\"2a\"");
    assert_eq!(answered.metadata().get("x-request-id").unwrap(), "mine-1");
    let group = Group::decode(answered.into_inner()).unwrap();
    assert_eq!((group.uid, group.name, group.description), (org().to_string(), caller, description));
}

#[tokio::test]
async fn scoped_methods_need_their_capabilities_at_the_place() {
    let server = start().await;
    let get = |token: &'static str, uid: String| {
        let request = server.request(Method::GET, &format!("/iam/v2beta1/groups/{uid}")).bearer_auth(token);
        server.send(request)
    };
    assert_eq!(get("viewer", group(1).to_string()).await.status, 200);
    assert_eq!(get("narrow", group(1).to_string()).await.status, 200);
    for token in ["viewer", "narrow", "nobody"] {
        // The same answer whether or not anything is there.
        for uid in [org(), group(GONE)] {
            let message = format!("permission denied: this needs groups.list at {uid}");
            let expected = (403, 7, "CAPABILITY_MISSING".to_owned(), message);
            assert_eq!(get(token, uid.to_string()).await.error(), expected, "{token}");
        }
    }
    let refused = server.world.refused.lock().unwrap().clone();
    assert_eq!(refused.len(), 6);
    assert_eq!(refused[0], format!("{GROUPS}/GetGroup {} CAPABILITY_MISSING", org()));
    assert_eq!(get("owner", group(GONE).to_string()).await.error().0, 404);

    let update = UpdateGroupRequest { group: Some(Group { uid: org().to_string(), ..Group::default() }), update_mask: None };
    let status = server.grpc(&format!("{GROUPS}/UpdateGroup"), &update, &[("authorization", "Bearer viewer")]).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    assert!(status.message().contains("groups.update"), "{}", status.message());
}

#[tokio::test]
async fn scopes_must_be_uidps() {
    let server = start().await;
    let answered = server.owner(Method::GET, "/iam/v2beta1/groups/not-a-uid", None).await;
    let (status, code, rule, message) = answered.error();
    assert_eq!((status, code, rule.as_str()), (400, 3, "FIELD"));
    assert!(message.starts_with("Invalid argument: uid: uid must be a UIDP"), "{message}");
    assert_eq!(answered.json()["details"][1]["fieldViolations"][0]["field"], "uid");
    let answered = server.owner(Method::PATCH, "/iam/v2beta1/groups/x", Some("{}")).await;
    assert!(answered.error().3.starts_with("Invalid argument: uid: uid must be a UIDP"), "{answered:?}");
}

#[tokio::test]
async fn required_fields_are_all_named() {
    let server = start().await;
    let status = server.grpc(&format!("{GROUPS}/GetGroup"), &get(""), &OWNER).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::InvalidArgument, "Invalid argument: uid: uid is required"));
    let status = server.grpc(&format!("{GROUPS}/CreateGroup"), &GetGroupRequest::default(), &OWNER).await.unwrap_err();
    assert_eq!(status.message(), "Invalid argument: group: group is required");
    let answered = server.owner(Method::POST, "/iam/v2beta1/groups", None).await;
    assert_eq!(answered.error(), (400, 3, "REQUIRED".to_owned(), "Invalid argument: group: group is required".to_owned()));
}

#[tokio::test]
async fn unscoped_methods_learn_where_the_caller_holds_what() {
    let server = start().await;
    let uids = |token: &'static str| {
        let request = server.request(Method::GET, "/iam/v2beta1/groups").bearer_auth(token);
        async {
            let groups = server.send(request).await.json()["groups"].clone();
            groups.as_array().unwrap().iter().map(|group| group["uid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        }
    };
    assert_eq!(uids("owner").await, [org().to_string()]);
    assert_eq!(uids("viewer").await, [group(1).to_string()]);
    assert_eq!(uids("narrow").await, [group(1).to_string()]);
    assert_eq!(uids("nobody").await, [""; 0]);
}

#[tokio::test]
async fn methods_without_a_handler_say_so_by_name() {
    let server = start().await;
    let path = format!("/iam/v2beta1/roles/{}", org());
    let answered = server.owner(Method::GET, &path, None).await;
    let name = "/chainguard.platform.iam.v2beta1.RolesService/GetRole";
    let message = format!("{name} is part of the contract, but this server does not have it yet");
    assert_eq!(answered.error(), (501, 12, "NOT_IMPLEMENTED".to_owned(), message.clone()));
    assert_eq!(server.send(server.request(Method::GET, &path)).await.error().0, 401);
    let status = server.grpc(name, &get(org().as_str()), &OWNER).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Unimplemented, &*message));

    for unknown in ["/no.such.Service/Method", "/chainguard.platform.iam.v2beta1.GroupsService/NoSuch"] {
        let status = server.grpc(unknown, &get(""), &OWNER).await.unwrap_err();
        assert_eq!((status.code(), status.message()), (Code::Unimplemented, &*format!("unknown service or method {unknown}")));
    }
}

#[tokio::test]
async fn every_method_without_a_handler_says_so_under_all_its_addresses() {
    let server = start().await;
    let handled: Vec<_> = endpoints(&server.world).iter().map(|endpoint| endpoint.method.index).collect();
    let (channel, mut bindings) = (server.channel().await, 0);
    for method in METHODS.iter().filter(|method| !handled.contains(&method.index)) {
        let message = format!("{} is part of the contract, but this server does not have it yet", method.path);
        let status = call(channel.clone(), method.path, &(), &OWNER).await.unwrap_err();
        assert_eq!((status.code(), status.message()), (Code::Unimplemented, &*message));
        for rule in method.http {
            let mut parts = rule.template.split('{');
            let literal = parts.next().unwrap_or_default().to_owned();
            let path = parts.filter_map(|part| part.split_once('}')).fold(literal, |path, (_, rest)| path + "x" + rest);
            let answered = server.owner(rule.verb.as_str().parse().unwrap(), &path, None).await;
            assert_eq!(answered.error(), (501, 12, "NOT_IMPLEMENTED".to_owned(), message.clone()), "{path}");
            bindings += 1;
        }
    }
    assert!(bindings > 150, "the contract has more bindings than {bindings}");
}

#[tokio::test]
async fn public_methods_need_no_token_and_get_the_one_that_comes() {
    let server = start().await;
    assert_eq!(server.send(server.request(Method::GET, "/ping/v2beta1/ping")).await.status, 200);
    let path = "/sts/exchange?aud=a";
    let token = |answered: crate::support::Answered| answered.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(token(server.send(server.request(Method::GET, path)).await), "|a||");
    assert_eq!(token(server.send(server.request(Method::GET, path).bearer_auth("upstream")).await), "upstream|a||");
}

#[tokio::test]
async fn grpc_errors_carry_the_whole_status() {
    let server = start().await;
    let request = get(group(3).as_str());
    let status = server.grpc(&format!("{GROUPS}/DeleteGroup"), &request, &OWNER).await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::FailedPrecondition, "Precondition failed: cannot delete group with child repos")
    );
    let rpc = Status::decode(status.details()).unwrap();
    assert_eq!((rpc.code, rpc.message.as_str(), rpc.details.len()), (9, status.message(), 2));
    let info = ErrorInfo::decode(&*rpc.details[0].value).unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("FAILED_PRECONDITION", "iam.chainguard.dev"));
    assert_eq!(info.metadata["rule"], "NOT_EMPTY");
    assert_eq!(rpc.details[1].type_url, "type.googleapis.com/google.rpc.PreconditionFailure");
    assert!(status.metadata().get("x-request-id").is_some());
}

#[tokio::test]
async fn conditions_reach_the_handler() {
    let server = start().await;
    let path = format!("/iam/v2beta1/groups/{}", org());
    let update =
        |tag: &str| server.send(server.request(Method::PATCH, &path).bearer_auth("owner").header("if-match", tag).body("{}"));
    assert_eq!(update(&EntityTags::default().of(Changeable(org()).version()).0).await.status, 200);
    let (status, code, rule, _) = update("\"6\"").await.error();
    assert_eq!((status, code, rule.as_str()), (409, 10, "ETAG_MISMATCH"));
    let request = server.request(Method::POST, "/iam/v2beta1/groups").bearer_auth("owner").body(r#"{"name":"a"}"#);
    let answered = server.send(request.header("x-provost-validate-only", "true")).await;
    assert_eq!(answered.json()["description"], "number 0, only validated: true");
    let request = server.request(Method::POST, "/iam/v2beta1/groups").bearer_auth("owner").body("{}");
    let answered = server.send(request.header("x-provost-validate-only", "maybe")).await;
    assert_eq!(answered.error().3, "Invalid argument: x-provost-validate-only: x-provost-validate-only must be true or false");
}

#[tokio::test]
async fn the_v2_names_are_the_same_methods() {
    let server = start().await;
    let answered = server.owner(Method::GET, &format!("/iam/v2/groups/{}", org()), None).await;
    assert_eq!(answered.json()["uid"], org().as_str());
    assert_eq!(server.owner(Method::GET, "/registry/v2/overlays", None).await.status, 404);
    let path = "/chainguard.platform.iam.v2.GroupsService/ListGroups";
    let answered = server.grpc(path, &ListGroupsRequest::default(), &OWNER).await.unwrap();
    assert!(!answered.into_inner().is_empty());
    let status =
        server.grpc("/chainguard.platform.registry.v2.OverlaysService/ListOverlays", &get(""), &OWNER).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}
