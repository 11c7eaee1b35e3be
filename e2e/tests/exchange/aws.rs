//! Workloads on AWS, who prove themselves by a request that they have signed.

use std::time::{Duration, Instant};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateIdentityRequest, Identity,
        identity::{
            AwsIdentity, ClaimMatch, Relationship,
            aws_identity::{AwsArn, AwsUserId},
            claim_match::{Iss, Sub},
        },
        rpc::CreateIdentity,
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
};
use domain::Clock;
use serde_json::{Value, json};
use server::settings::Outbound;
use testkit::{AwsPrincipal, AwsSts, Mishap, Outcome, Scenario, Setup, Signing, scenario_on};

const ACCOUNT: &str = "123456789012";

/// AWS, and what its `deploy` role is.
async fn aws() -> (AwsSts, AwsPrincipal, Setup) {
    let deploy = AwsPrincipal::role(ACCOUNT, "deploy", "i-0123");
    let strangers = [AwsPrincipal::role(ACCOUNT, "other", "i-0123"), AwsPrincipal::role("210987654321", "deployer", "i-0123")];
    let sts = AwsSts::start([deploy.clone()].into_iter().chain(strangers).collect()).await;
    let outbound = Outbound { aws_sts_url: sts.url.clone(), timeout: Duration::from_secs(3), ..Setup::default().outbound };
    let setup = Setup { outbound, ..Setup::default() };
    (sts, deploy, setup)
}

async fn register(s: &Scenario, relationship: Relationship) -> String {
    let identity = Identity { name: "robot".into(), relationship: Some(relationship), ..Identity::default() };
    let parent = s.server.organization().to_string();
    let request = CreateIdentityRequest { parent, identity: Some(identity) };
    s.quietly::<CreateIdentity>(&s.server.admin(), request).await.ok::<Identity>().uid
}

fn rule(arn: AwsArn, user_id: AwsUserId) -> Relationship {
    Relationship::AwsIdentity(AwsIdentity { aws_account: ACCOUNT.into(), aws_arn: Some(arn), aws_user_id: Some(user_id) })
}

fn exactly(principal: &AwsPrincipal) -> Relationship {
    rule(AwsArn::Arn(principal.arn.clone()), AwsUserId::UserId(principal.user_id.clone()))
}

async fn exchange(s: &Scenario, identity: &str, token: &str) -> Outcome {
    let request = ExchangeRequest { identity: identity.to_owned(), ..ExchangeRequest::default() };
    s.quietly::<Exchange>(&s.server.bearer(token), request).await
}

/// What the principal signs for this identity at this server now.
fn signing(s: &Scenario, identity: &str) -> Signing {
    Signing::new(s.server.base_url(), identity, s.server.clock().now())
}

fn claims(outcome: &Outcome) -> Value {
    let token = outcome.ok::<RawToken>().token;
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).expect("a payload")).expect("base64url");
    serde_json::from_slice(&payload).expect("JSON")
}

#[tokio::test]
async fn a_principal_is_whom_aws_says_that_it_is() {
    let (sts, deploy, setup) = aws().await;
    scenario_on(setup, async |s| {
        let identity = register(s, exactly(&deploy)).await;
        let before = sts.received().len();
        let issued = claims(&exchange(s, &identity, &deploy.sign(&signing(s, &identity))).await);
        assert_eq!(issued["sub"], json!(identity));
        let act = json!({
            "iss": "https://sts.amazonaws.com", "sub": deploy.arn, "aud": s.server.base_url(),
            "aws-acct": ACCOUNT, "aws-arn": deploy.arn,
        });
        assert_eq!(issued["act"], act);

        // What AWS was sent is what was signed, and nothing of what came beside it.
        let sent = sts.received().split_off(before);
        let names: Vec<_> = sent.iter().flat_map(|headers| headers.keys().map(String::as_str)).collect();
        let signed = ["accept", "authorization", "chainguard-audience", "chainguard-identity", "content-length", "host"];
        assert_eq!(names, [&signed[..], &["user-agent", "x-amz-date", "x-amz-security-token"]].concat());
        assert!(sent[0]["user-agent"].starts_with("provost/"), "the sender's, as that header is not signed");

        // Patterns stand for the whole of a name, and it may be used again while AWS takes it.
        let pattern = AwsArn::ArnPattern(format!("arn:aws:sts::{ACCOUNT}:assumed-role/deploy/i-[0-9]+"));
        let fleet = register(s, rule(pattern, AwsUserId::UserIdPattern("AROADEPLOY:.+".into()))).await;
        let token = deploy.sign(&signing(s, &fleet));
        for seconds in [0, 899] {
            s.server.clock().advance_seconds(seconds);
            assert_eq!(exchange(s, &fleet, &token).await.code, "OK", "after {seconds} more seconds");
        }
        s.server.clock().advance_seconds(1);
        assert_eq!(exchange(s, &fleet, &token).await.code, "UNAUTHENTICATED", "after a quarter of an hour");

        // The host name of the issuer stands for it, too, and libraries that sign more than that are understood.
        let host = s.server.host().split(':').next().unwrap_or_default().to_owned();
        let signing = signing(s, &fleet)
            .with("Chainguard-Audience", Some(&host))
            .with("User-Agent", Some("Boto3/1.40   md/x"))
            .with("Content-Length", Some("0"));
        let signing = Signing { unsigned: Vec::new(), ..signing };
        assert_eq!(exchange(s, &fleet, &deploy.sign(&signing)).await.code, "OK");
    })
    .await;
}

