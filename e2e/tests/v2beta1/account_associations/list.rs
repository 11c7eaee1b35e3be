use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        Group, ListAccountAssociationsRequest, ListAccountAssociationsResponse,
        rpc::{CreateAccountAssociation, CreateGroup, ListAccountAssociations},
    },
};
use testkit::{Actor, scenario};

use super::{named, new_association};
use crate::v2beta1::groups::new_group;

/// The names on the page and what it counts.
fn line(page: &ListAccountAssociationsResponse) -> String {
    let names: Vec<_> = page.account_associations.iter().map(|association| association.name.as_str()).collect();
    format!("{} ({} in all)", names.join(", "), page.total_count())
}

#[tokio::test]
async fn stand_where_their_groups_stand() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder = async |actor: &Actor, parent: &str, name: &str| -> String {
            actor.must::<CreateGroup>(new_group(parent, name)).await.uid
        };
        let first = folder(&admin, org.as_str(), "first").await;
        let below = folder(&admin, &first, "below").await;
        let bare: Group = admin.must::<CreateGroup>(new_group(org.as_str(), "bare")).await;
        let lower = folder(&admin, &bare.uid, "lower").await;
        for (group, name) in [(org.as_str(), "of-org"), (&first, "of-first"), (&below, "of-below"), (&lower, "of-lower")] {
            s.server.clock().advance_seconds(1);
            admin.must::<CreateAccountAssociation>(new_association(group, named(name))).await;
        }
        let by =
            |order: &str| ListAccountAssociationsRequest { order_by: order.into(), ..ListAccountAssociationsRequest::default() };
        let within = |uidp: UidpFilter| ListAccountAssociationsRequest { uidp: Some(uidp), ..by("created_at") };
        let part = UidpFilter::default;
        let requests = [
            ("all, the newest first", by("created_at desc")),
            ("by name", by("name")),
            ("of this name", ListAccountAssociationsRequest { name: "of-below".into(), ..by("") }),
            ("at and below the first folder", within(UidpFilter { descendants_of: first.clone(), ..part() })),
            ("at and below one that has none", within(UidpFilter { descendants_of: bare.uid.clone(), ..part() })),
            ("of the groups in the organization", within(UidpFilter { children_of: org.to_string(), ..part() })),
            ("of organizations", within(UidpFilter { in_root: true, ..part() })),
            ("above", within(UidpFilter { ancestors_of: below.clone(), ..part() })),
            ("of these groups", within(UidpFilter { ids: vec![first.clone(), bare.uid.clone()], ..part() })),
        ];
        for (title, request) in requests {
            let page: ListAccountAssociationsResponse = s.quietly::<ListAccountAssociations>(&admin, request).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
        let at = first.parse().expect("a folder's uid");
        let viewer = s.server.workload(&at, "viewer", Some("viewer")).await;
        let page: ListAccountAssociationsResponse = s.quietly::<ListAccountAssociations>(&viewer, by("created_at")).await.ok();
        s.transcript.line(&format!("a viewer of the first folder: {}", line(&page)));

        let page = async |order| s.quietly::<ListAccountAssociations>(&admin, by(order)).await;
        assert_eq!(page("group").await, page("").await);
        assert_eq!(page("group desc").await, page("uid desc").await);
        assert_ne!(page("group desc").await, page("group asc").await);
        assert_eq!(page("groups").await.code, "INVALID_ARGUMENT");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
