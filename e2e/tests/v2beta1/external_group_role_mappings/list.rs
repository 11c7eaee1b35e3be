use contract::chainguard::platform::iam::v2beta1::{
    ListExternalGroupRoleMappingsRequest, ListExternalGroupRoleMappingsResponse,
    rpc::{CreateExternalGroupRoleMapping, ListExternalGroupRoleMappings},
};
use testkit::scenario;

use super::{make_provider, new_mapping};
use crate::v2beta1::{absent, built_in};

#[tokio::test]
async fn finds_those_of_an_identity_provider() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let (login, other) = (make_provider(s, &admin, "login").await, make_provider(s, &admin, "other").await);
        for (provider, group) in [(&login, "a"), (&login, "b"), (&other, "a")] {
            admin.must::<CreateExternalGroupRoleMapping>(new_mapping(provider, group, &built_in("viewer"))).await;
        }
        let stranger = s.server.stranger().await;
        for (actor, provider, order, expected) in [
            (&admin, "", "", 3),
            (&admin, &login, "created_at desc", 2),
            (&admin, &other, "uid desc", 1),
            (&admin, &absent(&org), "", 0),
            (&stranger, &login, "", 0),
        ] {
            let request = ListExternalGroupRoleMappingsRequest {
                identity_provider_uid: provider.into(),
                order_by: order.into(),
                ..ListExternalGroupRoleMappingsRequest::default()
            };
            let listed: ListExternalGroupRoleMappingsResponse =
                s.quietly::<ListExternalGroupRoleMappings>(actor, request).await.ok();
            let items = listed.external_group_role_mappings;
            assert_eq!((items.len(), listed.total_count), (expected, i64::try_from(expected).ok()), "{provider}");
            assert!(provider.is_empty() || items.iter().all(|item| item.identity_provider_uid == provider));
        }
        let by_name =
            ListExternalGroupRoleMappingsRequest { order_by: "name".into(), ..ListExternalGroupRoleMappingsRequest::default() };
        assert_eq!(s.quietly::<ListExternalGroupRoleMappings>(&admin, by_name).await.code, "INVALID_ARGUMENT", "they have none");
    })
    .await;
}
