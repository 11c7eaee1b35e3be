use contract::chainguard::platform::iam::v2beta1::{
    Group, RoleBinding, UpdateRoleBindingRequest,
    rpc::{CreateGroup, CreateRole, CreateRoleBinding, UpdateRoleBinding},
};
use testkit::scenario;

use super::{binding, new_binding};
use crate::v2beta1::{
    built_in,
    groups::new_group,
    roles::{holder, new_role},
};

#[tokio::test]
async fn nobody_binds_what_they_do_not_hold() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let viewer = access::built_in::find("viewer").expect("it is built in").capabilities().names();
        let binder_holds = [viewer.as_slice(), &["role_bindings.create", "role_bindings.update"]].concat();
        let binder = holder(s, &org, "binder", &binder_holds).await;
        let own = binder.uid().to_string();
        let role = |name: &str| new_binding(org.as_str(), &own, &built_in(name));
        s.call::<CreateRoleBinding>("the binder makes itself an owner", &binder, role("owner")).await;
        s.call::<CreateRoleBinding>("or an editor", &binder, role("editor")).await;
        let wide = admin.must::<CreateRole>(new_role(org.as_str(), "wide", &["groups.list", "groups.delete"])).await;
        s.call::<CreateRoleBinding>("or gives itself a custom role", &binder, new_binding(org.as_str(), &own, &wide.uid)).await;
        let made = s.quietly::<CreateRoleBinding>(&binder, role("viewer")).await;
        let uid = made.ok::<RoleBinding>().uid;
        let change = |role: &str| UpdateRoleBindingRequest {
            role_binding: Some(RoleBinding { uid: uid.clone(), ..binding("", &built_in(role)) }),
            update_mask: None,
        };
        s.call::<UpdateRoleBinding>("a viewer's binding becomes an owner's", &binder, change("owner")).await;
        let narrower = s.quietly::<UpdateRoleBinding>(&binder, change("registry.pull")).await;
        assert_eq!(narrower.ok::<RoleBinding>().role_uid, built_in("registry.pull"));

        let owner =
            admin.must::<CreateRoleBinding>(new_binding(org.as_str(), s.server.admin_uid().as_str(), &built_in("owner"))).await;
        let stolen = UpdateRoleBindingRequest {
            role_binding: Some(RoleBinding { uid: owner.uid, ..binding(&own, "") }),
            update_mask: None,
        };
        s.call::<UpdateRoleBinding>("an owner's binding becomes the binder's", &binder, stolen).await;

        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        let below = folder.uid.parse().expect("a folder's uid");
        let lead = s.server.workload(&below, "lead", Some("owner")).await;
        let in_folder = new_binding(&folder.uid, lead.uid().as_str(), &built_in("owner"));
        assert_eq!(s.quietly::<CreateRoleBinding>(&lead, in_folder).await.code, "OK", "an owner makes owners, where it is one");
        let above = new_binding(org.as_str(), lead.uid().as_str(), &built_in("viewer"));
        s.call::<CreateRoleBinding>("and nobody above it", &lead, above).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
