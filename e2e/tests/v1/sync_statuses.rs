use contract::chainguard::platform::registry::{
    CreateRepoRequest, GetSyncStatusRequest, ListSyncStatusesRequest, Repo, SyncConfig, SyncStatus, SyncStatusList,
    rpc::{CreateRepo, GetSyncStatus, ListSyncStatuses},
};
use testkit::scenario;

use crate::v2beta1::{absent, tags::make_repo};

#[tokio::test]
async fn say_that_nothing_is_known() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let source = make_repo(s, &admin, "source").await.uid;
        let sync_config = Some(SyncConfig { source: source.clone(), ..SyncConfig::default() });
        let wish = Repo { name: "copy".into(), sync_config, ..Repo::default() };
        let wish = CreateRepoRequest { parent_id: org.clone(), repo: Some(wish), ..CreateRepoRequest::default() };
        let copy = admin.must::<CreateRepo>(wish).await.id;
        let listed: SyncStatusList =
            s.quietly::<ListSyncStatuses>(&admin, ListSyncStatusesRequest { registry_id: org }).await.ok();
        let listed: Vec<_> = listed.items.into_iter().map(|item| (item.repo_id, item.repo_status)).collect();
        assert_eq!(listed, [(copy.clone(), Some(SyncStatus::default()))], "of those that follow another one");
        let one: SyncStatus = s.quietly::<GetSyncStatus>(&admin, GetSyncStatusRequest { repo_id: copy.clone() }).await.ok();
        assert_eq!(one, SyncStatus::default());
        let none = s.quietly::<GetSyncStatus>(&admin, GetSyncStatusRequest { repo_id: absent(&copy) }).await;
        assert_eq!(none.code, "NOT_FOUND");
    })
    .await;
}
