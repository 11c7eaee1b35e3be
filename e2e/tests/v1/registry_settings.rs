use client::Options;
use contract::chainguard::platform::registry::{
    GetRegistrySettingsRequest, RegistrySettings,
    rpc::{GetRegistrySettings, UpdateRegistrySettings},
};
use testkit::scenario;

use crate::v2beta1::absent;

#[tokio::test]
async fn are_off_until_an_operator_sets_them() {
    let transcript = scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let get = |group: &str| GetRegistrySettingsRequest { registry_id: group.to_owned() };
        let none = s.call::<GetRegistrySettings>("nobody has set any", &admin, get(&org)).await;
        let wish = RegistrySettings { registry_id: org.clone(), unique_tags: true, ..RegistrySettings::default() };
        s.call::<UpdateRegistrySettings>("an owner may not", &admin, wish.clone()).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<UpdateRegistrySettings>(&operator, wish.clone(), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let current = Options { if_match: none.etag, ..Options::default() };
        let rehearsal = Options { validate_only: true, ..current.clone() };
        assert_eq!(s.quietly_with::<UpdateRegistrySettings>(&operator, wish.clone(), &rehearsal).await.code, "OK");
        let set = s.quietly_with::<UpdateRegistrySettings>(&operator, wish.clone(), &current).await;
        assert_eq!(set.ok::<RegistrySettings>(), wish);
        assert_eq!(s.quietly::<UpdateRegistrySettings>(&operator, wish.clone()).await, set, "the same values change nothing");
        assert_eq!(s.quietly::<GetRegistrySettings>(&admin, get(&org)).await, set);
        let other = RegistrySettings { unique_tags: false, eol_grace_period: true, ..wish };
        s.call::<UpdateRegistrySettings>("all of them are replaced", &operator, other).await;
        s.call::<GetRegistrySettings>("of no group", &admin, get(&absent(&org))).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
