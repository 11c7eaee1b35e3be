//! What an exchange leaves in the log. A binary of its own: `tracing` remembers for the whole process who listens, and
//! other tests' threads would decide that nobody does.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod support;

use std::{
    io,
    sync::{Arc, Mutex},
};

use base64::{Engine, engine::general_purpose::URL_SAFE};
use domain::{
    Actor, Ctx, Uidp,
    iam::{
        AccountStatus, AzureTenant, CloudAccount, GoogleProject,
        identity::{AwsIdentity, Matcher, Relationship},
    },
    ports::TryAccount as _,
};
use serde_json::{Value, json};
use sts::{Clouds, Settings, Tokens};
use support::{
    p256,
    upstream::{changed, fitting, issuer, settings, sign},
    world::{NOW, US, World, claim_match, target},
};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

/// Collects what is logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const ARN: &str = "arn:aws:sts::123456789012:assumed-role/deploy/robot";
/// Of a request to AWS, it is what proves who has signed it.
const SIGNATURE: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// AWS, which names the same principal whatever it is sent.
async fn aws() -> MockServer {
    let server = MockServer::start().await;
    let result = json!({"Account": "123456789012", "Arn": ARN, "UserId": "AROA:robot"});
    let answer = json!({"GetCallerIdentityResponse": {"GetCallerIdentityResult": result}});
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_json(answer)).mount(&server).await;
    server
}

/// What clouds give away.
const CREDENTIAL: &str = "credential-of-a-cloud";

/// A cloud that gives away whatever it is asked for.
async fn cloud() -> MockServer {
    let server = MockServer::start().await;
    let credentials = format!(
        "<AccessKeyId>{CREDENTIAL}</AccessKeyId><SecretAccessKey>{CREDENTIAL}</SecretAccessKey><SessionToken>{CREDENTIAL}</SessionToken>"
    );
    let result =
        format!("<AssumeRoleWithWebIdentityResult><Credentials>{credentials}</Credentials></AssumeRoleWithWebIdentityResult>");
    let assumed = format!("<AssumeRoleWithWebIdentityResponse>{result}</AssumeRoleWithWebIdentityResponse>");
    Mock::given(path("/")).respond_with(ResponseTemplate::new(200).set_body_string(assumed)).mount(&server).await;
    let token = json!({"access_token": CREDENTIAL, "accessToken": CREDENTIAL});
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_json(token)).mount(&server).await;
    server
}

/// Tries an account at each cloud, and answers the tokens that the clouds were shown.
async fn check(world: &World, bearer: &str) -> Vec<String> {
    let cloud = cloud().await;
    let origin = || cloud.uri();
    let settings = Settings {
        aws_sts_url: origin(),
        google_sts_url: origin(),
        google_iam_credentials_url: origin(),
        azure_login_url: origin(),
        ..settings()
    };
    let clouds = Clouds::new(Tokens::new(Arc::clone(&world.settings), world.keys.clone()), &settings);
    let (caller, _) = world.authenticate(bearer, NOW).await.expect("a caller");
    let ctx = Ctx { actor: Actor::Caller(caller), ..world.ctx(bearer, NOW) };
    let project = GoogleProject { project_id: "acme".to_owned(), project_number: "7".to_owned() };
    let client_ids = [("canary".to_owned(), "client".to_owned())].into();
    let tenant = AzureTenant { tenant_id: "tenant".to_owned(), client_ids };
    for account in [CloudAccount::Amazon("123456789012"), CloudAccount::Google(&project), CloudAccount::Azure(&tenant)] {
        let status = clouds.try_account(&ctx, &world.organization, account).await.expect("an answer");
        assert_eq!(status, AccountStatus::Ready);
    }
    let received = cloud.received_requests().await.expect("recorded");
    let bodies = received.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned());
    let fields = bodies.flat_map(|body| url::form_urlencoded::parse(body.as_bytes()).into_owned().collect::<Vec<_>>());
    fields.map(|(_, value)| value).filter(|value| value.starts_with("eyJ")).collect()
}

