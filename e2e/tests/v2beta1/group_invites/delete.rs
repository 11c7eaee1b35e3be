use contract::chainguard::platform::iam::v2beta1::{
    DeleteGroupInviteRequest, DeleteGroupRequest, GetGroupInviteRequest, ListGroupInvitesRequest, ListGroupInvitesResponse,
    rpc::{CreateGroup, CreateGroupInvite, DeleteGroup, DeleteGroupInvite, GetGroupInvite, ListGroupInvites},
};
use testkit::scenario;

use super::{invite, new_invite};
use crate::v2beta1::groups::new_group;

#[tokio::test]
async fn goes_once_and_with_its_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let team = admin.must::<CreateGroup>(new_group(&org, "team")).await.uid;
        s.name(&team, "team");
        let delete = |uid: &str| DeleteGroupInviteRequest { uid: uid.into() };
        let mut made = Vec::new();
        for _ in 0..3 {
            made.push(admin.must::<CreateGroupInvite>(new_invite(&team, invite("viewer", 60))).await.uid);
        }
        s.name(&made[0], "first");
        s.name(&made[1], "second");
        s.call::<DeleteGroupInvite>("one goes", &admin, delete(&made[0])).await;
        s.call::<DeleteGroupInvite>("and is gone", &admin, delete(&made[0])).await;
        s.call::<DeleteGroup>("the group goes", &admin, DeleteGroupRequest { uid: team }).await;
        s.call::<GetGroupInvite>("and the others with it", &admin, GetGroupInviteRequest { uid: made[1].clone() }).await;
        let left: ListGroupInvitesResponse = s.quietly::<ListGroupInvites>(&admin, ListGroupInvitesRequest::default()).await.ok();
        assert_eq!((left.group_invites.len(), left.total_count), (0, Some(0)), "nothing is left, nor counted");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
