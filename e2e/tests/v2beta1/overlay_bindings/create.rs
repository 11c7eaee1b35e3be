use contract::chainguard::platform::{
    iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup},
    registry::v2beta1::{
        DeleteRepoRequest, GetOverlayBindingRequest, ListOverlayBindingsRequest, ListOverlayBindingsResponse, Overlay,
        OverlayBinding, Repo,
        rpc::{CreateOverlay, CreateOverlayBinding, CreateRepo, DeleteRepo, GetOverlayBinding, ListOverlayBindings},
    },
};
use testkit::scenario;

use super::bind;
use crate::v2beta1::{absent, groups::new_group, overlays::new_overlay, repos::new_repo, roles::holder, tags::make_repo};

#[tokio::test]
async fn has_its_overlay_and_goes_with_its_repo() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let overlay: Overlay = s.quietly::<CreateOverlay>(&admin, new_overlay(&org, "tools", &["bash"])).await.ok();
        s.name(&overlay.uid, "overlay");
        let other: Overlay = s.quietly::<CreateOverlay>(&admin, new_overlay(&org, "more", &["curl"])).await.ok();
        let repo = make_repo(s, &admin, "app").await;
        s.name(&repo.uid, "repo");
        let made = s.call::<CreateOverlayBinding>("by its name", &admin, bind(&repo.uid, "tools", &["latest", "1.2"])).await;
        let binding: OverlayBinding = made.ok();
        let second: OverlayBinding =
            s.quietly::<CreateOverlayBinding>(&admin, bind(&repo.uid, &other.uid, &["latest"])).await.ok();
        let of_other = ListOverlayBindingsRequest { overlay: other.uid.clone(), ..ListOverlayBindingsRequest::default() };
        let listed: ListOverlayBindingsResponse = s.quietly::<ListOverlayBindings>(&admin, of_other).await.ok();
        assert_eq!((listed.total_count(), listed.overlay_bindings), (1, vec![second]));
        admin.must::<DeleteRepo>(DeleteRepoRequest { uid: repo.uid }).await;
        s.call::<GetOverlayBinding>("the repo is gone", &admin, GetOverlayBindingRequest { uid: binding.uid }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team")).await.ok();
        for parent in [&org, &folder.uid] {
            admin.must::<CreateOverlay>(new_overlay(parent, "tools", &["bash"])).await;
        }
        let overlay: Overlay = s.quietly::<CreateOverlay>(&admin, new_overlay(&org, "only", &["bash"])).await.ok();
        let repo = make_repo(s, &admin, "app").await;
        let elsewhere = Group { name: "elsewhere".into(), ..Group::default() };
        let elsewhere = CreateGroupRequest { parent: String::new(), group: Some(elsewhere) };
        let elsewhere: Group = s.quietly::<CreateGroup>(&admin, elsewhere).await.ok();
        let foreign: Overlay = s.quietly::<CreateOverlay>(&admin, new_overlay(&elsewhere.uid, "foreign", &["bash"])).await.ok();
        for (title, overlay, tags) in [
            ("no tags", overlay.uid.as_str(), &[][..]),
            ("a pattern", &overlay.uid, &["1.*", "latest"]),
            ("a tag twice", &overlay.uid, &["latest", "latest"]),
            ("an overlay that does not exist", &absent(&org), &["latest"]),
            ("a name that none has", "none", &["latest"]),
            ("a name that two have", "tools", &["latest"]),
            ("an overlay of another organization", &foreign.uid, &["latest"]),
            ("and its name", "foreign", &["latest"]),
        ] {
            s.call::<CreateOverlayBinding>(title, &admin, bind(&repo.uid, overlay, tags)).await;
        }
        s.call::<CreateOverlayBinding>("in no repo", &admin, bind(&absent(&repo.uid), &overlay.uid, &["latest"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// Whoever may bind in one place does not read by that what is in another.
#[tokio::test]
async fn takes_overlays_that_the_caller_may_read() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team")).await.ok();
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&folder.uid, "app")).await.ok();
        let hidden: Overlay = s.quietly::<CreateOverlay>(&admin, new_overlay(org.as_str(), "hidden", &["bash"])).await.ok();
        admin.must::<CreateOverlay>(new_overlay(&folder.uid, "own", &["bash"])).await;
        let below = folder.uid.parse().expect("a UIDP");
        let binder = holder(s, &below, "binder", &["registry.overlays.edit", "registry.overlays.list"]).await;
        s.call::<CreateOverlayBinding>("one of above", &binder, bind(&repo.uid, &hidden.uid, &["latest"])).await;
        s.call::<CreateOverlayBinding>("by its name", &binder, bind(&repo.uid, "hidden", &["latest"])).await;
        let own = s.quietly::<CreateOverlayBinding>(&binder, bind(&repo.uid, "own", &["latest"])).await;
        assert_eq!(own.code, "OK", "{:#}", own.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_repo_has_a_hundred_at_most() {
    scenario(async |s| {
        let admin = s.server.admin();
        let overlay: Overlay =
            s.quietly::<CreateOverlay>(&admin, new_overlay(s.server.organization().as_str(), "tools", &["bash"])).await.ok();
        let repo = make_repo(s, &admin, "app").await;
        for _ in 0..100 {
            admin.must::<CreateOverlayBinding>(bind(&repo.uid, &overlay.uid, &["latest"])).await;
        }
        let refused = s.quietly::<CreateOverlayBinding>(&admin, bind(&repo.uid, &overlay.uid, &["latest"])).await;
        assert_eq!(refused.code, "FAILED_PRECONDITION", "{:#}", refused.body);
        assert_eq!(refused.body["details"][0]["metadata"]["rule"], "GROUP_FULL");
    })
    .await;
}
