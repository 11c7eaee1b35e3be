//! Which claims of a workload's token are accepted.

use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateIdentityRequest, Identity, UpdateIdentityRequest,
        identity::{
            ClaimMatch, Relationship,
            claim_match::{Aud, Iss, Sub},
        },
        rpc::{CreateIdentity, UpdateIdentity},
    },
    oidc::{ExchangeRequest, rpc::Exchange},
};
use contract::prost_types::FieldMask;
use domain::iam::identity::user_uid;
use serde_json::{Value, json};
use testkit::{Scenario, scenario};

/// A rule that accepts subject `robot` of the development issuer.
fn robot(s: &Scenario) -> ClaimMatch {
    ClaimMatch { iss: Some(Iss::Issuer(s.server.issuer())), sub: Some(Sub::Subject("robot".into())), ..ClaimMatch::default() }
}

fn named(rule: ClaimMatch) -> Identity {
    Identity { name: "robot".into(), relationship: Some(Relationship::ClaimMatch(rule)), ..Identity::default() }
}

/// Exchanges a token with these claims and writes down whether that worked and why not.
async fn attempt(s: &mut Scenario, title: &str, identity: &str, subject: &str, audience: &str, claims: Value) {
    let upstream = s.server.mint(subject, audience, claims).await;
    let caller = s.server.bearer(&upstream);
    let request = ExchangeRequest { identity: identity.into(), ..ExchangeRequest::default() };
    let outcome = s.quietly::<Exchange>(&caller, request).await;
    if outcome.code == "OK" {
        let keys: Vec<_> = outcome.body.as_object().map(|body| body.keys().cloned().collect()).unwrap_or_default();
        s.transcript.line(&format!("# {title}\nOK {}\n", keys.join(" ")));
    } else {
        let message = outcome.body["message"].as_str().unwrap_or_default();
        s.transcript.line(&format!("# {title}\n{} {message}\n", outcome.code));
    }
}

#[tokio::test]
async fn literals_patterns_and_custom_claims_all_must_match() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (org, base) = (s.server.organization().to_string(), s.server.base_url().to_owned());
        let create = CreateIdentityRequest { parent: org, identity: Some(named(robot(s))) };
        let identity: Identity = s.quietly::<CreateIdentity>(&admin, create).await.ok();
        let uid = identity.uid.clone();
        attempt(s, "everything matches", &uid, "robot", &base, json!({})).await;
        attempt(s, "another subject", &uid, "other", &base, json!({})).await;
        attempt(s, "a subject that only begins alike", &uid, "robot2", &base, json!({})).await;
        attempt(s, "another audience", &uid, "robot", "https://elsewhere.example", json!({})).await;

        let update = async |s: &mut Scenario, rule: ClaimMatch| {
            let identity = Identity { uid: uid.clone(), ..named(rule) };
            let update_mask = Some(FieldMask { paths: vec!["*".into()] });
            let request = UpdateIdentityRequest { identity: Some(identity), update_mask };
            s.quietly::<UpdateIdentity>(&admin, request).await.ok::<Identity>();
        };
        let rule = ClaimMatch { aud: Some(Aud::Audience("build".into())), ..robot(s) };
        update(s, rule).await;
        attempt(s, "the audience that is asked for", &uid, "robot", "build", json!({})).await;
        attempt(s, "the default audience no longer", &uid, "robot", &base, json!({})).await;

        let rule = ClaimMatch {
            sub: Some(Sub::SubjectPattern("repo:org/[a-z]+:ref:.*".into())),
            claims: [("environment".to_owned(), "production".to_owned())].into(),
            claim_patterns: [("run".to_owned(), "[0-9]+".to_owned())].into(),
            ..robot(s)
        };
        update(s, rule).await;
        let good = json!({"environment": "production", "run": 17});
        attempt(s, "patterns and claims match", &uid, "repo:org/app:ref:main", &base, good.clone()).await;
        attempt(s, "patterns match as a whole", &uid, "x repo:org/app:ref:main", &base, good).await;
        attempt(s, "a missing claim", &uid, "repo:org/app:ref:main", &base, json!({"run": 17})).await;
        let wrong = json!({"environment": "staging", "run": 17});
        attempt(s, "a claim with another value", &uid, "repo:org/app:ref:main", &base, wrong).await;
        let wrong = json!({"environment": "production", "run": "17b"});
        attempt(s, "a claim that its pattern refuses", &uid, "repo:org/app:ref:main", &base, wrong).await;
        attempt(s, "an identity that does not exist", &format!("{}0", &uid[..uid.len() - 1]), "robot", &base, json!({})).await;
        attempt(s, "an identity that is no identifier", "nonsense", "robot", &base, json!({})).await;
        attempt(s, "an unregistered user", "", "stranger", &base, json!({})).await;
        attempt(s, "a registered user", "", "admin", &base, json!({})).await;
        s.name(user_uid(&s.server.issuer(), "stranger").as_str(), "stranger");
        s.name(uid, "robot");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