#[tokio::test]
async fn what_is_not_signed_for_this_identity_here_and_now_is_refused() {
    let (sts, deploy, setup) = aws().await;
    let other = AwsPrincipal::role(ACCOUNT, "other", "i-0123");
    let transcript = scenario_on(setup, async |s| {
        let identity = register(s, exactly(&deploy)).await;
        s.name(&identity, "identity");
        let good = signing(s, &identity);
        let now = good.at;
        let at = |seconds: i64| Signing { at: now.plus_seconds(seconds), ..good.clone() };
        let forger = AwsPrincipal { secret: "guessed".into(), ..deploy.clone() };
        let no_session = AwsPrincipal { session_token: None, ..deploy.clone() };
        let unsigned = |name: &str| {
            let (unsigned, signing) = (good.headers.iter().find(|(n, _)| n == name).cloned(), good.clone().with(name, None));
            Signing { unsigned: unsigned.into_iter().chain(signing.unsigned.clone()).collect(), ..signing }
        };
        let twice = Signing { unsigned: vec![("chainguard-identity".to_owned(), "another".to_owned())], ..good.clone() };
        let asked = sts.received().len();
        for (title, token) in [
            ("for another server", deploy.sign(&good.clone().with("Chainguard-Audience", Some("https://other.example")))),
            ("for another identity", deploy.sign(&good.clone().with("Chainguard-Identity", Some(s.server.admin_uid().as_str())))),
            ("for nobody's identity", deploy.sign(&good.clone().with("Chainguard-Identity", None))),
            ("with the audience unsigned", deploy.sign(&unsigned("Chainguard-Audience"))),
            ("with the identity unsigned", deploy.sign(&unsigned("Chainguard-Identity"))),
            ("with the identity twice", deploy.sign(&twice)),
            ("to another host", deploy.sign(&good.clone().with("Host", Some("sts.evil.example")))),
            ("with a header that is not sent on", deploy.sign(&good.clone().with("Connection", Some("upgrade")))),
            (
                "another request",
                deploy.sign(&Signing { line: good.line.replace("GetCallerIdentity", "GetSessionToken"), ..good.clone() }),
            ),
            ("too late", deploy.sign(&at(-901))),
            ("too early", deploy.sign(&at(301))),
        ] {
            let outcome = exchange(s, &identity, &token).await;
            s.transcript.step(title, &outcome);
        }
        assert_eq!(sts.received().len(), asked, "AWS is not asked for what says itself that it is not for this server");
        for (title, token) in [
            ("a guessed secret", forger.sign(&good)),
            ("without the session's token", no_session.sign(&good)),
            ("another role", other.sign(&good)),
            ("another account", AwsPrincipal::role("210987654321", "deployer", "i-0123").sign(&good)),
        ] {
            let outcome = exchange(s, &identity, &token).await;
            s.transcript.step(title, &outcome);
        }
        assert_eq!(sts.received().len(), asked + 4);
        let renamed = register(s, rule(AwsArn::Arn(deploy.arn.clone()), AwsUserId::UserId("AROAOLD:i-0123".into()))).await;
        s.name(&renamed, "renamed");
        let outcome = exchange(s, &renamed, &deploy.sign(&signing(s, &renamed))).await;
        s.transcript.step("a role that was made again under its old name", &outcome);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// Who has nothing to show learns nothing of identities.
#[tokio::test]
async fn nobody_learns_by_guessing_what_an_identity_is() {
    let (sts, deploy, setup) = aws().await;
    let transcript = scenario_on(setup, async |s| {
        let aws = register(s, exactly(&deploy)).await;
        let rule = ClaimMatch {
            iss: Some(Iss::Issuer("https://issuer.example.com".into())),
            sub: Some(Sub::Subject("robot".into())),
            ..ClaimMatch::default()
        };
        let workload = register(s, Relationship::ClaimMatch(rule)).await;
        let nobody = format!("{}/0123456789abcdef", s.server.organization());
        let asked = sts.received().len();
        for identity in [&aws, &workload, &nobody] {
            s.name(identity, "identity");
        }
        let jwt = format!(
            "{}.{}.AA",
            URL_SAFE_NO_PAD.encode(r#"{"alg":"ES256"}"#),
            URL_SAFE_NO_PAD.encode(r#"{"iss":"https://a.example"}"#)
        );
        let same = [
            ("garbage", vec![&aws, &workload, &nobody], None),
            ("a token of an issuer that it does not name", vec![&aws, &workload, &nobody], Some(jwt)),
            ("a request for it that somebody has signed", vec![&workload, &nobody], Some(String::new())),
        ];
        for (title, identities, token) in same {
            let mut answers = Vec::new();
            for identity in identities {
                let token = match token.as_deref() {
                    None => "garbage".to_owned(),
                    Some("") => deploy.sign(&signing(s, identity)),
                    Some(token) => token.to_owned(),
                };
                let outcome = exchange(s, identity, &token).await;
                answers.push((outcome.code.clone(), outcome.body.to_string().replace(identity.as_str(), "<identity>")));
                if answers.len() == 1 {
                    s.transcript.step(title, &outcome);
                }
            }
            assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{title}: {answers:#?}");
        }
        assert_eq!(sts.received().len(), asked, "AWS is asked for its principals alone");
        let outcome = exchange(s, "", &deploy.sign(&signing(s, &aws))).await;
        s.transcript.step("a request without naming the identity", &outcome);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn nothing_of_what_aws_does_gets_anybody_in() {
    let (sts, deploy, setup) = aws().await;
    let transcript = scenario_on(setup, async |s| {
        let identity = register(s, exactly(&deploy)).await;
        for mishap in [Mishap::Huge, Mishap::Redirects, Mishap::Garbage, Mishap::Throttles, Mishap::Fails, Mishap::Expired] {
            sts.suffer(mishap);
            let outcome = exchange(s, &identity, &deploy.sign(&signing(s, &identity))).await;
            s.transcript.step(&format!("{mishap:?}"), &outcome);
            assert!(!outcome.body.to_string().contains("what AWS says"), "{}", outcome.body);
        }
        sts.suffer(Mishap::None);
        assert_eq!(exchange(s, &identity, &deploy.sign(&signing(s, &identity))).await.code, "OK");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// Whoever makes this server wait for AWS has half of its turns, and waits for seconds.
#[tokio::test]
async fn a_silent_aws_costs_seconds_and_bounded_connections() {
    let (sts, deploy, setup) = aws().await;
    scenario_on(setup, async |s| {
        sts.suffer(Mishap::Silent);
        let (identity, before, from) = (register(s, exactly(&deploy)).await, sts.received().len(), Instant::now());
        let token = deploy.sign(&signing(s, &identity));
        let story: &Scenario = s;
        let outcomes = futures::future::join_all((0..90).map(|_| exchange(story, &identity, &token))).await;
        let count = |code: &str| outcomes.iter().filter(|outcome| outcome.code == code).count();
        assert_eq!(count("UNAVAILABLE") + count("RESOURCE_EXHAUSTED"), 90);
        assert!(count("UNAVAILABLE") >= 16, "those whose turn it was");
        assert!(count("RESOURCE_EXHAUSTED") >= 10, "more than may wait");
        assert!(from.elapsed() < Duration::from_mins(1), "gave up after {:?}", from.elapsed());
        assert!(sts.received().len() - before <= 32, "no more than half of the places at a time");
        sts.suffer(Mishap::None);
        assert_eq!(exchange(s, &identity, &token).await.code, "OK", "and goes on at once when AWS does");
    })
    .await;
}

#[tokio::test]
async fn requests_are_as_long_as_tokens_may_be() {
    let (_sts, deploy, setup) = aws().await;
    scenario_on(setup, async |s| {
        let identity = register(s, exactly(&deploy)).await;
        let long = Signing { unsigned: vec![("X-Long".to_owned(), "x".repeat(13_000))], ..signing(s, &identity) };
        let outcome = exchange(s, &identity, &deploy.sign(&long)).await;
        assert_eq!(outcome.code, "UNAUTHENTICATED");
        assert!(outcome.body["message"].as_str().is_some_and(|message| message.contains("16384 bytes")), "{}", outcome.body);
    })
    .await;
}
