//! What a write has changed holds for the very next request, also of a caller who has just called and is remembered.

use contract::chainguard::platform::{
    iam::v2beta1::{
        DeleteGroupRequest, DeleteIdentityRequest, DeleteRoleBindingRequest, GetGroupRequest, GetIdentityRequest,
        Group as WireGroup, ListGroupsRequest, ListGroupsResponse, OrgKind as WireKind, Role, RoleBinding, UpdateGroupRequest,
        UpdateIdentityRequest, UpdateRoleBindingRequest, UpdateRoleRequest,
        rpc::{
            CreateGroup, CreateRole, CreateRoleBinding, DeleteGroup, DeleteIdentity, DeleteRoleBinding, GetGroup, GetIdentity,
            ListGroups, UpdateGroup, UpdateIdentity, UpdateRole, UpdateRoleBinding,
        },
    },
    oidc::{ExchangeRequest, rpc::Exchange},
};
use domain::{
    Ctx, Entropy, Name, Revision, Uidp,
    iam::{Group, GroupSpec, OrgKind, OrgStatus, ResourceLimits, RoleBinding as Binding, RoleBindingSpec},
};
use serde_json::json;
use store::rows;
use testkit::{Actor, TestServer, Transport, change_at_once};

use crate::v2beta1::{
    built_in,
    groups::new_group,
    identities::claims,
    mask,
    role_bindings::{binding, new_binding},
    roles::{new_role, numbers},
};

const ALLOWED: &str = "OK";
const DENIED: &str = "PERMISSION_DENIED";
const OUT: &str = "UNAUTHENTICATED";

/// How often each change is made and taken back.
const ROUNDS: usize = 8;

/// What the actor is answered at the place, over both transports.
async fn sees(actor: &Actor, place: &str) -> String {
    let mut codes = Vec::new();
    for transport in [Transport::Grpc, Transport::Json] {
        codes.push(actor.call::<GetGroup>(transport, GetGroupRequest { uid: place.to_owned() }).await.code);
    }
    assert_eq!(codes[0], codes[1]);
    codes.swap_remove(0)
}

async fn listed(actor: &Actor) -> i64 {
    let request = ListGroupsRequest::default();
    let page: ListGroupsResponse = actor.call::<ListGroups>(Transport::Grpc, request).await.ok();
    page.total_count()
}

/// A server, its organization and somebody who holds nothing there, but has called.
async fn stranger() -> (TestServer, String, Actor) {
    let server = TestServer::start().await;
    let org = server.organization().to_string();
    let robot = server.workload(server.organization(), "robot", None).await;
    assert_eq!(sees(&robot, &org).await, DENIED);
    (server, org, robot)
}

