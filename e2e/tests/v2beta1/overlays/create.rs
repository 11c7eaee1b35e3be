use contract::chainguard::platform::{
    iam::v2beta1::rpc::CreateGroup,
    registry::v2beta1::{
        CustomOverlay, Overlay,
        custom_overlay::{Accounts, ImageContents},
        rpc::CreateOverlay,
    },
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use super::{new_overlay, with};
use crate::v2beta1::{absent, groups::new_group, repos::texts};

#[tokio::test]
async fn keeps_its_packages_in_order() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder = admin.must::<CreateGroup>(new_group(&org, "team")).await;
        let packages = ["wget", "curl~8", "bash>=5"];
        let made = s.call::<CreateOverlay>("an overlay", &admin, new_overlay(&folder.uid, "tools", &packages)).await;
        let overlay: Overlay = made.ok();
        s.call::<CreateOverlay>("the name again", &admin, new_overlay(&folder.uid, "tools", &["bash"])).await;
        let elsewhere = s.quietly::<CreateOverlay>(&admin, new_overlay(&org, "tools", &["bash"])).await;
        assert_eq!(elsewhere.code, "OK", "another group may have one of that name");

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == overlay.uid).collect();
        assert_eq!(told.len(), 1);
        assert!(told.iter().all(|event| event.group == org && event.kind.ends_with(".overlay.created.v1")), "{told:?}");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<CreateOverlay>("nothing", &admin, with(&org, "", CustomOverlay::default())).await;
        s.call::<CreateOverlay>("a package without a name", &admin, new_overlay(&org, "tools", &["bash", ""])).await;
        let contents = ImageContents {
            packages: texts(&["bash"]),
            runtime_repositories: texts(&["https://packages.example.com"]),
            ..ImageContents::default()
        };
        let more = CustomOverlay {
            contents: Some(contents),
            environment: [("A".to_owned(), "b".to_owned())].into(),
            annotations: [("a".to_owned(), "b".to_owned())].into(),
            accounts: Some(Accounts::default()),
            ..CustomOverlay::default()
        };
        s.call::<CreateOverlay>("more than packages", &admin, with(&org, "tools", more)).await;
        s.call::<CreateOverlay>("in no group", &admin, new_overlay(&absent(&org), "tools", &["bash"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
