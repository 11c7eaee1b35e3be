//! What users tell about themselves.

use client::Options;
use contract::chainguard::platform::{
    events::{self as v1, identity_metadata::OnboardingQuestions, rpc::UpdateMetadata},
    iam::v2beta1::{
        GetIdentityRequest, Identity, IdentityMetadata, UpdateIdentityMetadataRequest,
        rpc::{GetIdentity, UpdateIdentityMetadata},
    },
};
use testkit::{Transport, scenario};

use super::{groups::lookup::user, mask};

fn tell(metadata: IdentityMetadata, paths: &[&str]) -> UpdateIdentityMetadataRequest {
    UpdateIdentityMetadataRequest { identity_metadata: Some(metadata), update_mask: mask(paths) }
}

fn company(name: &str) -> IdentityMetadata {
    IdentityMetadata { company: name.into(), ..IdentityMetadata::default() }
}

#[tokio::test]
async fn users_tell_about_themselves() {
    let transcript = scenario(async |s| {
        let ana = user(s, "ana", "ana@example.com", true).await;
        let wish = IdentityMetadata {
            uid: s.server.admin_uid().to_string(),
            name: "somebody else".into(),
            company: "Acme".into(),
            updates_opt_in: true,
            job_title: "Shopkeeper".into(),
            utm_source: "a friend".into(),
            ..IdentityMetadata::default()
        };
        let told: IdentityMetadata = s.quietly::<UpdateIdentityMetadata>(&ana, tell(wish.clone(), &[])).await.ok();
        s.name(&told.uid, "ana");
        s.call::<UpdateIdentityMetadata>("the same again", &ana, tell(wish, &["*"])).await;
        let operator = s.server.operator().await;
        let identity: Identity = s.quietly::<GetIdentity>(&operator, GetIdentityRequest { uid: told.uid.clone() }).await.ok();
        assert_eq!(identity.company, "Acme", "the company is that of the identity");
        s.call::<UpdateIdentityMetadata>("one of them", &ana, tell(company("Acme Stores"), &["company"])).await;
        let questions =
            OnboardingQuestions { company_name: "Acme".into(), providers: vec!["aws".into()], ..OnboardingQuestions::default() };
        let old = v1::IdentityMetadata { onboarding_questions: Some(questions), ..v1::IdentityMetadata::default() };
        s.call::<UpdateMetadata>("v1 replaces all", &ana, old.clone()).await;
        let wish = IdentityMetadata { product: "images".into(), ..IdentityMetadata::default() };
        s.call::<UpdateIdentityMetadata>("what v1 alone knows stays", &ana, tell(wish, &["product"])).await;
        let again = v1::IdentityMetadata { updates_opt_in: true, ..v1::IdentityMetadata::default() };
        s.call::<UpdateMetadata>("v1 clears what is left out", &ana, again).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn what_is_wrong_is_told() {
    let transcript = scenario(async |s| {
        let ana = user(s, "ana", "ana@example.com", true).await;
        s.call::<UpdateIdentityMetadata>("nothing", &ana, UpdateIdentityMetadataRequest::default()).await;
        s.call::<UpdateIdentityMetadata>("an unknown path", &ana, tell(company("a"), &["employer"])).await;
        s.call::<UpdateIdentityMetadata>("too long", &ana, tell(company(&"a".repeat(256)), &["company"])).await;
        let questions = OnboardingQuestions { company_name: "a\nb".into(), ..OnboardingQuestions::default() };
        let old = v1::IdentityMetadata { onboarding_questions: Some(questions), ..v1::IdentityMetadata::default() };
        s.call::<UpdateMetadata>("two lines, in v1", &ana, old).await;
        let robot = s.server.workload(s.server.organization(), "robot", Some("owner")).await;
        s.call::<UpdateIdentityMetadata>("a workload", &robot, tell(company("a"), &[])).await;
        let operator = s.server.operator().await;
        s.call::<UpdateIdentityMetadata>("an operator", &operator, tell(company("a"), &[])).await;
        let nobody = s.quietly::<UpdateIdentityMetadata>(&s.server.nobody(), tell(company("a"), &[])).await;
        assert_eq!(nobody.code, "UNAUTHENTICATED");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn conditions_mean_what_they_mean_elsewhere() {
    scenario(async |s| {
        let ana = user(s, "ana", "ana@example.com", true).await;
        let under = |options: Options, name: &str| (options, tell(company(name), &["company"]));
        let (stale, wish) = under(Options { if_match: Some("\"0\"".into()), ..Options::default() }, "a");
        assert_eq!(s.quietly_with::<UpdateIdentityMetadata>(&ana, wish, &stale).await.code, "ABORTED");
        let (rehearsal, wish) = under(Options { validate_only: true, ..Options::default() }, "a");
        assert_eq!(s.quietly_with::<UpdateIdentityMetadata>(&ana, wish, &rehearsal).await.code, "OK");
        let first = s.quietly::<UpdateIdentityMetadata>(&ana, tell(IdentityMetadata::default(), &["product"])).await;
        assert_eq!(first.body["company"], "", "the rehearsal changed nothing");
        let (current, wish) = under(Options { if_match: first.etag, ..Options::default() }, "b");
        let done = s.quietly_with::<UpdateIdentityMetadata>(&ana, wish, &current).await;
        assert_eq!((done.code.as_str(), &done.body["company"]), ("OK", &"b".into()));
        let (keyed, wish) = under(Options { idempotency_key: Some("k".into()), ..Options::default() }, "c");
        let once = s.quietly_with::<UpdateIdentityMetadata>(&ana, wish.clone(), &keyed).await;
        assert_eq!(s.quietly_with::<UpdateIdentityMetadata>(&ana, wish, &keyed).await, once);
    })
    .await;
}

#[tokio::test]
async fn what_is_told_at_once_is_all_kept() {
    let server = testkit::TestServer::start().await;
    let admin = server.admin();
    let fields = ["company", "product", "job_title", "utm_term", "utm_medium", "utm_source"];
    let calls = fields.map(|field| {
        let admin = admin.clone();
        async move {
            let metadata = IdentityMetadata {
                company: "company".into(),
                product: "product".into(),
                job_title: "job_title".into(),
                utm_term: "utm_term".into(),
                utm_medium: "utm_medium".into(),
                utm_source: "utm_source".into(),
                ..IdentityMetadata::default()
            };
            loop {
                let told = admin.call::<UpdateIdentityMetadata>(Transport::Grpc, tell(metadata.clone(), &[field])).await;
                match told.code.as_str() {
                    "OK" => break,
                    code => assert_eq!(code, "ABORTED", "{:#}", told.body),
                }
            }
        }
    });
    futures::future::join_all(calls).await;
    let all = admin.call::<UpdateIdentityMetadata>(Transport::Grpc, tell(IdentityMetadata::default(), &["hubspot_utk"])).await;
    for field in ["company", "product", "jobTitle", "utmTerm", "utmMedium", "utmSource"] {
        assert_ne!(all.body[field], "", "{field}: {:#}", all.body);
    }
    server.stop().await;
}
