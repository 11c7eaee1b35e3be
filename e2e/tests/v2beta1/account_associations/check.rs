use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use client::{Options, http::Request};
use contract::chainguard::platform::{
    iam::{
        AccountAssociationsCheckRequest, AccountAssociationsStatus,
        account_associations_check_request::AccountType,
        account_associations_status::State,
        rpc::Check,
        v2beta1::{
            AccountAssociation, AccountProviderType, CheckAccountAssociationRequest, CheckAccountAssociationResponse,
            CheckStatus, GetGroupRequest, Group,
            account_association::{Azure, Google},
            rpc::{CheckAccountAssociation, CreateAccountAssociation, CreateGroup, GetGroup, UpdateAccountAssociation},
        },
    },
    oidc::{ExchangeRequest, rpc::Exchange},
};
use domain::Clock as _;
use serde_json::{Value, json};
use testkit::{Actor, CREDENTIAL, Clouds, Mishap, Outcome, Scenario, Setup, scenario, scenario_on};

use super::{amazon, everywhere, named, new_association, update::update};
use crate::v2beta1::{absent, groups::new_group};

const ALL: [AccountProviderType; 3] = [AccountProviderType::Amazon, AccountProviderType::Google, AccountProviderType::Azure];

fn of(group: &str, provider: AccountProviderType) -> CheckAccountAssociationRequest {
    CheckAccountAssociationRequest { uid: group.into(), provider_type: provider.into() }
}

/// Clouds that trust what the server of this story says of the organization, which has accounts at all of them.
async fn begin(s: &mut Scenario, clouds: &Clouds) -> (Actor, String) {
    let (admin, org) = (s.server.admin(), s.server.organization().to_string());
    clouds.trust(s.server.base_url(), &format!("canary:{org}"));
    // What another playing of the story has sent.
    drop(clouds.received());
    s.name(&clouds.url, "clouds");
    s.quietly::<CreateAccountAssociation>(&admin, new_association(&org, everywhere())).await.ok::<AccountAssociation>();
    (admin, org)
}

fn on(clouds: &Clouds) -> Setup {
    Setup { outbound: clouds.outbound(), ..Setup::default() }
}

fn is_ready(outcome: &Outcome) -> bool {
    outcome.clone().ok::<CheckAccountAssociationResponse>().status() == CheckStatus::Ready
}

