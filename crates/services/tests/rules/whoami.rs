use domain::{Kind, Narrowing, Rule};

use crate::world::{World, built_in, capabilities, edit_role, refused};

#[tokio::test]
async fn a_role_stands_for_what_a_token_allows_where_one_does() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let folder = world.folder(&organization, "folder").await;
    let custom = world.role(&organization, "custom", &["repo.list", "groups.list"]).await;
    world.bind(&folder, &alice, &custom).await;
    let account = world.whoami.get(&world.by(&alice, &[]).await).await.unwrap();
    assert_eq!(account.identity.unwrap().uid, alice);
    let entries: Vec<_> = account.access.iter().map(|a| (a.group.uid.clone(), a.role.as_ref().map(|r| r.uid.clone()))).collect();
    assert_eq!(entries, [(organization.clone(), Some(built_in("owner"))), (folder.clone(), Some(custom.clone()))]);

    // A second binding at the same group changes the set, and a subset of another role's adds nothing.
    world.bind(&organization, &alice, &built_in("viewer")).await;
    let second = world.bind(&folder, &alice, &built_in("apk.pull")).await;
    let account = world.whoami.get(&world.by(&alice, &[]).await).await.unwrap();
    assert_eq!(account.access[0].role.as_ref().unwrap().uid, built_in("owner"));
    assert_eq!(account.access[1].role, None);
    assert_eq!(account.access[1].capabilities, capabilities(&["repo.list", "groups.list", "apk.list", "apk.blobs.get"]));
    world.role_bindings.delete(&world.operator(), &second).await.unwrap();

    let wide = edit_role(|spec| spec.capabilities = capabilities(&["repo.list", "tag.list"]));
    world.roles.update(&world.operator(), &custom, wide).await.unwrap();
    let account = world.whoami.get(&world.by(&alice, &[]).await).await.unwrap();
    assert_eq!(account.access[1].role.as_ref().unwrap().uid, custom, "the role as it is now");
}

#[tokio::test]
async fn a_narrowed_token_is_explained_as_narrowed() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let folder = world.folder(&organization, "folder").await;
    let narrowing = Narrowing { scopes: Some(vec![folder.clone()]), capabilities: None };
    let account = world.whoami.get(&world.narrowed(&alice, &[], narrowing).await).await.unwrap();
    assert_eq!(account.access.len(), 1);
    assert_eq!(account.access[0].group.uid, folder);
    assert_eq!(account.access[0].role.as_ref().unwrap().uid, built_in("owner"));

    let narrowing = Narrowing { scopes: None, capabilities: Some(capabilities(&["repo.list", "repo.create"])) };
    let account = world.whoami.get(&world.narrowed(&alice, &[], narrowing).await).await.unwrap();
    assert_eq!(account.access[0].role, None);
    assert_eq!(account.access[0].capabilities, capabilities(&["repo.list", "repo.create"]));
    let narrowing = Narrowing { scopes: None, capabilities: Some(capabilities(&["advisories.list"])) };
    let account = world.whoami.get(&world.narrowed(&alice, &[], narrowing).await).await.unwrap();
    assert_eq!(account.access[0].role.as_ref().unwrap().uid, built_in("advisories.viewer"), "a role that is not bound");
}

#[tokio::test]
async fn operators_and_nobody_have_no_groups() {
    let world = World::new().await;
    world.organization("alice").await;
    let account = world.whoami.get(&world.operator()).await.unwrap();
    assert!(account.identity.is_none() && account.access.is_empty());
    assert_eq!(refused(world.whoami.get(&world.system()).await), (Kind::Unauthenticated, Rule::TokenMissing));
}
