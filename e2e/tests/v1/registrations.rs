//! Registration: people become users with the token of a login provider, join groups by invites, and leave again.

use contract::chainguard::platform::{
    auth::{
        DeletionRequest, RegistrationRequest, Session,
        rpc::{Delete, Register},
    },
    iam::v2beta1::{
        CreateIdentityProviderRequest, DeleteRoleRequest, GetGroupInviteRequest, GetIdentityRequest, GroupInvite, Identity,
        IdentityProvider, ListGroupsRequest, ListRoleBindingsRequest, ListRoleBindingsResponse, Role,
        identity_provider::{Configuration, Oidc},
        rpc::{
            CreateGroup, CreateGroupInvite, CreateIdentityProvider, CreateRole, DeleteRole, GetGroupInvite, GetIdentity,
            ListGroups, ListRoleBindings,
        },
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
};
use domain::{Clock as _, Revision, iam::identity::user_uid};
use serde_json::{Value, json};
use store::outbox;
use testkit::{Actor, Fault, Issuer, Outcome, Scenario, Transport, scenario};
use tokio::task::JoinSet;

use crate::v2beta1::{
    built_in,
    group_invites::{invite, new_invite},
    groups::new_group,
    roles::new_role,
};

fn with_code(code: &str) -> RegistrationRequest {
    RegistrationRequest { code: code.into(), ..RegistrationRequest::default() }
}

/// Somebody with a token of the development provider, which the server is configured with.
async fn person(s: &Scenario, subject: &str, claims: Value) -> Actor {
    s.server.bearer(&s.server.mint(subject, s.server.base_url(), claims).await)
}

async fn offer(s: &Scenario, wish: GroupInvite) -> GroupInvite {
    s.server.admin_again().await.must::<CreateGroupInvite>(new_invite(s.server.organization().as_str(), wish)).await
}

async fn bindings(s: &Scenario, identity: &str) -> usize {
    let request = ListRoleBindingsRequest { identity: identity.into(), ..ListRoleBindingsRequest::default() };
    let found: ListRoleBindingsResponse = s.quietly::<ListRoleBindings>(&s.server.admin_again().await, request).await.ok();
    found.role_bindings.len()
}

#[tokio::test]
async fn a_second_person_joins_and_leaves() {
    let transcript = scenario(async |s| {
        let org = s.server.organization().to_string();
        let made = offer(s, GroupInvite { single_use: true, ..invite("viewer", 3600) }).await;
        s.name(&made.key_id, "key");
        let bea = person(s, "bea", json!({"email": "Bea@example.com", "email_verified": true})).await;
        let uid = user_uid(&s.server.issuer(), "bea").to_string();
        s.name(&uid, "bea");
        s.call::<Exchange>("who is not there yet", &bea, ExchangeRequest::default()).await;
        s.call::<Register>("joins", &bea, with_code(&made.code)).await;
        let gone = s.quietly::<GetGroupInvite>(&s.server.admin(), GetGroupInviteRequest { uid: made.uid.clone() }).await;
        assert_eq!(gone.code, "NOT_FOUND", "it was for a single use");

        let token: RawToken = s.quietly::<Exchange>(&bea, ExchangeRequest::default()).await.ok();
        let inside = s.server.bearer(&token.token);
        let seen = s.quietly::<ListGroups>(&inside, ListGroupsRequest::default()).await;
        assert_eq!(seen.body["groups"][0]["uid"], org, "{:#}", seen.body);
        assert_eq!(bindings(s, &uid).await, 1);

        s.call::<Delete>("deletes somebody else", &inside, DeletionRequest { id: s.server.admin_uid().to_string() }).await;
        let wish = ExchangeRequest { cap: vec!["groups.list".into()], ..ExchangeRequest::default() };
        let narrowed: RawToken = s.quietly::<Exchange>(&bea, wish).await.ok();
        let narrowed = s.server.bearer(&narrowed.token);
        s.call::<Delete>("with a token that may do less", &narrowed, DeletionRequest { id: uid.clone() }).await;
        s.call::<Delete>("leaves", &inside, DeletionRequest { id: uid.clone() }).await;
        assert_eq!(bindings(s, &uid).await, 0);
        let after = s.quietly::<ListGroups>(&inside, ListGroupsRequest::default()).await;
        assert_eq!(after.code, "UNAUTHENTICATED", "{:#}", after.body);
        let robot = s.server.workload(s.server.organization(), "robot", None).await;
        // Its path over HTTP has no room for what is no user.
        let request = DeletionRequest { id: robot.uid().to_string() };
        assert_eq!(robot.call::<Delete>(Transport::Grpc, request).await.code, "PERMISSION_DENIED", "what is no user");

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.kind == "dev.chainguard.api.auth.registered.v1").collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].subject.as_str(), &told[0].group, &told[0].actor), ("", &org, &uid));
        assert_eq!(told[0].snapshot, format!(r#"{{"identity":"{uid}","group":"{org}"}}"#));
        assert_eq!(told[0].upstream.as_ref().map(|upstream| upstream.sub.as_str()), Some("bea"));
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn without_a_code_there_is_a_user_without_rights() {
    let transcript = scenario(async |s| {
        let claims = json!({"email": "cid@example.com", "email_verified": false});
        let cid = person(s, "cid", claims).await;
        let uid = user_uid(&s.server.issuer(), "cid").to_string();
        s.name(&uid, "cid");
        s.call::<Register>("registers", &cid, with_code("")).await;
        let first: Identity =
            s.quietly::<GetIdentity>(&s.server.operator().await, GetIdentityRequest { uid: uid.clone() }).await.ok();
        assert_eq!((first.email.as_str(), first.email_unverified.as_str()), ("", "cid@example.com"));
        assert_eq!(first.name, "cid-example.com");
        s.call::<Register>("and again", &cid, with_code("")).await;
        let again: Identity =
            s.quietly::<GetIdentity>(&s.server.operator().await, GetIdentityRequest { uid: uid.clone() }).await.ok();
        assert_eq!(first, again, "which changes nothing");
        let named = |uid: &str| RegistrationRequest { identity_id: uid.into(), ..RegistrationRequest::default() };
        assert_eq!(s.quietly::<Register>(&cid, named(&uid)).await.code, "OK", "as who it is");
        s.call::<Register>("as somebody else", &cid, named(s.server.admin_uid().as_str())).await;
        s.call::<Register>("as nobody", &cid, named("nonsense")).await;
        s.call::<Register>("with nonsense", &cid, with_code("nonsense")).await;
        assert_eq!(bindings(s, &uid).await, 0);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn tokens_of_others_register_nobody() {
    let transcript = scenario(async |s| {
        let nobody = s.server.nobody();
        s.call::<Register>("no token", &nobody, with_code("")).await;
        s.call::<Register>("one of ours", &s.server.admin(), with_code("")).await;
        s.call::<Register>("no token at all", &s.server.bearer("nonsense"), with_code("")).await;
        let elsewhere = s.server.bearer(&s.server.mint("dan", "https://elsewhere.example", json!({})).await);
        s.call::<Register>("for another audience", &elsewhere, with_code("")).await;
        let issuer = Issuer::start(Fault::None).await;
        let now = s.server.clock().now().0 / 1000;
        let claims = json!({"iss": issuer.url, "sub": "dan", "aud": s.server.base_url(), "iat": now, "exp": now + 600});
        s.call::<Register>("of an issuer that nobody has named", &s.server.bearer(&issuer.sign(&claims)), with_code("")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn an_invite_is_for_its_time_its_address_and_its_role() {
    let transcript = scenario(async |s| {
        let for_eve = offer(s, GroupInvite { email: "Eve@example.com".into(), ..invite("viewer", 3600) }).await;
        let mail = |email: &str, verified: bool| json!({"email": email, "email_verified": verified});
        for (title, subject, claims) in [
            ("without an address", "mallory", json!({})),
            ("with another one", "mallory", mail("mallory@example.com", true)),
            ("with one that nobody vouches for", "mallory", mail("eve@example.com", false)),
        ] {
            let mallory = person(s, subject, claims).await;
            s.call::<Register>(title, &mallory, with_code(&for_eve.code)).await;
        }
        let uid = user_uid(&s.server.issuer(), "mallory").to_string();
        let made = s.quietly::<GetIdentity>(&s.server.operator().await, GetIdentityRequest { uid }).await;
        assert_eq!(made.code, "NOT_FOUND", "all of it or nothing");
        let eve = person(s, "eve", mail("eve@EXAMPLE.com", true)).await;
        let uid = user_uid(&s.server.issuer(), "eve").to_string();
        for _ in 0..2 {
            assert_eq!(s.quietly::<Register>(&eve, with_code(&for_eve.code)).await.code, "OK");
        }
        assert_eq!(bindings(s, &uid).await, 1, "however often it is taken up");
        let once = offer(s, GroupInvite { single_use: true, ..invite("viewer", 3600) }).await;
        for expected in ["OK", "NOT_FOUND"] {
            let taken = s.quietly::<Register>(&eve, with_code(&once.code)).await;
            assert_eq!(taken.code, expected, "a single use, also by who has the role: {:#}", taken.body);
        }

        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&org, "short-lived", &["roles.list"])).await.ok();
        let offered = offer(s, GroupInvite { role_uid: role.uid.clone(), ..invite("viewer", 3600) }).await;
        s.name(&offered.uid, "offered");
        admin.must::<DeleteRole>(DeleteRoleRequest { uid: role.uid }).await;
        s.call::<Register>("for a role that is gone", &eve, with_code(&offered.code)).await;
        let unknown = format!("invite_{}_{}", "0".repeat(16), "0".repeat(64));
        s.call::<Register>("with a code that nobody was given", &eve, with_code(&unknown)).await;
        let (known, _) = for_eve.code.rsplit_once('_').expect("two parts");
        let guessed = s.quietly::<Register>(&eve, with_code(&format!("{known}_{}", "0".repeat(64)))).await;
        assert_eq!(guessed.code, "NOT_FOUND", "with the public part alone: {:#}", guessed.body);
        s.server.clock().advance_seconds(3600);
        let eve = person(s, "eve", mail("eve@example.com", true)).await;
        s.call::<Register>("in the moment of its end", &eve, with_code(&for_eve.code)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn of_many_at_once_one_takes_up_a_single_use() {
    scenario(async |s| {
        let made = offer(s, GroupInvite { single_use: true, ..invite("viewer", 3600) }).await;
        let mut people = Vec::new();
        for n in 0..8 {
            people.push(person(s, &format!("person-{n}"), json!({})).await);
        }
        let mut race = JoinSet::new();
        for someone in people {
            let (transport, request): (Transport, _) = (s.transport, with_code(&made.code));
            race.spawn(async move { someone.call::<Register>(transport, request).await });
        }
        let outcomes: Vec<Outcome> = race.join_all().await;
        let mut codes: Vec<_> = outcomes.iter().map(|outcome| outcome.code.as_str()).collect();
        codes.sort_unstable();
        assert_eq!(codes, [&["NOT_FOUND"; 7][..], &["OK"]].concat());
    })
    .await;
}

/// Tokens of an issuer for this client.
fn signed(s: &Scenario, issuer: &Issuer, client: &str, subject: &str) -> Actor {
    let now = s.server.clock().now().0 / 1000;
    let claims = json!({
        "iss": issuer.url, "sub": subject, "aud": client, "iat": now, "exp": now + 600,
        "email": format!("{subject}@example.com"), "email_verified": true,
    });
    s.server.bearer(&issuer.sign(&claims))
}

async fn login_of(s: &Scenario, organization: &str, issuer: &Issuer, client: &str) {
    let oidc = Oidc { issuer: issuer.url.clone(), client_id: client.into(), pkce_enabled: true, ..Oidc::default() };
    let provider = IdentityProvider {
        name: "login".into(),
        default_role: built_in("viewer"),
        configuration: Some(Configuration::Oidc(oidc)),
        ..IdentityProvider::default()
    };
    let request = CreateIdentityProviderRequest { parent: organization.into(), identity_provider: Some(provider) };
    s.server.admin().must::<CreateIdentityProvider>(request).await;
}

#[tokio::test]
async fn people_of_an_organizations_provider_are_believed_by_it_alone() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let other = admin.must::<CreateGroup>(new_group("", "other")).await.uid;
        let issuer = Issuer::start(Fault::None).await;
        s.name(&issuer.url, "issuer");
        login_of(s, &org, &issuer, "ours").await;
        login_of(s, &other, &issuer, "theirs").await;
        let uid = user_uid(&issuer.url, "flo").to_string();
        s.name(&uid, "flo");

        let flo = signed(s, &issuer, "ours", "flo");
        assert_eq!(s.quietly::<Register>(&flo, with_code("")).await.code, "OK");
        let made: Identity =
            s.quietly::<GetIdentity>(&s.server.operator().await, GetIdentityRequest { uid: uid.clone() }).await.ok();
        assert_eq!((made.email.as_str(), made.email_unverified.as_str()), ("", "flo@example.com"), "others need not believe it");
        assert_eq!(s.quietly::<Exchange>(&flo, ExchangeRequest::default()).await.code, "OK", "and may log in");

        // The same issuer, and somebody else's client.
        let taken = signed(s, &issuer, "theirs", "flo");
        s.call::<Exchange>("a token that another organization got", &taken, ExchangeRequest::default()).await;
        s.call::<Register>("registered with it", &taken, with_code("")).await;
        s.call::<Register>("a client of nobody", &signed(s, &issuer, "nobodys", "flo"), with_code("")).await;

        let addressed = |organization: &str| {
            let wish = GroupInvite { email: "flo@example.com".into(), ..invite("viewer", 3600) };
            admin.must::<CreateGroupInvite>(new_invite(organization, wish))
        };
        let (here, there) = (addressed(&org).await, addressed(&other).await);
        s.call::<Register>("an address that another provider vouches for", &flo, with_code(&there.code)).await;
        assert_eq!(s.quietly::<Register>(&flo, with_code(&here.code)).await.ok::<Session>().group, org);
        let anybody = admin.must::<CreateGroupInvite>(new_invite(&other, invite("viewer", 3600))).await;
        assert_eq!(s.quietly::<Register>(&flo, with_code(&anybody.code)).await.ok::<Session>().group, other);
    })
    .await;
    insta::assert_snapshot!(transcript);
}