#[tokio::test]
async fn bindings_made_and_deleted() {
    let (server, org, robot) = stranger().await;
    let admin = server.admin();
    for round in 0..ROUNDS {
        let bind = new_binding(&org, robot.uid().as_str(), &built_in("viewer"));
        let uid = admin.must::<CreateRoleBinding>(bind).await.uid;
        assert_eq!((sees(&robot, &org).await.as_str(), listed(&robot).await), (ALLOWED, 1), "round {round}");
        admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid }).await;
        assert_eq!((sees(&robot, &org).await.as_str(), listed(&robot).await), (DENIED, 0), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_group_changed_by_many_at_once() {
    let server = TestServer::start().await;
    let made = server.admin().must::<CreateGroup>(new_group(server.organization().as_str(), "contended")).await;
    change_at_once(server.store(), (0..32).map(|_| server.admin()).collect(), &made.uid, 4).await;
    server.stop().await;
}

#[tokio::test]
async fn bindings_moved() {
    let (server, org, robot) = stranger().await;
    let other = server.workload(server.organization(), "other", None).await;
    let admin = server.admin();
    let bind = new_binding(&org, robot.uid().as_str(), &built_in("viewer"));
    let uid = admin.must::<CreateRoleBinding>(bind).await.uid;
    assert_eq!([sees(&robot, &org).await.as_str(), &sees(&other, &org).await], [ALLOWED, DENIED]);
    for to in [&other, &robot, &other] {
        let wish = RoleBinding { uid: uid.clone(), ..binding(to.uid().as_str(), "") };
        admin.must::<UpdateRoleBinding>(UpdateRoleBindingRequest { role_binding: Some(wish), update_mask: None }).await;
        for actor in [&robot, &other] {
            let expected = if actor.uid() == to.uid() { ALLOWED } else { DENIED };
            assert_eq!(sees(actor, &org).await, expected, "{}", actor.uid());
        }
    }
}

#[tokio::test]
async fn roles_changed() {
    let (server, org, robot) = stranger().await;
    let admin = server.admin();
    let role = admin.must::<CreateRole>(new_role(&org, "some", &["groups.list", "repo.list"])).await.uid;
    admin.must::<CreateRoleBinding>(new_binding(&org, robot.uid().as_str(), &role)).await;
    for round in 0..ROUNDS {
        assert_eq!((sees(&robot, &org).await.as_str(), listed(&robot).await), (ALLOWED, 1), "round {round}");
        for (capabilities, expected) in [(["repo.list"].as_slice(), DENIED), (["groups.list", "repo.list"].as_slice(), ALLOWED)] {
            let wish = Role { uid: role.clone(), capabilities: numbers(capabilities), ..Role::default() };
            admin.must::<UpdateRole>(UpdateRoleRequest { role: Some(wish), update_mask: None }).await;
            assert_eq!(sees(&robot, &org).await, expected, "round {round}");
        }
    }
}

#[tokio::test]
async fn identities_changed_and_deleted() {
    let server = TestServer::start().await;
    let (org, admin) = (server.organization().to_string(), server.admin());
    let robot = server.workload(server.organization(), "robot", Some("viewer")).await;
    assert_eq!(sees(&robot, &org).await, ALLOWED);
    let mut identity = admin.must::<GetIdentity>(GetIdentityRequest { uid: robot.uid().to_string() }).await;
    identity.description = "renamed".into();
    admin.must::<UpdateIdentity>(UpdateIdentityRequest { identity: Some(identity.clone()), update_mask: None }).await;
    assert_eq!(sees(&robot, &org).await, ALLOWED, "it still proves itself in the same way");
    identity.relationship = Some(claims(&server.issuer(), "somebody-else"));
    admin.must::<UpdateIdentity>(UpdateIdentityRequest { identity: Some(identity), update_mask: None }).await;
    assert_eq!(sees(&robot, &org).await, OUT, "a new relationship");
    let upstream = server.mint("somebody-else", server.base_url(), json!({})).await;
    let token = server.exchange(&upstream, robot.identity.as_ref()).await.expect("a token of the new one");
    let again = server.bearer(token.expose());
    assert_eq!(sees(&again, &org).await, ALLOWED);
    admin.must::<DeleteIdentity>(DeleteIdentityRequest { uid: robot.uid().to_string() }).await;
    assert_eq!(sees(&again, &org).await, OUT, "deleted");
}

#[tokio::test]
async fn groups_deleted() {
    let (server, org, robot) = stranger().await;
    let admin = server.admin();
    for round in 0..ROUNDS {
        let folder = admin.must::<CreateGroup>(new_group(&org, "folder")).await.uid;
        admin.must::<CreateRoleBinding>(new_binding(&folder, robot.uid().as_str(), &built_in("viewer"))).await;
        assert_eq!((sees(&robot, &folder).await.as_str(), listed(&robot).await), (ALLOWED, 1), "round {round}");
        admin.must::<DeleteGroup>(DeleteGroupRequest { uid: folder.clone() }).await;
        assert_eq!((sees(&robot, &folder).await.as_str(), listed(&robot).await), (DENIED, 0), "round {round}");
    }
}

#[tokio::test]
async fn narrowed_tokens_follow_their_identity() {
    let (server, org, robot) = stranger().await;
    let admin = server.admin();
    let folder = admin.must::<CreateGroup>(new_group(&org, "folder")).await.uid;
    let narrow = ExchangeRequest { scopes: vec![folder.clone()], ..ExchangeRequest::default() };
    let token = robot.must::<Exchange>(narrow).await.token;
    let narrowed = server.bearer(&token);
    for round in 0..ROUNDS {
        let bind = new_binding(&org, robot.uid().as_str(), &built_in("viewer"));
        let uid = admin.must::<CreateRoleBinding>(bind).await.uid;
        assert_eq!([sees(&narrowed, &folder).await.as_str(), &sees(&narrowed, &org).await], [ALLOWED, DENIED], "round {round}");
        assert_eq!([sees(&robot, &folder).await.as_str(), &sees(&robot, &org).await], [ALLOWED, ALLOWED], "round {round}");
        assert_eq!([listed(&narrowed).await, listed(&robot).await], [1, 2], "round {round}");
        admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid }).await;
        assert_eq!([sees(&narrowed, &folder).await.as_str(), &sees(&robot, &folder).await], [DENIED, DENIED], "round {round}");
    }
}

