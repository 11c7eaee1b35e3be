use contract::chainguard::platform::{
    iam::v2beta1::{DeleteGroupRequest, Group, rpc::CreateGroup, rpc::DeleteGroup},
    registry::v2beta1::{
        CreateOverlayBindingRequest, DeleteOverlayBindingRequest, DeleteOverlayRequest, Overlay, OverlayBinding,
        rpc::{CreateOverlay, CreateOverlayBinding, DeleteOverlay, DeleteOverlayBinding},
    },
};
use testkit::scenario;

use super::new_overlay;
use crate::v2beta1::{groups::new_group, repos::texts, tags::make_repo};

#[tokio::test]
async fn stays_while_it_is_bound_and_keeps_its_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(s.server.organization().as_str(), "team")).await.ok();
        let overlay: Overlay = s.quietly::<CreateOverlay>(&admin, new_overlay(&folder.uid, "tools", &["bash"])).await.ok();
        let repo = make_repo(s, &admin, "app").await;
        let bind = CreateOverlayBindingRequest { parent: repo.uid, overlay: overlay.uid.clone(), tags: texts(&["latest"]) };
        let binding: OverlayBinding = s.quietly::<CreateOverlayBinding>(&admin, bind).await.ok();
        let delete = DeleteOverlayRequest { uid: overlay.uid.clone() };
        s.call::<DeleteOverlay>("while it is bound", &admin, delete.clone()).await;
        let group = DeleteGroupRequest { uid: folder.uid.clone() };
        s.call::<DeleteGroup>("nor goes its group", &admin, group.clone()).await;
        admin.must::<DeleteOverlayBinding>(DeleteOverlayBindingRequest { uid: binding.uid }).await;
        s.call::<DeleteOverlay>("it goes", &admin, delete.clone()).await;
        s.call::<DeleteOverlay>("and is gone", &admin, delete).await;
        assert_eq!(s.quietly::<DeleteGroup>(&admin, group).await.code, "OK");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