/// A request to AWS for this identity.
fn request(identity: &Uidp) -> String {
    format!(
        "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1\r\nHost: sts.amazonaws.com\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=AKID/20270115/us-east-1/sts/aws4_request, \
         SignedHeaders=chainguard-audience;chainguard-identity;host;x-amz-date, Signature={SIGNATURE}\r\n\
         Chainguard-Audience: {US}\r\nChainguard-Identity: {identity}\r\nX-Amz-Date: 20270115T080000Z\r\n\r\n"
    )
}

#[tokio::test]
async fn every_exchange_is_one_event_without_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().json().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let aws = aws().await;
    let (world, key) = (World::new(Settings { aws_sts_url: aws.uri(), ..settings() }).await, p256());
    let server = issuer(&key).await;
    let identity = world.identity(claim_match(&server.uri(), "s")).await;
    let (good, bad) = (sign(&key, &fitting(&server.uri())), sign(&key, &changed(&fitting(&server.uri()), "sub", json!("t"))));
    let issued = world.exchange(&good, target(&identity)).await.expect("a token");
    world.exchange(&bad, target(&identity)).await.expect_err("refused");
    world.exchange("no token", target(&identity)).await.expect_err("refused");
    let relationship = AwsIdentity {
        account: "123456789012".to_owned(),
        arn: Matcher::Literal(ARN.to_owned()),
        user_id: Matcher::Pattern("AROA:.*".to_owned()),
    };
    let instance = world.identity(Relationship::AwsIdentity(relationship)).await;
    let signed = URL_SAFE.encode(request(&instance));
    let of_instance = world.exchange(&signed, target(&instance)).await.expect("a token");
    let shown = check(&world, issued.token.expose()).await;
    assert_eq!(shown.len(), 3, "{shown:?}");
    drop(guard);
    let text = String::from_utf8(log.0.lock().expect("a log").clone()).expect("UTF-8");
    let tokens = [good.as_str(), bad.as_str(), issued.token.expose()];
    for secret in tokens.into_iter().chain(shown.iter().map(String::as_str)) {
        for part in secret.split('.').skip(1) {
            assert!(!text.contains(part), "a token is in the log");
        }
    }
    for secret in [signed.as_str(), SIGNATURE, "AKID"] {
        assert!(!text.contains(secret), "a signed request is in the log");
    }
    assert!(!text.contains(CREDENTIAL), "what a cloud has given is in the log");
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fields: Vec<_> =
        events.into_iter().filter(|event| event["target"] == "exchange").map(|mut event| event["fields"].take()).collect();
    assert_eq!(fields.len(), 4);
    for (name, value) in [
        ("outcome", json!("OK")),
        ("identity", json!(identity.to_string())),
        ("issuer", json!(server.uri())),
        ("key_id", json!("k")),
        ("keys_from", json!("fetched")),
        ("algorithm", json!("ES256")),
        ("subject", json!("s")),
        ("token_id", json!(issued.token_id)),
    ] {
        assert_eq!(fields[0][name], value, "{name}");
    }
    assert_eq!((&fields[1]["outcome"], &fields[1]["mismatch"]), (&json!("CLAIM_MISMATCH"), &json!("sub")));
    assert_eq!(fields[1]["keys_from"], "cached");
    for (name, value) in [
        ("outcome", json!("OK")),
        ("identity", json!(instance.to_string())),
        ("issuer", json!("https://sts.amazonaws.com")),
        ("keys_from", json!("aws")),
        ("subject", json!(ARN)),
        ("token_id", json!(of_instance.token_id)),
    ] {
        assert_eq!(fields[3][name], value, "{name}");
    }
    assert_eq!((&fields[2]["outcome"], fields[2].get("issuer")), (&json!("TOKEN_INVALID"), None));
}
