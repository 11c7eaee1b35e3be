use contract::chainguard::platform::iam::v2beta1::{
    GetRoleBindingRequest, Group, Identity, RoleBinding, UpdateGroupRequest, UpdateIdentityRequest,
    rpc::{CreateIdentity, CreateRoleBinding, GetRoleBinding, UpdateGroup, UpdateIdentity},
};
use testkit::scenario;

use super::new_binding;
use crate::v2beta1::{
    built_in,
    identities::{ci, new_identity},
};

#[tokio::test]
async fn shows_what_it_binds_as_it_is_now() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let get = |uid: &str| GetRoleBindingRequest { uid: uid.into() };
        let ci: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        let made: RoleBinding =
            s.quietly::<CreateRoleBinding>(&admin, new_binding(&org, &ci.uid, &built_in("viewer"))).await.ok();
        let identity = Identity { uid: ci.uid.clone(), name: "cd".into(), description: "delivers".into(), ..Identity::default() };
        admin.must::<UpdateIdentity>(UpdateIdentityRequest { identity: Some(identity), update_mask: None }).await;
        let group = Group { uid: org.clone(), name: "renamed".into(), ..Group::default() };
        admin.must::<UpdateGroup>(UpdateGroupRequest { group: Some(group), update_mask: None }).await;
        s.call::<GetRoleBinding>("after everything was renamed", &admin, get(&made.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
