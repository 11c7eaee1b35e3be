//! What a refresh token renews.

use client::Options;
use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateGroupRequest, GetGroupRequest, Group, ListGroupsRequest,
        rpc::{CreateGroup, GetGroup, ListGroups},
    },
    oidc::{
        ExchangeRefreshTokenRequest, ExchangeRequest, RawToken, TokenPair,
        rpc::{Exchange, ExchangeRefreshToken},
    },
};
use domain::Clock as _;
use testkit::scenario;

use super::{both, inside, login, login_as, person, renew_to, renewed, rule};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn a_user_goes_on_without_the_login_provider() {
    scenario(async |s| {
        let get = GetGroupRequest { uid: s.server.organization().to_string() };
        let first = login(s).await;
        let now = s.server.clock().now().seconds();
        assert_eq!(inside(&first.refresh_token)["exp"], now + 7 * DAY);
        s.server.clock().advance_seconds(HOUR);
        let over = s.quietly::<GetGroup>(&s.server.bearer(&first.token), get.clone()).await;
        assert_eq!(rule(&over), ("UNAUTHENTICATED", "TOKEN_EXPIRED"));

        let pair: TokenPair = super::renew(s, &first.refresh_token).await.ok();
        let (token, next) = (pair.token.clone().expect("a token"), pair.refresh_token.clone().expect("a token"));
        assert_eq!(token.expiry.expect("its end").seconds, now + 2 * HOUR, "an hour, like any other");
        assert_eq!((token.refresh_token.as_str(), next.refresh_token.as_str()), ("", ""));
        let end = next.expiry.expect("its end").seconds;
        assert_eq!((end, inside(&next.token)["exp"].as_i64()), (now + HOUR + 7 * DAY, Some(end)));
        let (access, next) = both(pair);
        assert_eq!(s.quietly::<GetGroup>(&s.server.bearer(&access), get.clone()).await.code, "OK");
        assert_ne!(next, first.refresh_token);
        let (again, _) = renewed(s, &next).await;
        assert_eq!(s.quietly::<GetGroup>(&s.server.bearer(&again), get).await.code, "OK");
    })
    .await;
}

#[tokio::test]
async fn who_makes_an_organization_renews_and_owns_it() {
    scenario(async |s| {
        let first = login(s).await;
        let made = CreateGroupRequest { parent: String::new(), group: Some(Group { name: "new".into(), ..Group::default() }) };
        let made: Group = s.quietly::<CreateGroup>(&s.server.bearer(&first.token), made).await.ok();
        let (access, _) = renewed(s, &first.refresh_token).await;
        let get = GetGroupRequest { uid: made.uid };
        assert_eq!(s.quietly::<GetGroup>(&s.server.bearer(&access), get).await.code, "OK");
    })
    .await;
}

