use contract::chainguard::platform::iam::v2beta1::{
    DeleteGroupInviteRequest, DeleteRoleRequest, GetGroupInviteRequest, Group, GroupInvite, Role, UpdateRoleRequest,
    rpc::{CreateGroup, CreateGroupInvite, CreateRole, DeleteGroupInvite, DeleteRole, GetGroupInvite, UpdateRole},
};
use testkit::scenario;

use super::{invite, new_invite};
use crate::v2beta1::{
    groups::new_group,
    mask,
    roles::{holder, new_role, numbers},
};

#[tokio::test]
async fn nobody_offers_what_they_do_not_hold() {
    let transcript = scenario(async |s| {
        let org = s.server.organization().clone();
        let pull: Vec<_> = access::built_in::find("registry.pull").expect("it is built in").capabilities().names();
        let create = |role: &str| new_invite(org.as_str(), invite(role, 60));
        let maker = holder(s, &org, "maker", &["group_invites.create"]).await;
        s.call::<CreateGroupInvite>("who binds no roles", &maker, create("registry.pull")).await;
        let binder = holder(s, &org, "binder", &[&pull, &["group_invites.create", "role_bindings.create"][..]].concat()).await;
        s.call::<CreateGroupInvite>("an owner", &binder, create("owner")).await;
        let made = s.quietly::<CreateGroupInvite>(&binder, create("registry.pull")).await;
        assert_eq!(made.code, "OK", "what the caller holds: {:#}", made.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_role_that_is_offered_grows_only_by_what_its_changer_holds_where_it_is() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team")).await.ok();
        let manager = holder(s, &org, "manager", &["roles.list", "roles.update", "repo.list"]).await;
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "newcomer", &["roles.list"])).await.ok();
        s.name(&made.uid, "newcomer");
        let wish = GroupInvite { role_uid: made.uid.clone(), ..invite("viewer", 60) };
        let offered = admin.must::<CreateGroupInvite>(new_invite(&folder.uid, wish)).await;
        let grown = |capabilities: &[&str]| UpdateRoleRequest {
            role: Some(Role { uid: made.uid.clone(), capabilities: numbers(capabilities), ..Role::default() }),
            update_mask: mask(&["capabilities"]),
        };
        s.call::<UpdateRole>("by what its changer lacks", &manager, grown(&["roles.list", "groups.delete"])).await;
        s.call::<UpdateRole>("by what its changer holds", &manager, grown(&["roles.list", "repo.list"])).await;
        admin.must::<DeleteGroupInvite>(DeleteGroupInviteRequest { uid: offered.uid }).await;
        let free = s.quietly::<UpdateRole>(&manager, grown(&["roles.list", "groups.delete"])).await;
        assert_eq!(free.code, "OK", "a role that nobody has gives nothing: {:#}", free.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_role_that_is_offered_may_go() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&org, "newcomer", &["roles.list"])).await.ok();
        s.name(&role.uid, "newcomer");
        let wish = GroupInvite { role_uid: role.uid.clone(), ..invite("viewer", 60) };
        let made = admin.must::<CreateGroupInvite>(new_invite(&org, wish)).await;
        s.name(&made.uid, "invite");
        s.name(&made.key_id, "key");
        admin.must::<DeleteRole>(DeleteRoleRequest { uid: role.uid }).await;
        s.call::<GetGroupInvite>("the invite without it", &admin, GetGroupInviteRequest { uid: made.uid }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
