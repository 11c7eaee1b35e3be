use client::Options;
use contract::chainguard::platform::iam::v2beta1::{
    GetGroupRequest, Group, Identity, RoleBinding, RoleBindingIdentity, UpdateRoleBindingRequest,
    rpc::{CreateGroup, CreateIdentity, CreateRoleBinding, GetGroup, UpdateRoleBinding},
};
use testkit::scenario;

use super::{binding, new_binding};
use crate::v2beta1::{
    absent, built_in,
    groups::new_group,
    identities::{ci, new_identity},
    mask,
};

fn update(uid: &str, wish: RoleBinding, paths: &[&str]) -> UpdateRoleBindingRequest {
    UpdateRoleBindingRequest { role_binding: Some(RoleBinding { uid: uid.into(), ..wish }), update_mask: mask(paths) }
}

#[tokio::test]
async fn changes_role_and_identity_in_place() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let ci_1 = admin.must::<CreateIdentity>(new_identity(&org, "ci-1", Some(ci()))).await;
        let ci_2 = admin.must::<CreateIdentity>(new_identity(&org, "ci-2", Some(ci()))).await;
        let made: RoleBinding =
            s.quietly::<CreateRoleBinding>(&admin, new_binding(&org, &ci_1.uid, &built_in("viewer"))).await.ok();
        let to = |wish: RoleBinding, paths: &[&str]| update(&made.uid, wish, paths);
        s.server.clock().advance_seconds(60);
        s.call::<UpdateRoleBinding>("another role", &admin, to(binding("", &built_in("editor")), &[])).await;
        s.call::<UpdateRoleBinding>(
            "another identity, by the mask",
            &admin,
            to(binding(&ci_2.uid, &built_in("viewer")), &["identity_uid"]),
        )
        .await;
        s.call::<UpdateRoleBinding>("both, by a star", &admin, to(binding(&ci_1.uid, &built_in("viewer")), &["*"])).await;
        let hydrated = RoleBinding {
            identity: Some(RoleBindingIdentity { name: "mallory".into(), ..RoleBindingIdentity::default() }),
            ..binding("", "")
        };
        s.call::<UpdateRoleBinding>("what only the server sets is ignored", &admin, to(hydrated, &["identity.name"])).await;
        s.call::<UpdateRoleBinding>("nothing sent, nothing changed", &admin, to(RoleBinding::default(), &[])).await;
        s.call::<UpdateRoleBinding>("an unknown path", &admin, to(RoleBinding::default(), &["role_id"])).await;
        s.call::<UpdateRoleBinding>("no role", &admin, to(RoleBinding::default(), &["role_uid"])).await;
        s.call::<UpdateRoleBinding>("a role that is none", &admin, to(binding("", "viewer"), &[])).await;
        s.call::<UpdateRoleBinding>("a role that does not exist", &admin, to(binding("", &absent(&org)), &[])).await;
        let other: Group = s.quietly::<CreateGroup>(&admin, new_group("", "other")).await.ok();
        let foreign: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&other.uid, "foreign", Some(ci()))).await.ok();
        s.call::<UpdateRoleBinding>("an identity of another organization", &admin, to(binding(&foreign.uid, ""), &[])).await;
        s.call::<UpdateRoleBinding>(
            "one that does not exist",
            &admin,
            update(&absent(&org), binding("", &built_in("viewer")), &[]),
        )
        .await;
        let _viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn counts_from_the_next_request_on_and_only_once_per_reading() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let actor = s.server.workload(&org, "ci", None).await;
        let made =
            s.quietly::<CreateRoleBinding>(&admin, new_binding(org.as_str(), actor.uid().as_str(), &built_in("viewer"))).await;
        let look = GetGroupRequest { uid: org.to_string() };
        assert_eq!(s.quietly::<GetGroup>(&actor, look.clone()).await.code, "OK");
        let uid = made.ok::<RoleBinding>().uid;
        let change = |role: &str| update(&uid, binding("", &built_in(role)), &["role_uid"]);
        let matching = Options { if_match: made.etag, ..Options::default() };
        s.call_with::<UpdateRoleBinding>("with the current entity tag", &admin, change("registry.pull"), &matching).await;
        s.call_with::<UpdateRoleBinding>("with the one before", &admin, change("owner"), &matching).await;
        admin.must::<UpdateRoleBinding>(change("advisories.viewer")).await;
        s.call::<GetGroup>("with the new role", &actor, look).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
