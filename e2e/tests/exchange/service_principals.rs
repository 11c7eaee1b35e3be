//! Identities that stand for parts of the hosted platform, whom nobody can prove to be.

use contract::chainguard::platform::{
    iam::v2beta1::{CreateIdentityRequest, Identity, ServicePrincipal, identity::Relationship, rpc::CreateIdentity},
    oidc::{ExchangeRequest, rpc::Exchange},
};
use domain::Clock as _;
use serde_json::json;
use testkit::{AwsPrincipal, Signing, scenario};

#[tokio::test]
async fn nobody_gets_a_token_for_one() {
    let transcript = scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let absent = format!("{org}/0123456789abcdef");
        s.name(&absent, "identity");
        let workload = s.server.mint("robot", s.server.base_url(), json!({})).await;
        let own = admin.token.clone().expect("a token").expose().to_owned();
        for number in 1..=13 {
            let part = ServicePrincipal::try_from(number).expect("a part of the platform");
            let relationship = Some(Relationship::ServicePrincipal(number));
            let identity = Identity { name: "part".into(), relationship, ..Identity::default() };
            let request = CreateIdentityRequest { parent: org.clone(), identity: Some(identity) };
            let uid = s.quietly::<CreateIdentity>(&admin, request).await.ok::<Identity>().uid;
            let signed = |uid: &str| {
                let signing = Signing::new(s.server.base_url(), uid, s.server.clock().now());
                AwsPrincipal::role("123456789012", "deploy", "i-0123").sign(&signing)
            };
            let tokens = |uid: &str| {
                [
                    ("a token of an issuer", workload.clone()),
                    ("a token of this server", own.clone()),
                    ("a request to AWS", signed(uid)),
                    ("garbage", "garbage".to_owned()),
                ]
            };
            for ((title, token), (_, same)) in tokens(&uid).into_iter().zip(tokens(&absent)) {
                let exchange = |identity: &str| ExchangeRequest { identity: identity.into(), ..ExchangeRequest::default() };
                let refused = s.quietly::<Exchange>(&s.server.bearer(&token), exchange(&uid)).await;
                let unknown = s.quietly::<Exchange>(&s.server.bearer(&same), exchange(&absent)).await;
                let text = |body: &serde_json::Value, uid: &str| body.to_string().replace(uid, "it");
                assert_eq!(
                    text(&refused.body, &uid),
                    text(&unknown.body, &absent),
                    "{part:?}, {title}: as of one that is not there"
                );
                if number == 1 {
                    s.transcript.step(title, &unknown);
                }
            }
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}
