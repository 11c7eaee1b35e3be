use contract::chainguard::platform::{
    events::v2beta1::{
        DeleteSubscriptionRequest, GetSubscriptionRequest, ListSubscriptionsRequest, ListSubscriptionsResponse,
        rpc::{CreateSubscription, DeleteSubscription, GetSubscription, ListSubscriptions},
    },
    iam::v2beta1::{
        DeleteGroupRequest,
        rpc::{CreateGroup, DeleteGroup},
    },
};
use testkit::scenario;

use super::new_subscription;
use crate::v2beta1::groups::new_group;

#[tokio::test]
async fn goes_once_and_with_its_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let team = admin.must::<CreateGroup>(new_group(&org, "team")).await.uid;
        s.name(&team, "team");
        let delete = |uid: &str| DeleteSubscriptionRequest { uid: uid.into() };
        let mut made = Vec::new();
        for n in 0..3 {
            let wish = new_subscription(&team, &format!("https://hooks.example.com/{n}"));
            made.push(admin.must::<CreateSubscription>(wish).await.uid);
        }
        s.name(&made[0], "first");
        s.name(&made[1], "second");
        s.call::<DeleteSubscription>("one goes", &admin, delete(&made[0])).await;
        s.call::<DeleteSubscription>("and is gone", &admin, delete(&made[0])).await;
        s.call::<DeleteGroup>("the group goes", &admin, DeleteGroupRequest { uid: team }).await;
        s.call::<GetSubscription>("and the others with it", &admin, GetSubscriptionRequest { uid: made[1].clone() }).await;
        let left: ListSubscriptionsResponse =
            s.quietly::<ListSubscriptions>(&admin, ListSubscriptionsRequest::default()).await.ok();
        assert_eq!((left.subscriptions.len(), left.total_count), (0, Some(0)), "nothing is left, nor counted");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
