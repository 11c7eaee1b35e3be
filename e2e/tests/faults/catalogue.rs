//! The error catalogue: every rule is reached through the front door, or stands below with the reason why it cannot be.

use std::{collections::BTreeMap, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use client::http::{Answer, Request};
use contract::{
    Message as _,
    chainguard::platform::{
        advisory::v2beta1::{ImageRef, ListResolvedVulnsReportsRequest, rpc::ListResolvedVulnsReports},
        iam::v2beta1::{CreateGroupRequest, Group},
    },
    google::rpc::Status,
    prost_types::Timestamp,
};
use domain::{
    Clock as _, Rule,
    iam::{TermsDocument, role::built_in_uid},
};
use http::Method;
use prost::Message as _;
use serde_json::{Value, json};
use testkit::{Actor, Fault, Issuer, Setup, TestServer, Transport};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
};

/// The rules that no request can provoke at will.
const OUT_OF_REACH: [(Rule, &str); 6] = [
    (Rule::Contended, "needs others that are faster twenty times in a row; tested in services"),
    (Rule::Overloaded, "needs a queue that stays full for seconds; tested against the store's writer and pool"),
    (Rule::ListTooLong, "needs ten thousand of something; tested in api"),
    (Rule::TooManyRequests, "needs a thousand requests under way; tested in gateway with a small limit"),
    (Rule::Unavailable, "needs a store or key that fails; tested against both"),
    (Rule::Internal, "needs a defect; tested in gateway with a handler that panics"),
];

#[tokio::test]
async fn every_rule_is_reached() {
    let needs_terms = "chainguard.platform.registry.v2beta1.OverlaysService/DeleteOverlay".to_owned();
    let document = TermsDocument {
        id: "tos.v1".to_owned(),
        label: "Terms of service".to_owned(),
        url: "https://example.com/tos".to_owned(),
        methods: vec![needs_terms],
    };
    let server = TestServer::start_with(Setup { terms: vec![document], ..Setup::default() }).await;
    let mut reached = Reached::default();
    requests(&server, &mut reached).await;
    lists(&server, &mut reached).await;
    places(&server, &mut reached).await;
    nouns(&server, &mut reached).await;
    rights(&server, &mut reached).await;
    conditions(&server, &mut reached).await;
    accounts(&server, &mut reached).await;
    clouds(&server, &mut reached).await;
    issuers(&server, &mut reached).await;
    wire(&server, &mut reached).await;
    shares(&server, &mut reached).await;
    tokens(&server, &mut reached).await;
    server.stop().await;

    for (rule, _, _) in Rule::ALL {
        let excuse = OUT_OF_REACH.iter().find(|(known, _)| *known == rule).map(|(_, why)| why);
        match (reached.0.get(&rule), excuse) {
            (None, None) => panic!("no request reaches {}", rule.as_str()),
            (Some(title), Some(why)) => panic!("{} is reached by {title}, not out of reach: {why}", rule.as_str()),
            _ => {}
        }
    }
}