#[tokio::test]
async fn keys_removed_and_tokens_expired() {
    let server = TestServer::start().await;
    let org = server.organization().to_string();
    let (admin, operator) = (server.admin(), server.operator().await);
    assert_eq!([sees(&admin, &org).await.as_str(), &sees(&operator, &org).await], [ALLOWED, ALLOWED]);
    server.ask_admin(&json!({"command": "rotate_keys", "at_once": true})).await;
    assert_eq!([sees(&admin, &org).await.as_str(), &sees(&operator, &org).await], [OUT, OUT]);

    let (admin, operator) = (server.admin_again().await, server.operator().await);
    assert_eq!([sees(&admin, &org).await.as_str(), &sees(&operator, &org).await], [ALLOWED, ALLOWED]);
    server.clock().advance_seconds(599);
    assert_eq!([sees(&admin, &org).await.as_str(), &sees(&operator, &org).await], [ALLOWED, ALLOWED]);
    server.clock().advance_seconds(2);
    assert_eq!([sees(&admin, &org).await.as_str(), &sees(&operator, &org).await], [ALLOWED, OUT], "after ten minutes");
    server.clock().advance_seconds(3000);
    let refused = admin.call::<GetGroup>(Transport::Grpc, GetGroupRequest { uid: org }).await;
    assert_eq!(refused.code, OUT);
    assert!(refused.body["message"].as_str().is_some_and(|message| message.contains("has expired")), "{:#}", refused.body);
}

/// Somebody who is bound at very many places is served like everybody, and what changes holds at once.
#[tokio::test]
async fn bound_at_ten_thousand_places() {
    let (server, org, robot) = stranger().await;
    // Making them is what takes long, and longer over a line.
    let bindings = if server.store().engine() == "sqlite" { 10_000 } else { 2_000 };
    bind_at_folders(&server, robot.uid(), bindings).await;
    let folder = |number: i64| Uidp::child(server.organization(), number.to_be_bytes());
    assert_eq!(listed(&robot).await, bindings);
    for number in [0, bindings / 2, bindings - 1] {
        assert_eq!(sees(&robot, folder(number).as_str()).await, ALLOWED, "folder {number}");
        let uid = folder(number).child(number.to_be_bytes()).to_string();
        server.admin().must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid }).await;
        assert_eq!(sees(&robot, folder(number).as_str()).await, DENIED, "folder {number}");
    }
    assert_eq!((sees(&robot, &org).await.as_str(), listed(&robot).await), (DENIED, bindings - 3));
    if bindings > 5_000 {
        let wish = Some(WireGroup { uid: org.clone(), kind: WireKind::Dev.into(), ..WireGroup::default() });
        let wish = UpdateGroupRequest { group: wish, update_mask: mask(&["kind"]) };
        let refused = server.admin().call::<UpdateGroup>(Transport::Grpc, wish.clone()).await;
        assert_eq!(refused.code, DENIED, "all folders would change in one write");
        server.operator().await.must::<UpdateGroup>(wish).await;
    }
}

/// Makes so many folders of the organization, each with a binding of the identity as a viewer.
async fn bind_at_folders(server: &TestServer, identity: &Uidp, count: i64) {
    let entropy: std::sync::Arc<dyn Entropy> = std::sync::Arc::new(testkit::CountedEntropy::default());
    let ctx = Ctx::system("test", domain::Clock::now(server.clock()), entropy);
    let (org, identity) = (server.organization().clone(), identity.clone());
    let role: Uidp = built_in("viewer").parse().expect("a UIDP");
    let numbers: Vec<i64> = (0..count).collect();
    for chunk in numbers.chunks(1_000).map(<[i64]>::to_vec) {
        let (org, identity, role, now) = (org.clone(), identity.clone(), role.clone(), ctx.now);
        let work = server.store().write(&ctx, move |tx| {
            Box::pin(async move {
                for number in chunk {
                    let spec = GroupSpec {
                        name: Name::trusted("folder"),
                        description: domain::Description::default(),
                        verified: false,
                        kind: OrgKind::Unspecified,
                    };
                    let uid = org.child(number.to_be_bytes());
                    let (created_at, updated_at, revision) = (now, now, Revision(0));
                    let (status, resource_limits) = (OrgStatus::Ready, ResourceLimits::default());
                    let group = Group {
                        uid: uid.clone(),
                        spec,
                        status,
                        resource_limits,
                        public: false,
                        created_at,
                        updated_at,
                        revision,
                    };
                    rows::insert(tx, &group).await?;
                    let spec = RoleBindingSpec { identity: identity.clone(), role: role.clone() };
                    let binding = Binding { uid: uid.child(number.to_be_bytes()), spec, created_at, updated_at, revision };
                    rows::insert(tx, &binding).await?;
                }
                Ok(())
            })
        });
        work.await.expect("written");
    }
}