fn form(fields: &[(&str, &str)]) -> BTreeMap<String, String> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn credentials_are_really_exchanged() {
    let clouds = Clouds::start().await;
    let transcript = scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        for provider in ALL {
            let outcome = s.call::<CheckAccountAssociation>(&format!("{provider:?}"), &admin, of(&org, provider)).await;
            assert!(is_ready(&outcome), "{:#}", outcome.body);
        }
        let [aws, pool, account, azure] = <[_; 4]>::try_from(clouds.received()).expect("four requests");
        assert_eq!(aws.line, "POST /");
        let expected = [
            ("Action", "AssumeRoleWithWebIdentity"),
            ("Version", "2011-06-15"),
            ("RoleArn", "arn:aws:iam::123456789012:role/chainguard-canary"),
            ("RoleSessionName", "provost-check"),
            ("DurationSeconds", "900"),
        ];
        assert_eq!(aws.fields, form(&expected));

        assert_eq!(pool.line, "POST /v1/token");
        let audience = "//iam.googleapis.com/projects/415104041262/locations/global/workloadIdentityPools/chainguard-pool/providers/\
                        chainguard-provider";
        let expected = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("audience", audience),
            ("scope", "https://www.googleapis.com/auth/cloud-platform"),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
        ];
        assert_eq!(pool.fields, form(&expected));
        let path = "/v1/projects/-/serviceAccounts/chainguard-canary%40acme.iam.gserviceaccount.com:generateAccessToken";
        assert_eq!(account.line, format!("POST {path}"));
        assert_eq!(account.token, CREDENTIAL, "in the name of the pool's token");
        assert_eq!(
            account.fields,
            form(&[("scope", r#"["https://www.googleapis.com/auth/cloud-platform"]"#), ("lifetime", r#""300s""#)])
        );

        assert_eq!(azure.line, "POST /tenant/oauth2/v2.0/token");
        let expected = [
            ("grant_type", "client_credentials"),
            ("client_id", "client"),
            ("scope", "https://management.azure.com/.default"),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ];
        assert_eq!(azure.fields, form(&expected));

        let now = s.server.clock().now().seconds();
        for (request, audience) in [(aws, "amazon"), (pool, "google"), (azure, "azure")] {
            let mut claims = request.claims();
            let id = claims.as_object_mut().and_then(|claims| claims.remove("jti"));
            assert!(id.and_then(|id| id.as_str().map(str::len)) == Some(32));
            let expected =
                json!({"iss": s.server.base_url(), "sub": format!("canary:{org}"), "aud": audience, "iat": now, "exp": now + 300});
            assert_eq!(claims, expected);
            // At this server it opens nothing.
            let thief = s.server.bearer(&request.token);
            assert_eq!(s.quietly::<GetGroup>(&thief, GetGroupRequest { uid: org.clone() }).await.code, "UNAUTHENTICATED");
            for identity in [String::new(), s.server.admin_uid().to_string()] {
                let exchange = ExchangeRequest { identity, ..ExchangeRequest::default() };
                assert_eq!(s.quietly::<Exchange>(&thief, exchange).await.code, "UNAUTHENTICATED");
            }
        }
        // That it was tried is in the audit log, and nothing of what came of it.
        s.server.store().flush().await.expect("flushed");
        let mut reader = s.server.store().reader().await.expect("a reader");
        let entries = store::audit::newest(&mut reader, 20).await.expect("entries");
        let tried: Vec<_> = entries.iter().filter(|entry| entry.method.ends_with("/CheckAccountAssociation")).collect();
        assert_eq!(tried.len(), 3);
        assert!(tried.iter().all(|entry| entry.subject.as_ref() == Some(&org) && entry.outcome == "OK"), "{tried:#?}");
        assert!(!format!("{entries:?}").contains(CREDENTIAL));
    })
    .await;
    assert!(!transcript.contains(CREDENTIAL), "{transcript}");
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_group_is_let_into_its_own_accounts_alone() {
    let clouds = Clouds::start().await;
    let transcript = scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        s.name(&folder.uid, "folder");
        s.quietly::<CreateAccountAssociation>(&admin, new_association(&folder.uid, everywhere()))
            .await
            .ok::<AccountAssociation>();
        for provider in ALL {
            let title = format!("accounts of {provider:?} that trust another group");
            s.call::<CheckAccountAssociation>(&title, &admin, of(&folder.uid, provider)).await;
        }
        clouds.trust("https://issuer.example.com", &format!("canary:{org}"));
        s.call::<CheckAccountAssociation>("another issuer is trusted", &admin, of(&org, AccountProviderType::Amazon)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn says_what_is_missing() {
    let clouds = Clouds::start().await;
    let transcript = scenario_on(on(&clouds), async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<CheckAccountAssociation>("no association", &admin, of(&org, AccountProviderType::Amazon)).await;
        s.call::<CheckAccountAssociation>("no group", &admin, of(&absent(&org), AccountProviderType::Amazon)).await;
        s.quietly::<CreateAccountAssociation>(&admin, new_association(&org, named("none"))).await.ok::<AccountAssociation>();
        for provider in ALL {
            s.call::<CheckAccountAssociation>(&format!("no account at {provider:?}"), &admin, of(&org, provider)).await;
        }
        s.call::<CheckAccountAssociation>("no provider", &admin, of(&org, AccountProviderType::Unspecified)).await;
        let unknown = CheckAccountAssociationRequest { uid: org.clone(), provider_type: 4 };
        s.call::<CheckAccountAssociation>("an unknown provider", &admin, unknown).await;
        s.call::<CheckAccountAssociation>("no identifier", &admin, of("nonsense", AccountProviderType::Amazon)).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        s.call_with::<CheckAccountAssociation>("a rehearsal", &admin, of(&org, AccountProviderType::Amazon), &rehearsal).await;

        let several = Azure {
            tenant_id: "tenant".into(),
            client_ids: [("a", "1"), ("b", "2")].map(|(name, id)| (name.to_owned(), id.to_owned())).into(),
        };
        let several = AccountAssociation { azure: Some(several), ..named("several") };
        s.quietly::<UpdateAccountAssociation>(&admin, update(&org, several, &["*"])).await.ok::<AccountAssociation>();
        let title = "several app registrations, and none for checks";
        s.call::<CheckAccountAssociation>(title, &admin, of(&org, AccountProviderType::Azure)).await;
        assert_eq!(clouds.received().len(), 0, "no cloud is asked for any of that");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// Identifiers at clouds are whatever callers write. The host that is asked is the operator's, and the path has one segment for them.
#[tokio::test]
async fn identifiers_lead_nowhere_else() {
    let clouds = Clouds::start().await;
    scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        for (text, written) in [
            ("..", None),
            (".", None),
            ("../../other", Some("..%2F..%2Fother")),
            ("a/b?c#d", Some("a%2Fb%3Fc%23d")),
            ("@169.254.169.254", Some("%40169.254.169.254")),
            ("%2e%2e", Some("%252e%252e")),
            ("a Host: b", Some("a%20Host%3A%20b")),
            ("\\\\evil", Some("%5C%5Cevil")),
            ("ü", Some("%C3%BC")),
        ] {
            let wish = AccountAssociation {
                azure: Some(Azure { tenant_id: text.into(), client_ids: [("canary".into(), "a&b=c".into())].into() }),
                google: Some(Google { project_id: text.into(), project_number: text.into() }),
                ..named("odd")
            };
            let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "odd")).await.ok();
            s.quietly::<CreateAccountAssociation>(&admin, new_association(&folder.uid, wish)).await.ok::<AccountAssociation>();
            clouds.trust(s.server.base_url(), &format!("canary:{}", folder.uid));
            let azure = s.quietly::<CheckAccountAssociation>(&admin, of(&folder.uid, AccountProviderType::Azure)).await;
            let google = s.quietly::<CheckAccountAssociation>(&admin, of(&folder.uid, AccountProviderType::Google)).await;
            let received = clouds.received();
            let lines: Vec<_> = received.iter().map(|request| request.line.clone()).collect();
            let Some(written) = written else {
                for outcome in [azure, google] {
                    assert_eq!(outcome.body["reason"], "not configured", "{text}: {:#}", outcome.body);
                }
                assert!(lines.is_empty(), "{lines:?}");
                continue;
            };
            assert!(is_ready(&azure) && is_ready(&google), "{text}: {:#}{:#}", azure.body, google.body);
            let email = format!("chainguard-canary%40{written}.iam.gserviceaccount.com");
            let expected = [
                format!("POST /{written}/oauth2/v2.0/token"),
                "POST /v1/token".to_owned(),
                format!("POST /v1/projects/-/serviceAccounts/{email}:generateAccessToken"),
            ];
            assert_eq!(lines, expected);
            assert_eq!(received[0].fields["client_id"], "a&b=c");
            assert!(received[1].fields["audience"].starts_with(&format!("//iam.googleapis.com/projects/{written}/locations/")));
        }
    })
    .await;
}

#[tokio::test]
async fn whatever_a_cloud_does_is_an_answer() {
    let clouds = Clouds::start().await;
    let transcript = scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        for (index, mishap) in
            [Mishap::Huge, Mishap::Redirects, Mishap::Garbage, Mishap::Throttles, Mishap::Fails, Mishap::Expired, Mishap::Silent]
                .into_iter()
                .enumerate()
        {
            // Another group for each: one may not try that often.
            let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, &format!("team-{index}"))).await.ok();
            s.quietly::<CreateAccountAssociation>(&admin, new_association(&folder.uid, everywhere()))
                .await
                .ok::<AccountAssociation>();
            clouds.suffer(mishap);
            let from = Instant::now();
            for provider in ALL {
                let title = format!("{mishap:?}, {provider:?}");
                s.call::<CheckAccountAssociation>(&title, &admin, of(&folder.uid, provider)).await;
            }
            assert!(from.elapsed() < Duration::from_mins(1), "{mishap:?} took {:?}", from.elapsed());
        }
        clouds.suffer(Mishap::None);
        assert!(is_ready(&s.quietly::<CheckAccountAssociation>(&admin, of(&org, AccountProviderType::Amazon)).await));
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_cloud_that_is_gone_is_told_without_its_address() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.quietly::<CreateAccountAssociation>(&admin, new_association(&org, everywhere())).await.ok::<AccountAssociation>();
        for provider in ALL {
            s.call::<CheckAccountAssociation>(&format!("{provider:?}"), &admin, of(&org, provider)).await;
        }
    })
    .await;
    assert!(!transcript.contains("127.0.0.1"), "{transcript}");
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn nobody_makes_the_server_hammer_a_cloud() {
    let clouds = Clouds::start().await;
    scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        let check =
            async |group: &str| s.quietly::<CheckAccountAssociation>(&admin, of(group, AccountProviderType::Amazon)).await;
        let many: Vec<_> = futures::future::join_all((0..10).map(|_| check(&org))).await;
        let ready = many.iter().filter(|outcome| outcome.code == "OK").count();
        assert!((5..=6).contains(&ready), "{ready} of one group");
        let refused = many.iter().find(|outcome| outcome.code == "RESOURCE_EXHAUSTED").expect("one is refused");
        assert_eq!(refused.body["details"][0]["metadata"]["rule"], "ORGANIZATION_BUSY", "{:#}", refused.body);
        assert!(refused.body["message"].as_str().is_some_and(|message| message.contains("checked too often; retry in")));
        assert!(refused.body.to_string().contains("RetryInfo"), "{:#}", refused.body);
        assert_eq!(clouds.received().len(), ready, "what is refused asks nobody");

        // Another cloud is asked all the same, and so is another organization for itself, but not the same one for more and more groups.
        let google = s.quietly::<CheckAccountAssociation>(&admin, of(&org, AccountProviderType::Google)).await;
        assert!(is_ready(&google), "{:#}", google.body);
        let mut refused = 0;
        for number in 0..8 {
            let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, &format!("team-{number}"))).await.ok();
            s.quietly::<CreateAccountAssociation>(&admin, new_association(&folder.uid, everywhere()))
                .await
                .ok::<AccountAssociation>();
            for _ in 0..5 {
                refused += usize::from(check(&folder.uid).await.code == "RESOURCE_EXHAUSTED");
            }
        }
        assert!(refused > 0, "an organization is more than its groups");
        let stranger = s.server.stranger().await;
        let elsewhere = stranger.identity.clone().and_then(|identity| identity.parent()).expect("a group").to_string();
        s.quietly::<CreateAccountAssociation>(&stranger, new_association(&elsewhere, everywhere()))
            .await
            .ok::<AccountAssociation>();
        let other = s.quietly::<CheckAccountAssociation>(&stranger, of(&elsewhere, AccountProviderType::Amazon)).await;
        assert_eq!((other.code.as_str(), &other.body["reason"]), ("OK", &Value::from("error exchanging credentials")));
    })
    .await;
}