/// The rules that were answered, each with what provoked it.
#[derive(Default)]
struct Reached(BTreeMap<Rule, &'static str>);

impl Reached {
    /// Notes the rule of a refusal, which must be `expected`.
    fn note(&mut self, title: &'static str, expected: Rule, body: &Value) {
        let rule = &body["details"][0]["metadata"]["rule"];
        assert_eq!(rule, expected.as_str(), "{title}: {body:#}");
        self.0.insert(expected, title);
    }

    async fn http(&mut self, title: &'static str, expected: Rule, actor: &Actor, request: Request) {
        let answer = actor.http(request).await;
        self.note(title, expected, &answer.json());
    }
}

async fn clouds(server: &TestServer, reached: &mut Reached) {
    let admin = server.admin();
    let group = admin.http(Request::post(groups(server.organization()), &json!({"name": "with accounts"}))).await.json();
    let path = format!("/iam/v2beta1/accountAssociations/{}", group["uid"].as_str().expect("a group"));
    let made = admin.http(Request::post(&path, &json!({"name": "accounts", "amazon": {"account": "123456789012"}}))).await;
    assert_eq!(made.status, 200, "{}", made.text());
    let check =
        || Request::post(format!("{path}:checkAccountAssociation"), &json!({"providerType": "ACCOUNT_PROVIDER_TYPE_AMAZON"}));
    for _ in 0..5 {
        assert_eq!(admin.http(check()).await.status, 200);
    }
    reached.http("the sixth check of an account at once", Rule::OrganizationBusy, &admin, check()).await;
}

fn groups(below: impl std::fmt::Display) -> String {
    format!("/iam/v2beta1/groups/{below}")
}

/// Creates something below the organization and returns the answer's body.
async fn made(actor: &Actor, path: String, body: Value) -> Value {
    let answer = actor.http(Request::post(path, &body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn uid(resource: &Value) -> &str {
    resource["uid"].as_str().expect("a resource has a uid")
}

/// What is wrong with a request alone.
async fn requests(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin(), server.organization());
    let post = |body: &str| Request::new(Method::POST, groups(org)).bytes(body.to_owned());
    reached.http("a name in capitals", Rule::Field, &admin, post(r#"{"name": "Team"}"#)).await;
    reached.http("no resource", Rule::Required, &admin, post("")).await;
    reached.http("a trailing comma", Rule::Json, &admin, post(r#"{"name": "x",}"#)).await;
    reached.http("five megabytes", Rule::TooLarge, &admin, post(&" ".repeat(5 << 20))).await;
    let patch = Request::patch(format!("{}?updateMask=nme", groups(org)), &json!({"name": "x"}));
    reached.http("an unknown path in the mask", Rule::UpdateMask, &admin, patch).await;
}

/// What is wrong with a list.
async fn lists(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin(), server.organization());
    made(&admin, groups(org), json!({"name": "a"})).await;
    made(&admin, groups(org), json!({"name": "b"})).await;
    let list = |query: String| Request::get(format!("/iam/v2beta1/groups?{query}"));
    reached.http("an order by size", Rule::OrderBy, &admin, list("orderBy=size".into())).await;
    reached.http("a negative page", Rule::PageSize, &admin, list("pageSize=-1".into())).await;
    reached.http("a negative skip", Rule::Skip, &admin, list("skip=-1".into())).await;
    reached.http("a forged page token", Rule::PageToken, &admin, list("pageToken=Zm9yZ2Vk".into())).await;
    let first = admin.http(list("pageSize=1".into())).await.json();
    let token = first["nextPageToken"].as_str().expect("there is a second page");
    let other = list(format!("pageSize=1&orderBy=name&pageToken={token}"));
    reached.http("a page token with another order", Rule::PageTokenMismatch, &admin, other).await;
}

/// Paths that lead nowhere.
async fn places(server: &TestServer, reached: &mut Reached) {
    let admin = server.admin();
    reached.http("an unknown path", Rule::NoSuchPath, &admin, Request::get("/nowhere")).await;
    let put = Request::new(Method::PUT, groups(server.organization()));
    reached.http("a PUT", Rule::MethodNotAllowed, &admin, put).await;
    reached.http("a method that will not be built", Rule::NotImplemented, &admin, Request::get("/registry/v1/buildstatus")).await;
    let absent = format!("{}/{}", server.organization(), "0".repeat(16));
    reached.http("nothing there", Rule::NoSuchResource, &admin, Request::get(groups(absent))).await;
}

/// What the state of the resources forbids.
async fn nouns(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin(), server.organization());
    let repos = format!("/registry/v2beta1/repos/{org}");
    made(&admin, repos.clone(), json!({"name": "app"})).await;
    reached.http("a repo's name twice", Rule::NameTaken, &admin, Request::post(repos, &json!({"name": "app"}))).await;
    reached.http("a full organization", Rule::NotEmpty, &admin, Request::delete(groups(org))).await;

    let providers = |below: &str| format!("/iam/v2beta1/identityProviders/{below}");
    let oidc = json!({"issuer": "https://login.example.com", "clientId": "provost", "pkceEnabled": true});
    let wish = json!({"name": "login", "defaultRole": built_in_uid("viewer").as_str(), "oidc": oidc});
    let provider = made(&admin, providers(org.as_str()), wish).await;
    let by_oid = json!({"oidc": {"correlationRule": "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID"}});
    reached
        .http("people found by another claim", Rule::Immutable, &admin, Request::patch(providers(uid(&provider)), &by_oid))
        .await;
    let scim = |verb: &str| format!("{}:{verb}", providers(uid(&provider)));
    let token = made(&admin, scim("generateScimToken"), json!({})).await;
    reached
        .http("a second SCIM token", Rule::ScimTokenIssued, &admin, Request::post(scim("generateScimToken"), &json!({})))
        .await;
    let enable = Request::post(scim("setScimEnabled"), &json!({"enabled": true, "etag": token["etag"]}));
    reached.http("SCIM with one owner", Rule::TooFewOwners, &admin, enable).await;
    let mappings = format!("/iam/v2beta1/externalGroupRoleMappings/{}", uid(&provider));
    let developers = json!({"externalGroupId": "g", "roleUid": built_in_uid("viewer").as_str(), "scope": org.as_str()});
    made(&admin, mappings.clone(), developers.clone()).await;
    reached.http("a mapping twice", Rule::Duplicate, &admin, Request::post(mappings, &developers)).await;
    let associations = format!("/iam/v2beta1/accountAssociations/{org}");
    made(&admin, associations.clone(), json!({"name": "accounts"})).await;
    let second = Request::post(associations, &json!({"name": "accounts"}));
    reached.http("a second account association", Rule::OnePerGroup, &admin, second).await;

    let roles = |below: &str| format!("/iam/v2beta1/roles/{below}");
    let role = made(&admin, roles(org.as_str()), json!({"name": "reader", "capabilities": ["CAP_IAM_GROUPS_LIST"]})).await;
    let bindings = format!("/iam/v2beta1/roleBindings/{org}");
    let bind = |role: &str| json!({"identityUid": server.admin_uid().as_str(), "roleUid": role});
    made(&admin, bindings.clone(), bind(uid(&role))).await;
    reached.http("a role in use", Rule::RoleBound, &admin, Request::delete(roles(uid(&role)))).await;
    let operator = server.operator().await;
    let owner = built_in_uid("owner");
    reached.http("the owner role", Rule::BuiltIn, &operator, Request::delete(roles(owner.as_str()))).await;

    let subscribe = Request::post(format!("/events/v2beta1/subscriptions/{org}"), &json!({"sink": "https://hooks.example.com"}));
    for _ in 0..100 {
        assert_eq!(admin.http(subscribe.clone()).await.status, 200);
    }
    reached.http("a subscription too many", Rule::GroupFull, &admin, subscribe).await;
    advisories(server, reached).await;

    let stranger = server.stranger().await;
    let elsewhere = json!({"identityUid": stranger.uid().as_str(), "roleUid": owner.as_str()});
    reached.http("a stranger's identity", Rule::OtherOrganization, &admin, Request::post(bindings, &elsewhere)).await;
}

/// What only advisories have, and reports.
async fn advisories(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin(), server.organization());
    let advisory = json!({"artifactName": "openssl", "artifactType": "apk", "events": [{"detection": {"manual": {}}}]});
    let create = json!({"parentId": org.as_str(), "advisory": advisory});
    let made = made(&admin, "/vulnerabilities/v1/advisories".to_owned(), create).await;
    let (advisory, event) = (made["id"].as_str().expect("an id"), made["events"][0]["id"].as_str().expect("an id"));
    let review = |status: &str| {
        Request::new(Method::PUT, format!("/vulnerabilities/v1/advisory_events/{event}")).json(&json!({"status": status}))
    };
    reached.http("an event of one's own", Rule::OwnEvent, &admin, review("APPROVED")).await;
    assert_eq!(admin.http(review("REJECTED")).await.status, 200);
    reached.http("an event that was rejected", Rule::ReviewEnded, &admin, review("PENDING")).await;
    let withdraw = Request::delete(format!("/vulnerabilities/v1/advisories/{advisory}"));
    assert_eq!(admin.http(withdraw.clone()).await.status, 200);
    reached.http("an advisory that was withdrawn", Rule::Withdrawn, &admin, withdraw).await;
    let report = ListResolvedVulnsReportsRequest {
        image_refs: vec![ImageRef { repo: org.child([1; 8]).to_string(), tags: Vec::new() }],
        start_time: Some(Timestamp { seconds: 1_700_000_000, nanos: 0 }),
        end_time: Some(Timestamp { seconds: 1_700_000_000, nanos: 0 }),
    };
    let refused = admin.call::<ListResolvedVulnsReports>(Transport::Grpc, report).await;
    reached.note("a report of nothing", Rule::NoReportData, &refused.body);
}

/// What the caller may not do.
async fn rights(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin(), server.organization());
    let viewer = server.workload(org, "viewer", Some("viewer")).await;
    let delete = Request::delete(groups(org));
    reached.http("a viewer who deletes", Rule::CapabilityMissing, &viewer, delete).await;
    let verified = Request::patch(groups(org), &json!({"verified": true}));
    reached.http("an owner who verifies", Rule::OperatorsOnly, &admin, verified).await;

    let capabilities = ["CAP_IAM_ROLE_BINDINGS_CREATE", "CAP_IAM_ROLES_LIST"];
    let role = made(&admin, format!("/iam/v2beta1/roles/{org}"), json!({"name": "binder", "capabilities": capabilities})).await;
    let bindings = format!("/iam/v2beta1/roleBindings/{org}");
    let binder = server.workload(org, "binder", None).await;
    made(&admin, bindings.clone(), json!({"identityUid": binder.uid().as_str(), "roleUid": uid(&role)})).await;
    let owner = built_in_uid("owner");
    let own = json!({"identityUid": binder.uid().as_str(), "roleUid": owner.as_str()});
    reached.http("a binder who becomes owner", Rule::Escalation, &binder, Request::post(bindings, &own)).await;
}

/// What people may not do with their accounts.
async fn accounts(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin_again().await, server.organization());
    let delete = Request::delete(format!("/auth/v1/delete/{}", "0".repeat(40)));
    reached.http("an account of somebody else", Rule::OwnAccountOnly, &admin, delete).await;
    let overlay = Request::delete(format!("/registry/v2beta1/overlays/{org}/{}", "0".repeat(16)));
    reached.http("a document that was not accepted", Rule::TermsNotAccepted, &admin, overlay).await;
    let told = Request::patch("/iam/v2beta1/identities:updateIdentityMetadata", &json!({"identityMetadata": {"company": "a"}}));
    reached.http("what an operator tells of itself", Rule::NotAUser, &server.operator().await, told).await;
    let invite = json!({"roleUid": built_in_uid("viewer").as_str(), "ttl": "1s"});
    let invite = made(&admin, format!("/iam/v2beta1/groupInvites/{org}"), invite).await;
    server.clock().advance_seconds(1);
    let somebody = server.bearer(&server.mint("somebody", server.base_url(), json!({})).await);
    let register = Request::post("/auth/v1/register", &json!({"code": invite["code"]}));
    reached.http("an invite that has expired", Rule::InviteRefused, &somebody, register).await;
    let operator = server.operator().await;
    let domain = json!({"name": "example.net", "verified": true, "kind": "ORG_KIND_CUSTOMER"});
    let domain = made(&operator, "/iam/v2beta1/groups".to_owned(), domain).await;
    let claims = json!({"email": "fay@example.net", "email_verified": true});
    let fay = server.bearer(&server.mint("fay", server.base_url(), claims).await);
    assert_eq!(fay.http(Request::post("/auth/v1/register", &json!({}))).await.status, 200);
    let token = fay.http(Request::post("/sts/exchange", &json!({}))).await.json();
    let fay = server.bearer(token["token"].as_str().expect("a token"));
    let ask = Request::post(format!("/iam/v2beta1/groups/{}:requestGroupAccess", uid(&domain)), &json!({}));
    assert_eq!(fay.http(ask.clone()).await.status, 200);
    reached.http("asking for access twice", Rule::AlreadyAsked, &fay, ask).await;
    let look = || Request::get(format!("/iam/v1/identities/lookup?issuer={}&subject=somebody", server.issuer()));
    for _ in 0..120 {
        fay.http(look()).await;
    }
    reached.http("the 121st look for a user in a minute", Rule::LookupRate, &fay, look()).await;
}

/// Conditions that do not hold.
async fn conditions(server: &TestServer, reached: &mut Reached) {
    let (admin, org) = (server.admin(), server.organization());
    let group = made(&admin, groups(org), json!({"name": "once"})).await;
    let stale = Request::patch(groups(uid(&group)), &json!({"name": "twice"})).header("if-match", "\"0\"");
    reached.http("a stale entity tag", Rule::EtagMismatch, &admin, stale).await;
    let keyed = |key: &str, name: &str| Request::post(groups(org), &json!({"name": name})).header("idempotency-key", key);
    assert_eq!(admin.http(keyed("k", "first")).await.status, 200);
    reached.http("a key for another request", Rule::IdempotencyKeyReused, &admin, keyed("k", "second")).await;
    let invite = json!({"roleUid": built_in_uid("viewer").as_str(), "ttl": "60s"});
    let secret = Request::post(format!("/iam/v2beta1/groupInvites/{org}"), &invite).header("idempotency-key", "secret");
    assert_eq!(admin.http(secret.clone()).await.status, 200);
    server.clock().advance_seconds(31);
    reached.http("an answer that is not kept", Rule::IdempotentAnswerLost, &admin, secret).await;
    let racing = racing(&admin, |round| keyed(&format!("race-{round}"), "racer")).await;
    reached.note("a request beside its own retry", Rule::IdempotentRequestRunning, &racing.json());
}

/// Sends the same request many times at once until one finds the other under way.
async fn racing(actor: &Actor, request: impl Fn(u32) -> Request) -> Answer {
    for round in 0..50 {
        let mut race = JoinSet::new();
        for _ in 0..16 {
            let (actor, request) = (actor.clone(), request(round));
            race.spawn(async move { actor.http(request).await });
        }
        let answers = race.join_all().await;
        if let Some(answer) = answers.into_iter().find(|answer| answer.status != 200) {
            return answer;
        }
    }
    panic!("sixteen requests at once never met")
}

/// What is wrong with workloads and those who vouch for them.
async fn issuers(server: &TestServer, reached: &mut Reached) {
    let exchange = async |issuer: &Issuer, subject: &str| {
        let rule = json!({"issuer": issuer.url, "subject": "robot"});
        let path = format!("/iam/v2beta1/identities/{}", server.organization());
        let identity = made(&server.admin(), path, json!({"name": "robot", "claimMatch": rule})).await;
        let now = server.clock().now().0 / 1000;
        let claims = json!({"iss": issuer.url, "sub": subject, "aud": server.base_url(), "iat": now, "exp": now + 600});
        let request = Request::new(Method::POST, format!("/sts/exchange?identity={}", uid(&identity)));
        server.bearer(&issuer.sign(&claims)).http(request).await.json()
    };
    let honest = Issuer::start(Fault::None).await;
    reached.note("another subject", Rule::ClaimMismatch, &exchange(&honest, "somebody-else").await);
    let liar = Issuer::start(Fault::Lies).await;
    reached.note("an issuer with two names", Rule::IssuerNotAllowed, &exchange(&liar, "robot").await);
    let mut gone = Issuer::start(Fault::None).await;
    gone.stop();
    reached.note("an issuer that is down", Rule::IssuerUnavailable, &exchange(&gone, "robot").await);
}

/// What is wrong below the level of messages.
async fn wire(server: &TestServer, reached: &mut Reached) {
    let mut stream = TcpStream::connect(server.host()).await.expect("the port is open");
    stream.write_all(b"this is no HTTP\r\n\r\n").await.expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it is refused");
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    reached.note("no HTTP", Rule::Malformed, &serde_json::from_str(body).expect("the standard body"));

    let body = grpc(server, &[0xff; 9], "10S").await;
    reached.note("bytes that are no message", Rule::Protobuf, &body);
    let group = Group { name: "late".into(), ..Group::default() };
    let create = CreateGroupRequest { parent: server.organization().to_string(), group: Some(group) };
    let body = grpc(server, &create.encode_to_vec(), "1n").await;
    reached.note("a nanosecond for a write", Rule::Timeout, &body);
}

/// What is too much, or too slow. Strangers of one address have room for 65 requests with heads of 90 KB.
async fn shares(server: &TestServer, reached: &mut Reached) {
    let mut held = Vec::new();
    let (query, header) = ("a".repeat(60_000), "a".repeat(30_000));
    for _ in 0..70 {
        let mut stream = TcpStream::connect(server.host()).await.expect("the port is open");
        let request = format!("POST /sts/exchange?aud={query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-long: {header}\r\n");
        let request = format!("{request}content-length: 9\r\n\r\na");
        stream.write_all(request.as_bytes()).await.expect("it is sent");
        held.push(stream);
    }
    let answered = async |mut stream: TcpStream| {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("it is refused");
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
        serde_json::from_str::<Value>(&body).expect("the standard body")
    };
    let last = held.pop().expect("there are many");
    reached.note("a stranger too many", Rule::MemoryShare, &answered(last).await);
    reached.note("a body that does not go on", Rule::BodyTooSlow, &answered(held.remove(0)).await);
}

/// Calls `CreateGroup` with these bytes as the message and returns the status that comes back, as JSON. Written by hand:
/// a gRPC client sends no broken message, and gives up by itself when its deadline is over.
async fn grpc(server: &TestServer, message: &[u8], timeout: &str) -> Value {
    let frame = [&[0], &u32::try_from(message.len()).expect("it is short").to_be_bytes()[..], message].concat();
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().timeout(Duration::from_secs(20)).build();
    let url = format!("{}/chainguard.platform.iam.v2beta1.GroupsService/CreateGroup", server.base_url());
    let token = server.admin().token.expect("the owner has a token");
    let call = http2.expect("HTTP/2 can be set up").post(url).bearer_auth(token.expose()).body(frame);
    let answer = call.header("content-type", "application/grpc").header("grpc-timeout", timeout).send().await;
    let answer = answer.expect("the server answers");
    let details = answer.headers().get("grpc-status-details-bin").expect("a refusal has details");
    // Binary metadata comes without padding (gRPC over HTTP/2, "Responses").
    let details = STANDARD_NO_PAD.decode(details).expect("details are base64");
    let mut text = String::new();
    Status::decode(details.as_slice()).expect("details are a status").write_json(&mut text);
    serde_json::from_str(&text).expect("the JSON writer writes JSON")
}

/// What is wrong with a token. Last, because it moves the clock.
async fn tokens(server: &TestServer, reached: &mut Reached) {
    let get = || Request::get(groups(server.organization()));
    reached.http("no token", Rule::TokenMissing, &server.nobody(), get()).await;
    reached.http("nonsense", Rule::TokenInvalid, &server.bearer("nonsense"), get()).await;
    let robot = server.workload(server.organization(), "revoked", Some("viewer")).await;
    let gone = server.admin().http(Request::delete(format!("/iam/v2beta1/identities/{}", robot.uid()))).await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    reached.http("an identity that is gone", Rule::TokenRevoked, &robot, get()).await;
    let login = server.bearer(&server.mint("admin", server.base_url(), json!({})).await);
    let login = login.http(Request::post("/sts/exchange", &json!({}))).await.json();
    let session = server.bearer(login["refreshToken"].as_str().expect("a refresh token"));
    let renew = || Request::new(Method::POST, "/sts/exchange_refresh_token");
    assert_eq!(session.http(renew()).await.status, 200);
    server.clock().advance_seconds(3601);
    reached.http("after an hour", Rule::TokenExpired, &server.admin(), get()).await;
    reached.http("a refresh token that was used", Rule::RefreshTokenReused, &session, renew()).await;
}
