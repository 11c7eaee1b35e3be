use client::Options;
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
        let made = s.quietly::<CreateRoleBinding>(&admin, bind).await;
        let delete = |uid: &str| DeleteRoleBindingRequest { uid: uid.into() };
        let uid = made.ok::<RoleBinding>().uid;
        let look = GetGroupRequest { uid: org.to_string() };
        assert_eq!(s.quietly::<GetGroup>(&actor, look.clone()).await.code, "OK");
        s.call::<DeleteRoleBinding>("by the viewer itself", &actor, delete(&uid)).await;
        let stranger = s.server.stranger().await;
        s.call::<DeleteRoleBinding>("by a stranger", &stranger, delete(&uid)).await;
        s.call::<DeleteRoleBinding>("by a stranger, one that does not exist", &stranger, delete(&absent(org.as_str()))).await;
        s.call::<DeleteRoleBinding>("by nobody", &s.server.nobody(), delete(&uid)).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<DeleteRoleBinding>(&admin, delete(&uid), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let current = Options { if_match: made.etag, ..Options::default() };
        s.call_with::<DeleteRoleBinding>("by an owner, with its entity tag", &admin, delete(&uid), &current).await;
        s.call::<GetGroup>("the role is gone", &actor, look).await;
        s.call::<DeleteRoleBinding>("a second time", &admin, delete(&uid)).await;
        s.call::<DeleteRoleBinding>("one that never was", &admin, delete(&absent(org.as_str()))).await;
        s.call::<DeleteRoleBinding>("an identifier that is none", &admin, delete("nonsense")).await;
        let identity = s.quietly::<DeleteRoleBinding>(&admin, delete(actor.uid().as_str())).await;
        assert_eq!(identity.code, "OK", "no binding has an identity's uid");
        let alive = s.quietly::<GetGroup>(&actor, GetGroupRequest { uid: org.to_string() }).await;
        assert_eq!(alive.code, "PERMISSION_DENIED", "and the identity is still there");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