#[tokio::test]
async fn needs_the_capability_at_the_group() {
    let clouds = Clouds::start().await;
    scenario_on(on(&clouds), async |s| {
        let (_, org) = begin(s, &clouds).await;
        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        assert!(is_ready(&s.quietly::<CheckAccountAssociation>(&viewer, of(&org, AccountProviderType::Amazon)).await));
        let before = clouds.received().len();
        let pusher = s.server.workload(s.server.organization(), "pusher", Some("apk.pull")).await;
        for (actor, code) in [
            (s.server.stranger().await, "PERMISSION_DENIED"),
            (pusher, "PERMISSION_DENIED"),
            (s.server.nobody(), "UNAUTHENTICATED"),
        ] {
            assert_eq!(s.quietly::<CheckAccountAssociation>(&actor, of(&org, AccountProviderType::Amazon)).await.code, code);
        }
        assert_eq!((before, clouds.received().len()), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn v1_is_told_the_same() {
    let clouds = Clouds::start().await;
    let transcript = scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        let of = |provider: AccountType| AccountAssociationsCheckRequest { group: org.clone(), account_type: provider.into() };
        for provider in [AccountType::Amazon, AccountType::Google, AccountType::Azure] {
            let outcome = s.call::<Check>(&format!("{provider:?}"), &admin, of(provider)).await;
            assert_eq!(outcome.ok::<AccountAssociationsStatus>().ready(), State::Ready);
        }
        clouds.trust(s.server.base_url(), "canary:somebody-else");
        s.call::<Check>("not trusted", &admin, of(AccountType::Google)).await;
        s.call::<Check>("no provider", &admin, of(AccountType::Unknown)).await;
        let only = AccountAssociation { amazon: Some(amazon("210987654321")), ..named("one") };
        s.quietly::<UpdateAccountAssociation>(&admin, update(&org, only, &["*"])).await.ok::<AccountAssociation>();
        s.call::<Check>("no account there", &admin, of(AccountType::Azure)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// The path of the contract, as HTTP writes it.
#[tokio::test]
async fn has_a_verb_of_its_own_in_the_path() {
    let clouds = Clouds::start().await;
    scenario_on(on(&clouds), async |s| {
        let (admin, org) = begin(s, &clouds).await;
        let path = format!("/iam/v2beta1/accountAssociations/{org}:checkAccountAssociation");
        let answer = admin.http(Request::post(path, &json!({"providerType": "ACCOUNT_PROVIDER_TYPE_AMAZON"}))).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()),
            (200, json!({"status": "CHECK_STATUS_READY", "reason": "", "message": ""}))
        );
        let answer =
            admin.http(Request::post(format!("/iam/v1/account_associations/{org}:check"), &json!({"accountType": 3}))).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["ready"]), (200, &json!("Ready")));
    })
    .await;
}
