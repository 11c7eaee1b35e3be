use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, Group, ListRoleBindingsRequest,
    rpc::{CreateGroup, ListRoleBindings},
};
use testkit::{TestServer, Transport, scenario};

use super::new_group;

#[tokio::test]
async fn creates_below_a_parent_and_names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<CreateGroup>("a valid name", &admin, new_group(&org, "team-a")).await;
        s.call::<CreateGroup>("names need not be unique", &admin, new_group(&org, "team-a")).await;
        s.call::<CreateGroup>("a missing name", &admin, new_group(&org, "")).await;
        s.call::<CreateGroup>("an invalid name", &admin, new_group(&org, "Team A")).await;
        s.call::<CreateGroup>("a name with a control character", &admin, new_group(&org, "team\u{0}a")).await;
        s.call::<CreateGroup>("a name that is too long", &admin, new_group(&org, &"a".repeat(256))).await;
        let described = |description: &str| CreateGroupRequest {
            parent: org.clone(),
            group: Some(Group { name: "x".into(), description: description.into(), ..Group::default() }),
        };
        s.call::<CreateGroup>("a description of two lines", &admin, described("a\nb")).await;
        s.call::<CreateGroup>("a description that is too long", &admin, described(&"a".repeat(513))).await;
        s.call::<CreateGroup>("a parent that is no identifier", &admin, new_group("nonsense", "a")).await;
        s.call::<CreateGroup>("a parent that does not exist", &admin, new_group(&format!("{org}/{}", "0".repeat(16)), "a")).await;
        let no_group = CreateGroupRequest { parent: org.clone(), group: None };
        let refused = s.quietly::<CreateGroup>(&admin, no_group).await;
        assert_eq!(refused.code, "INVALID_ARGUMENT");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn makes_organizations_with_their_creator_as_owner() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org: Group = s.call::<CreateGroup>("an organization", &admin, new_group("", "second")).await.ok();
        s.name(org.uid.clone(), "second");
        s.call::<CreateGroup>("its creator may do anything in it at once", &admin, new_group(&org.uid, "folder")).await;
        let nobody = s.server.nobody();
        s.call::<CreateGroup>("without a token", &nobody, new_group("", "third")).await;
        let verified = CreateGroupRequest {
            parent: String::new(),
            group: Some(Group { name: "fourth".into(), verified: true, ..Group::default() }),
        };
        s.call::<CreateGroup>("verified is for operators", &admin, verified).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn operators_own_nothing_they_create() {
    let transcript = scenario(async |s| {
        let operator = s.server.operator().await;
        let org: Group = s.call::<CreateGroup>("an organization", &operator, new_group("", "theirs")).await.ok();
        s.name(org.uid.clone(), "theirs");
        let bindings = ListRoleBindingsRequest { group: org.uid, ..ListRoleBindingsRequest::default() };
        s.call::<ListRoleBindings>("nobody is bound to it", &operator, bindings).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn outside_dev_mode_a_setting_says_who_makes_organizations() {
    let server = TestServer::start().await.restarted_outside_dev_mode(false).await;
    for transport in [Transport::Json, Transport::Grpc] {
        let refused = server.admin().call::<CreateGroup>(transport, new_group("", "mine")).await;
        let why = "only operators of this server may create an organization";
        assert_eq!((refused.code.as_str(), refused.body["message"].as_str()), ("PERMISSION_DENIED", Some(why)));
    }
    server.admin().must::<CreateGroup>(new_group(server.organization().as_str(), "folder")).await;
    server.operator().await.must::<CreateGroup>(new_group("", "theirs")).await;

    let server = server.restarted_outside_dev_mode(true).await;
    let org = server.admin().must::<CreateGroup>(new_group("", "mine")).await;
    server.admin().must::<CreateGroup>(new_group(&org.uid, "who makes it owns it")).await;
    let nobody = server.nobody().call::<CreateGroup>(Transport::Json, new_group("", "x")).await;
    assert_eq!(nobody.code, "UNAUTHENTICATED");
}
