use client::Options;
use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateRoleBindingRequest, GetRoleBindingRequest, Group, Identity, Role, RoleBinding,
        rpc::{CreateGroup, CreateIdentity, CreateRole, CreateRoleBinding, GetRoleBinding},
    },
    registry::v2beta1::{Repo, rpc::CreateRepo},
};
use testkit::scenario;

use super::new_binding;
use crate::v2beta1::{
    absent, built_in,
    groups::new_group,
    identities::{ci, new_identity},
    repos::new_repo,
    roles::new_role,
};

#[tokio::test]
async fn binds_identities_of_the_organization_and_users() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        let ci: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        let viewer = built_in("viewer");
        let made = s.call::<CreateRoleBinding>("a built-in role", &admin, new_binding(&org, &ci.uid, &viewer)).await;
        let read = s.quietly::<GetRoleBinding>(&admin, GetRoleBindingRequest { uid: made.ok::<RoleBinding>().uid }).await;
        assert_eq!(read, made, "what was created is what is read");
        let again = s.quietly::<CreateRoleBinding>(&admin, new_binding(&org, &ci.uid, &viewer)).await;
        assert_ne!(again.ok::<RoleBinding>().uid, made.ok::<RoleBinding>().uid, "the same may be bound twice");
        s.call::<CreateRoleBinding>("in a folder below", &admin, new_binding(&folder.uid, &ci.uid, &viewer)).await;
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&org, "puller", &["repo.list"])).await.ok();
        s.call::<CreateRoleBinding>("a custom role where it is", &admin, new_binding(&org, &ci.uid, &role.uid)).await;
        s.call::<CreateRoleBinding>("a custom role further down", &admin, new_binding(&folder.uid, &ci.uid, &role.uid)).await;
        let user = s.server.admin_uid().to_string();
        s.call::<CreateRoleBinding>("a user", &admin, new_binding(&folder.uid, &user, &viewer)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let viewer = built_in("viewer");
        let ci: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        s.call::<CreateRoleBinding>("nothing at all", &admin, new_binding(&org, "", "")).await;
        s.call::<CreateRoleBinding>("no role", &admin, new_binding(&org, &ci.uid, "")).await;
        s.call::<CreateRoleBinding>("an identity that is no identifier", &admin, new_binding(&org, "ci", &viewer)).await;
        s.call::<CreateRoleBinding>("an identity that does not exist", &admin, new_binding(&org, &absent(&org), &viewer)).await;
        s.call::<CreateRoleBinding>("a user who never came", &admin, new_binding(&org, &"0".repeat(40), &viewer)).await;
        s.call::<CreateRoleBinding>("an identity that is a group", &admin, new_binding(&org, &org, &viewer)).await;
        s.call::<CreateRoleBinding>("a role that is a name", &admin, new_binding(&org, &ci.uid, "viewer")).await;
        s.call::<CreateRoleBinding>("a role that does not exist", &admin, new_binding(&org, &ci.uid, &absent(&org))).await;
        s.call::<CreateRoleBinding>("a role that is an identity", &admin, new_binding(&org, &ci.uid, &ci.uid)).await;
        s.call::<CreateRoleBinding>("neither exists", &admin, new_binding(&org, &absent(&org), &absent(&org))).await;
        s.call::<CreateRoleBinding>("no parent", &admin, new_binding("", &ci.uid, &viewer)).await;
        s.call::<CreateRoleBinding>("a parent that is no identifier", &admin, new_binding("nonsense", &ci.uid, &viewer)).await;
        s.call::<CreateRoleBinding>("a parent that does not exist", &admin, new_binding(&absent(&org), &ci.uid, &viewer)).await;
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&org, "app")).await.ok();
        s.call::<CreateRoleBinding>("a parent that is a repo", &admin, new_binding(&repo.uid, &ci.uid, &viewer)).await;
        let nothing = CreateRoleBindingRequest { parent: org.clone(), role_binding: None };
        assert_eq!(s.quietly::<CreateRoleBinding>(&admin, nothing).await.code, "INVALID_ARGUMENT");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn keeps_to_one_organization_and_to_the_role_s_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let (a, b): (Group, Group) = (
            s.quietly::<CreateGroup>(&admin, new_group(&org, "a")).await.ok(),
            s.quietly::<CreateGroup>(&admin, new_group(&org, "b")).await.ok(),
        );
        let other: Group = s.quietly::<CreateGroup>(&admin, new_group("", "other")).await.ok();
        let viewer = built_in("viewer");
        let own: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&a.uid, "own", Some(ci()))).await.ok();
        let foreign: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&other.uid, "foreign", Some(ci()))).await.ok();
        let of_a: Role = s.quietly::<CreateRole>(&admin, new_role(&a.uid, "of-a", &["repo.list"])).await.ok();
        let of_other: Role = s.quietly::<CreateRole>(&admin, new_role(&other.uid, "of-other", &["repo.list"])).await.ok();
        s.call::<CreateRoleBinding>("an identity of another organization", &admin, new_binding(&org, &foreign.uid, &viewer))
            .await;
        s.call::<CreateRoleBinding>("a role of another organization", &admin, new_binding(&org, &own.uid, &of_other.uid)).await;
        s.call::<CreateRoleBinding>("a role of a folder, above it", &admin, new_binding(&org, &own.uid, &of_a.uid)).await;
        s.call::<CreateRoleBinding>("a role of a folder, beside it", &admin, new_binding(&b.uid, &own.uid, &of_a.uid)).await;
        let beside = s.quietly::<CreateRoleBinding>(&admin, new_binding(&b.uid, &own.uid, &viewer)).await;
        assert_eq!(beside.code, "OK", "identities may be bound anywhere in their organization");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_applied_once_per_key() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let ci: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        let keyed = Options { idempotency_key: Some("key-1".into()), ..Options::default() };
        let viewer = new_binding(&org, &ci.uid, &built_in("viewer"));
        let first = s.quietly_with::<CreateRoleBinding>(&admin, viewer.clone(), &keyed).await;
        let again = s.quietly_with::<CreateRoleBinding>(&admin, viewer, &keyed).await;
        assert_eq!(first.ok::<RoleBinding>(), again.ok::<RoleBinding>());
        let editor = new_binding(&org, &ci.uid, &built_in("editor"));
        s.call_with::<CreateRoleBinding>("the same key for another role", &admin, editor, &keyed).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