#[tokio::test]
async fn a_session_can_only_be_narrowed_and_stays_as_it_began() {
    let transcript = scenario(async |s| {
        let org = s.server.organization().to_string();
        let folder = CreateGroupRequest { parent: org.clone(), group: Some(Group { name: "in".into(), ..Group::default() }) };
        let folder: Group = s.quietly::<CreateGroup>(&s.server.admin(), folder).await.ok();
        s.name(&folder.uid, "folder");
        let caps = vec!["groups.list".to_owned(), "roles.list".to_owned()];
        let wish = ExchangeRequest { scopes: vec![org.clone()], cap: caps, ..ExchangeRequest::default() };
        let first = login_as(s, "admin", wish).await;

        let plain = ExchangeRefreshTokenRequest::default;
        let narrow = ExchangeRefreshTokenRequest { scopes: vec![folder.uid.clone()], cap: vec!["groups.list".into()], ..plain() };
        let (narrowed, next) = both(renew_to(s, &first.refresh_token, narrow).await.ok());
        let narrowed = s.server.bearer(&narrowed);
        s.call::<GetGroup>("inside", &narrowed, GetGroupRequest { uid: folder.uid.clone() }).await;
        s.call::<GetGroup>("outside", &narrowed, GetGroupRequest { uid: org.clone() }).await;
        let (whole, next) = renewed(s, &next).await;
        let whole = s.server.bearer(&whole);
        assert_eq!(s.quietly::<GetGroup>(&whole, GetGroupRequest { uid: org.clone() }).await.code, "OK");
        let make = CreateGroupRequest { parent: org.clone(), group: Some(Group { name: "no".into(), ..Group::default() }) };
        s.call::<CreateGroup>("beyond the session's capabilities", &whole, make).await;

        for (title, wish) in [
            ("more capabilities", ExchangeRefreshTokenRequest { cap: vec!["groups.create".into()], ..plain() }),
            ("another group", ExchangeRefreshTokenRequest { scopes: vec!["a".repeat(40)], ..plain() }),
            ("another audience", ExchangeRefreshTokenRequest { aud: vec![s.server.host()], ..plain() }),
            ("an audience of somebody else", ExchangeRefreshTokenRequest { aud: vec!["https://a.example".into()], ..plain() }),
            ("an unknown capability", ExchangeRefreshTokenRequest { cap: vec!["groups.fly".into()], ..plain() }),
        ] {
            let refused = renew_to(s, &next, wish).await;
            s.transcript.step(title, &refused);
        }
        renewed(s, &next).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn only_users_who_log_in_begin_a_session() {
    scenario(async |s| {
        let uid = s.server.workload(s.server.organization(), "robot", None).await.uid().to_string();
        let own = s.server.admin();
        let operator = s.server.operator().await;
        let (robot, admin) = (person(s, "robot").await, person(s, "admin").await);
        let targeted = |identity: &str| ExchangeRequest { identity: identity.to_owned(), ..ExchangeRequest::default() };
        for (what, who, request) in [
            ("a workload", &robot, targeted(&uid)),
            ("a user by name", &admin, targeted(s.server.admin_uid().as_str())),
            ("one of our own tokens", &own, ExchangeRequest::default()),
            ("an operator", &operator, ExchangeRequest::default()),
        ] {
            let token: RawToken = s.quietly::<Exchange>(who, request).await.ok();
            assert_eq!(token.refresh_token, "", "{what}");
        }
        let first = login(s).await;
        let as_token = s.quietly::<ListGroups>(&s.server.bearer(&first.refresh_token), ListGroupsRequest::default()).await;
        assert_eq!(rule(&as_token), ("UNAUTHENTICATED", "TOKEN_INVALID"), "it is no access token");
        let traded = s.quietly::<Exchange>(&s.server.bearer(&first.refresh_token), ExchangeRequest::default()).await;
        assert_eq!(rule(&traded), ("UNAUTHENTICATED", "TOKEN_INVALID"), "nor one of a login provider");
    })
    .await;
}

#[tokio::test]
async fn a_renewal_is_not_rehearsed() {
    scenario(async |s| {
        let first = login(s).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let bearer = s.server.bearer(&first.refresh_token);
        let request = ExchangeRefreshTokenRequest::default();
        let refused = s.quietly_with::<ExchangeRefreshToken>(&bearer, request, &rehearsal).await;
        assert_eq!(refused.code, "INVALID_ARGUMENT", "{:#}", refused.body);
        let (_, next) = renewed(s, &first.refresh_token).await;
        s.server.clock().advance_seconds(61);
        renewed(s, &next).await;
    })
    .await;
}

/// Whoever exchanges again and again and never renews does not end the session of who does.
#[tokio::test]
async fn a_session_in_use_outlives_those_that_nobody_renews() {
    scenario(async |s| {
        let (_, next) = renewed(s, &login(s).await.refresh_token).await;
        for _ in 0..25 {
            s.server.clock().advance_seconds(1);
            login(s).await;
        }
        renewed(s, &next).await;
    })
    .await;
}

/// What is refused, for whatever reason, uses no refresh token up.
#[tokio::test]
async fn a_refusal_leaves_the_session_as_it_is() {
    scenario(async |s| {
        let first = login(s).await;
        let deep = std::iter::repeat_n("0123456789abcdef", 8).fold("a".repeat(40), |path, step| format!("{path}/{step}"));
        let scopes = (0..100).map(|number| format!("{deep}/{number:016x}")).collect();
        let large = renew_to(s, &first.refresh_token, ExchangeRefreshTokenRequest { scopes, ..Default::default() }).await;
        assert_eq!(large.code, "INVALID_ARGUMENT", "{:#}", large.body);
        s.server.clock().advance_seconds(61);
        renewed(s, &first.refresh_token).await;
    })
    .await;
}
