use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, GetGroupRequest, Group, OrgKind, UpdateGroupRequest,
    rpc::{CreateGroup, CreateRoleBinding, GetGroup, UpdateGroup},
};
use testkit::scenario;

use super::new_group;
use crate::v2beta1::{built_in, mask, role_bindings::new_binding};

fn wish(name: &str, kind: OrgKind) -> Group {
    Group { name: name.into(), verified: true, kind: kind.into(), ..Group::default() }
}

fn create(parent: &str, group: Group) -> CreateGroupRequest {
    CreateGroupRequest { parent: parent.into(), group: Some(group) }
}

fn update(uid: &str, group: Group, paths: &[&str]) -> UpdateGroupRequest {
    UpdateGroupRequest { group: Some(Group { uid: uid.into(), ..group }), update_mask: mask(paths) }
}

#[tokio::test]
async fn operators_verify_organizations() {
    let transcript = scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let customer = || wish("example.com", OrgKind::Customer);
        s.call::<CreateGroup>("by an owner", &admin, create("", customer())).await;
        s.call::<CreateGroup>("a folder, by an owner", &admin, create(&org, customer())).await;
        s.call::<UpdateGroup>("one's own", &admin, update(&org, customer(), &["verified"])).await;
        s.call::<CreateGroup>("a folder, by an operator", &operator, create(&org, wish("x.com", OrgKind::Unspecified))).await;
        s.call::<CreateGroup>("neither domain nor kind", &operator, create("", wish("example", OrgKind::Unspecified))).await;

        let made: Group = s.quietly::<CreateGroup>(&operator, create("", customer())).await.ok();
        s.name(&made.uid, "verified");
        s.call::<CreateGroup>("the name again", &operator, create("", customer())).await;
        let unverified = s.quietly::<CreateGroup>(&operator, new_group("", "example.com")).await;
        assert_eq!(unverified.code, "OK", "one that is not verified may have the name");
        let described = Group { description: "Everything.".into(), ..Group::default() };
        let again = s.quietly::<UpdateGroup>(&operator, update(&made.uid, described, &[])).await;
        assert_eq!(again.code, "OK", "an organization does not clash with itself");
        s.call::<UpdateGroup>("without its kind", &operator, update(&made.uid, Group::default(), &["kind"])).await;

        let owner = new_binding(&made.uid, s.server.admin_uid().as_str(), &built_in("owner"));
        operator.must::<CreateRoleBinding>(owner).await;
        let renamed = || update(&made.uid, Group { name: "example.org".into(), ..Group::default() }, &["name"]);
        s.call::<UpdateGroup>("another name, by its owner", &admin, renamed()).await;
        s.call::<UpdateGroup>("no longer, by its owner", &admin, update(&made.uid, Group::default(), &["verified"])).await;
        s.call::<UpdateGroup>("another name, by an operator", &operator, renamed()).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn folders_are_of_the_kind_of_their_organization() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let kind = |kind: OrgKind| Group { kind: kind.into(), ..Group::default() };
        admin.must::<UpdateGroup>(update(&org, kind(OrgKind::Dev), &["kind"])).await;
        let folder = Group { name: "folder".into(), ..kind(OrgKind::Dev) };
        let folder = admin.must::<CreateGroup>(create(&org, folder)).await;
        assert_eq!(folder.kind, i32::from(OrgKind::Dev));
        admin.must::<UpdateGroup>(update(&org, kind(OrgKind::Infra), &["kind"])).await;
        let shown: Group = s.quietly::<GetGroup>(&admin, GetGroupRequest { uid: folder.uid.clone() }).await.ok();
        assert_eq!(shown.kind, i32::from(OrgKind::Infra));
        s.server.clock().advance_seconds(60);
        let unsaid = s.quietly::<UpdateGroup>(&admin, update(&folder.uid, kind(OrgKind::Unspecified), &["kind"])).await;
        assert_eq!(unsaid.ok::<Group>(), shown, "a kind that is not said stays, which changes nothing");
    })
    .await;
}
