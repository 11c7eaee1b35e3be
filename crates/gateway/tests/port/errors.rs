//! Errors that their clients can read, however much is wrong.

use contract::{
    Message as _,
    chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group},
    google::rpc::{BadRequest, ErrorInfo, Status},
};
use prost::Message as _;
use reqwest::Method;
use tonic::Code;

use crate::support::{Answered, GROUPS, MANY_FAULTS, Running, org, start};

/// What clients accept: all names and values of the headers, with 32 bytes for each (RFC 9113 section 6.5.2).
fn size(headers: &http::HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 32).sum()
}

/// The headers of a gRPC refusal, as they are on the wire.
async fn refused(server: &Running, method: &str, message: Vec<u8>) -> http::HeaderMap {
    let frame = [&[0], &u32::try_from(message.len()).unwrap().to_be_bytes()[..], &message].concat();
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let call = http2.post(format!("http://{}{method}", server.address)).bearer_auth("owner").body(frame);
    let id = "r".repeat(128);
    let answer = call.header("content-type", "application/grpc").header("x-request-id", id).send().await.unwrap();
    assert!(size(answer.headers()) <= 8 << 10, "{} bytes", size(answer.headers()));
    answer.headers().clone()
}

/// The rule, the number of named violations, that of the others, and the message.
fn read(status: &Status) -> (String, usize, usize, String) {
    let info = ErrorInfo::decode(&*status.details[0].value).unwrap();
    let named = status.details.get(1).map_or(0, |detail| BadRequest::decode(&*detail.value).unwrap().field_violations.len());
    let omitted = info.metadata.get("omittedViolations").map_or(0, |count| count.parse().unwrap());
    (info.metadata["rule"].clone(), named, omitted, status.message.clone())
}

fn status(headers: &http::HeaderMap) -> Status {
    use base64::Engine as _;
    let details = base64::engine::general_purpose::STANDARD_NO_PAD.decode(&headers["grpc-status-details-bin"]).unwrap();
    let status = Status::decode(&*details).unwrap();
    assert_eq!(status.code.to_string().as_bytes(), headers["grpc-status"].as_bytes());
    status
}

fn of_json(answered: &Answered) -> (String, usize, usize, String) {
    assert!(answered.text.len() <= 64 << 10, "{} bytes", answered.text.len());
    let (_, _, rule, message) = answered.error();
    let json = answered.json();
    let named = json["details"][1]["fieldViolations"].as_array().map_or(0, Vec::len);
    let omitted = json["details"][0]["metadata"]["omittedViolations"].as_str().map_or(0, |count| count.parse().unwrap());
    (rule, named, omitted, message)
}

/// A group whose name makes the handler find this many faults, each with a text as long as this.
fn faulty(faults: usize, length: usize) -> CreateGroupRequest {
    let group = Group { name: format!("{MANY_FAULTS}{faults} {length}"), ..Group::default() };
    CreateGroupRequest { parent: org().to_string(), group: Some(group) }
}

#[tokio::test]
async fn many_violations_are_cut_with_a_count() {
    let server = start().await;
    for (faults, length) in [(1, 10), (100, 10), (173, 40), (100, 100_000), (5000, 10)] {
        let request = faulty(faults, length);
        let grpc = read(&status(&refused(&server, &format!("{GROUPS}/CreateGroup"), request.encode_to_vec()).await));
        let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some(&json(&request))).await;
        for (rule, named, omitted, message) in [grpc, of_json(&answered)] {
            assert_eq!((rule.as_str(), named + omitted), ("FIELD", faults), "{message}");
            assert!(named >= 1 && (faults < 100 || omitted > 0 || faults == 100), "{named} {omitted}");
            let counted = message.rsplit_once("; and ").and_then(|(_, rest)| rest.strip_suffix(" more")?.parse::<usize>().ok());
            assert_eq!(counted.is_some(), faults > 1, "{message}");
            assert!(counted.is_none_or(|more| more < faults && more >= faults - 100), "{message}");
        }
    }
}

fn json(request: &CreateGroupRequest) -> String {
    let mut text = String::new();
    request.group.clone().unwrap_or_default().write_json(&mut text);
    text
}

#[tokio::test]
async fn what_a_caller_sent_is_repeated_shortly() {
    let server = start().await;
    let long = "é".repeat(10_000);
    let headers = refused(&server, &format!("/{}/Method", "x".repeat(20_000)), Vec::new()).await;
    let (rule, _, _, message) = read(&status(&headers));
    assert_eq!((rule.as_str(), message.len() < 200), ("NO_SUCH_PATH", true), "{message}");
    let answered = server.owner(Method::GET, &format!("/{}", "x".repeat(20_000)), None).await;
    assert!(answered.error().2 == "NO_SUCH_PATH" && answered.text.len() < 1000, "{}", answered.text);
    for path in [
        format!("/iam/v2beta1/groups?{long}=1"),
        format!("/iam/v2beta1/groups?pageSize={long}"),
        format!("/iam/v2beta1/groups/{}", "x".repeat(20_000)),
    ] {
        let answered = server.owner(Method::GET, &path, None).await;
        assert!(answered.status == 400 && answered.text.len() < 2000, "{}", answered.text);
    }
    let megabyte = "x".repeat(1 << 20);
    for body in [
        format!("{{\"verified\": \"{megabyte}\"}}"),
        format!("{{\"kind\": \"{megabyte}\"}}"),
        format!("{{\"resourceLimits\": {{\"{megabyte}\": \"{megabyte}\"}}}}"),
        format!("{{\"{megabyte}\": 1, \"{megabyte}\": 2}}"),
        megabyte.clone(),
    ] {
        let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some(&body)).await;
        assert!(answered.status == 400 && answered.text.len() < 2000, "{}", answered.text);
    }
}

/// A handler that repeats a megabyte of what it was sent is cut all the same.
#[tokio::test]
async fn no_handler_gets_round_it() {
    let server = start().await;
    for character in ["x", "é", "\u{1}", "\"", " "] {
        let group = Group { name: format!("echo {}", character.repeat(1 << 19)), ..Group::default() };
        let request = CreateGroupRequest { parent: org().to_string(), group: Some(group) };
        let (rule, _, _, message) =
            read(&status(&refused(&server, &format!("{GROUPS}/CreateGroup"), request.encode_to_vec()).await));
        assert_eq!(rule, "NAME_TAKEN");
        assert!(message.contains(" bytes left out) …"), "{message}");
        let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some(&json(&request))).await;
        let (rule, _, _, message) = of_json(&answered);
        assert!(rule == "NAME_TAKEN" && message.contains(" bytes left out) …"), "{message}");
        let typed =
            server.grpc(&format!("{GROUPS}/CreateGroup"), &request, &[("authorization", "Bearer owner")]).await.unwrap_err();
        assert_eq!(typed.code(), Code::AlreadyExists);
    }
}
