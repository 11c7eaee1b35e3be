use contract::chainguard::platform::iam::v2beta1::{
    DeleteRoleBindingRequest, GetGroupRequest, RoleBinding,
    rpc::{CreateRoleBinding, DeleteRoleBinding, GetGroup},
};
use testkit::scenario;

use super::new_binding;
use crate::v2beta1::{absent, built_in};

#[tokio::test]
async fn takes_the_role_away_at_once_and_may_be_repeated() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let actor = s.server.workload(&org, "ci", None).await;
        let bind = new_binding(org.as_str(), actor.uid().as_str(), &built_in("viewer"));
        let delete = |uid: &str| DeleteRoleBindingRequest { uid: uid.into() };
        let uid = s.quietly::<CreateRoleBinding>(&admin, bind).await.ok::<RoleBinding>().uid;
        let look = GetGroupRequest { uid: org.to_string() };
        assert_eq!(s.quietly::<GetGroup>(&actor, look.clone()).await.code, "OK");
        s.call::<DeleteRoleBinding>("by the viewer itself", &actor, delete(&uid)).await;
        s.call::<DeleteRoleBinding>("by an owner", &admin, delete(&uid)).await;
        s.call::<GetGroup>("the role is gone", &actor, look).await;
        s.call::<DeleteRoleBinding>("a second time", &admin, delete(&uid)).await;
        s.call::<DeleteRoleBinding>("one that never was", &admin, delete(&absent(org.as_str()))).await;
        let identity = s.quietly::<DeleteRoleBinding>(&admin, delete(actor.uid().as_str())).await;
        assert_eq!(identity.code, "OK", "no binding has an identity's uid");
        let alive = s.quietly::<GetGroup>(&actor, GetGroupRequest { uid: org.to_string() }).await;
        assert_eq!(alive.code, "PERMISSION_DENIED", "and the identity is still there");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
