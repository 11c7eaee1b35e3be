//! A right that is taken away is gone with the next request.

use contract::chainguard::platform::iam::v2beta1::{
    DeleteIdentityRequest, DeleteRoleBindingRequest, GetGroupRequest, GetIdentityRequest, Identity, ListRoleBindingsRequest,
    ListRoleBindingsResponse, UpdateIdentityRequest,
    identity::{Relationship, claim_match::Sub},
    rpc::{DeleteIdentity, DeleteRoleBinding, GetGroup, GetIdentity, ListRoleBindings, UpdateIdentity},
};
use testkit::scenario;

#[tokio::test]
async fn unbinding_rewriting_and_deleting_take_effect_at_once() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let get = GetGroupRequest { uid: org.to_string() };
        let robot = s.server.workload(&org, "robot", Some("viewer")).await;
        s.name(robot.uid().as_str(), "robot");
        s.call::<GetGroup>("bound", &robot, get.clone()).await;

        let bindings = ListRoleBindingsRequest { identity: robot.uid().to_string(), ..ListRoleBindingsRequest::default() };
        let bindings: ListRoleBindingsResponse = s.quietly::<ListRoleBindings>(&admin, bindings).await.ok();
        let uid = bindings.role_bindings[0].uid.clone();
        s.quietly::<DeleteRoleBinding>(&admin, DeleteRoleBindingRequest { uid }).await.ok::<()>();
        s.call::<GetGroup>("unbound", &robot, get.clone()).await;

        let robot = s.server.workload(&org, "rewritten", Some("viewer")).await;
        s.name(robot.uid().as_str(), "rewritten");
        let mut identity: Identity =
            s.quietly::<GetIdentity>(&admin, GetIdentityRequest { uid: robot.uid().to_string() }).await.ok();
        let Some(Relationship::ClaimMatch(rule)) = &mut identity.relationship else { panic!("a claim match") };
        rule.sub = Some(Sub::Subject("somebody-else".into()));
        let update = UpdateIdentityRequest { identity: Some(identity), update_mask: None };
        s.quietly::<UpdateIdentity>(&admin, update).await.ok::<Identity>();
        s.call::<GetGroup>("its relationship changed", &robot, get.clone()).await;

        let robot = s.server.workload(&org, "deleted", Some("viewer")).await;
        s.name(robot.uid().as_str(), "deleted");
        let delete = DeleteIdentityRequest { uid: robot.uid().to_string() };
        s.quietly::<DeleteIdentity>(&admin, delete).await.ok::<()>();
        s.call::<GetGroup>("it is gone", &robot, get.clone()).await;

        let robot = s.server.workload(&org, "expired", Some("viewer")).await;
        s.server.clock().advance_seconds(3600);
        s.call::<GetGroup>("its hour is over", &robot, get).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
