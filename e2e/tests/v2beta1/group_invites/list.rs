use contract::chainguard::platform::iam::v2beta1::{
    ListGroupInvitesRequest, ListGroupInvitesResponse,
    rpc::{CreateGroupInvite, ListGroupInvites},
};
use testkit::scenario;

use super::{invite, new_invite};

#[tokio::test]
async fn the_newest_come_first_and_expired_ones_stay() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut made = Vec::new();
        for _ in 0..3 {
            made.insert(0, admin.must::<CreateGroupInvite>(new_invite(&org, invite("viewer", 1))).await.uid);
            s.server.clock().advance_seconds(2);
        }
        let listed: ListGroupInvitesResponse =
            s.quietly::<ListGroupInvites>(&admin, ListGroupInvitesRequest::default()).await.ok();
        let shown: Vec<_> = listed.group_invites.iter().map(|invite| invite.uid.clone()).collect();
        assert_eq!(shown, made);
        assert!(listed.group_invites.iter().all(|invite| invite.code.is_empty() && invite.ttl.is_none()), "{listed:?}");
        let by_uid = ListGroupInvitesRequest { order_by: "uid".into(), ..ListGroupInvitesRequest::default() };
        let listed: ListGroupInvitesResponse = s.quietly::<ListGroupInvites>(&admin, by_uid).await.ok();
        made.sort();
        assert_eq!(listed.group_invites.into_iter().map(|invite| invite.uid).collect::<Vec<_>>(), made);
    })
    .await;
}
