//! Tokens that give up rights.

use contract::chainguard::platform::{
    iam::v2beta1::{CreateGroupRequest, UpdateGroupRequest},
    iam::v2beta1::{
        GetGroupRequest, Group,
        rpc::{CreateGroup, GetGroup, UpdateGroup},
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
};
use testkit::{Actor, Scenario, scenario};

/// The admin's own API token exchanged for a narrower one.
async fn narrowed(s: &Scenario, from: &Actor, scopes: &[&str], cap: &[&str]) -> Actor {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let request = ExchangeRequest { scopes: owned(scopes), cap: owned(cap), ..ExchangeRequest::default() };
    let token: RawToken = s.quietly::<Exchange>(from, request).await.ok();
    s.server.bearer(&token.token)
}

#[tokio::test]
async fn a_token_can_only_give_up_rights() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder =
            |name: &str| CreateGroupRequest { parent: org.clone(), group: Some(Group { name: name.into(), ..Group::default() }) };
        let one: Group = s.quietly::<CreateGroup>(&admin, folder("one")).await.ok();
        let two: Group = s.quietly::<CreateGroup>(&admin, folder("two")).await.ok();
        let get = |group: &Group| GetGroupRequest { uid: group.uid.clone() };
        let rename = |group: &Group| UpdateGroupRequest {
            group: Some(Group { uid: group.uid.clone(), name: "renamed".into(), ..Group::default() }),
            update_mask: None,
        };

        let scoped = narrowed(s, &admin, &[&one.uid], &[]).await;
        s.call::<GetGroup>("inside the scope", &scoped, get(&one)).await;
        s.call::<GetGroup>("outside the scope", &scoped, get(&two)).await;
        s.call::<CreateGroup>(
            "a scoped token makes no organization",
            &scoped,
            CreateGroupRequest { parent: String::new(), group: Some(Group { name: "escape".into(), ..Group::default() }) },
        )
        .await;

        let reader = narrowed(s, &admin, &[], &["groups.list"]).await;
        s.call::<GetGroup>("with the capability", &reader, get(&two)).await;
        s.call::<UpdateGroup>("without the capability", &reader, rename(&two)).await;

        let more = ExchangeRequest { cap: vec!["groups.list".into(), "groups.update".into()], ..ExchangeRequest::default() };
        s.call::<Exchange>("what was given up does not come back", &reader, more).await;
        let both = narrowed(s, &reader, &[&two.uid], &["groups.list"]).await;
        s.call::<GetGroup>("inside both narrowings", &both, get(&two)).await;
        s.call::<GetGroup>("outside one of them", &both, get(&one)).await;
        s.call::<UpdateGroup>("without the capability that the first gave up", &both, rename(&two)).await;

        let unknown = ExchangeRequest { cap: vec!["groups.fly".into()], ..ExchangeRequest::default() };
        s.call::<Exchange>("an unknown capability", &admin, unknown).await;
        let nonsense = ExchangeRequest { scopes: vec!["nonsense".into()], ..ExchangeRequest::default() };
        s.call::<Exchange>("a scope that is no identifier", &admin, nonsense).await;
        let elsewhere = ExchangeRequest { aud: vec!["https://elsewhere.example".into()], ..ExchangeRequest::default() };
        s.call::<Exchange>("an audience that is not ours", &admin, elsewhere).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_narrower_token_never_outlives_its_input() {
    scenario(async |s| {
        let admin = s.server.admin();
        s.server.clock().advance_seconds(3000);
        let token: RawToken = s.quietly::<Exchange>(&admin, ExchangeRequest::default()).await.ok();
        let expiry = token.expiry.expect("an expiry").seconds;
        assert_eq!(expiry, 1_767_323_045 + 3600, "the end of the first token, not an hour from now");
    })
    .await;
}
