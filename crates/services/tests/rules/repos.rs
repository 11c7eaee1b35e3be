use std::collections::BTreeMap;

use domain::{
    Description, Timestamp, Uidp,
    registry::{
        Account, AccountGroup, Accounts, CatalogTier, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry,
        RepoSpec, SyncConfig,
    },
};

use crate::world::{NAME_TAKEN, NOT_FOUND, STALE, World, built_in, edit_repo, name, refused, repo, request, violated};
use services::registry::repos::RepoFilter;

fn follow(source: &Uidp) -> SyncConfig {
    SyncConfig {
        source: source.clone(),
        unique_tags: true,
        expires_at: Timestamp(1),
        google: String::new(),
        amazon: "123.dkr.ecr.example/x".into(),
        azure: String::new(),
        apko_overlay: "mine".into(),
        grace_period: true,
    }
}

fn synced(called: &str, source: &Uidp) -> RepoSpec {
    RepoSpec { sync_config: Some(follow(source)), ..repo(called) }
}

#[tokio::test]
async fn names_are_unique_within_their_group() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let folder = world.folder(&organization, "folder").await;
    let ctx = world.by(&alice, &["repo.list"]).await;
    let first = world.repos.create(&ctx, &organization, repo("nginx")).await.unwrap();
    assert_eq!(refused(world.repos.create(&ctx, &organization, repo("nginx")).await), NAME_TAKEN);
    world.repos.create(&ctx, &folder, repo("nginx")).await.expect("another group has names of its own");
    let second = world.repos.create(&ctx, &organization, repo("redis")).await.unwrap();
    let clash = world.repos.update(&ctx, &second.uid, edit_repo(|spec| spec.name = name("nginx"))).await;
    assert_eq!(refused(clash), NAME_TAKEN);
    assert_eq!(world.repos.get(&ctx, &second.uid).await.unwrap(), second, "the refused change left nothing");

    world.repos.delete(&ctx, &first.uid).await.unwrap();
    assert_eq!(refused(world.repos.delete(&ctx, &first.uid).await), NOT_FOUND);
    world.repos.update(&ctx, &second.uid, edit_repo(|spec| spec.name = name("nginx"))).await.expect("the name is free again");
    for not_a_group in [organization.child([9; 8]), second.uid.clone()] {
        assert_eq!(refused(world.repos.create(&ctx, &not_a_group, repo("x")).await), NOT_FOUND);
    }
    let mut stale = world.by(&alice, &[]).await;
    stale.if_match = Some(second.revision.etag());
    assert_eq!(refused(world.repos.delete(&stale, &second.uid).await), STALE);
}

/// A change that is refused, and the fields that are named.
type Refused = (fn(&mut RepoSpec), &'static [&'static str]);

#[tokio::test]
async fn lists_have_their_formats_and_keep_their_order() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let mut spec = repo("nginx");
    spec.bundles = vec!["fips".into(), "ai-gpu".into()];
    spec.aliases = vec!["nginx:latest".into(), "docker.io/library/nginx:1".into()];
    spec.active_tags = vec!["latest".into(), "1.27".into()];
    let made = world.repos.create(&world.operator(), &organization, spec.clone()).await.unwrap();
    assert_eq!(world.repos.get(&world.operator(), &made.uid).await.unwrap().spec, spec);

    let cases: Vec<Refused> = vec![
        (|spec| spec.bundles = vec!["fips".into(), "gold".into()], &["bundles[1]"]),
        (|spec| spec.bundles = vec!["fips".into(); 10], &["bundles"]),
        (|spec| spec.aliases = vec!["nginx".into()], &["aliases[0]"]),
        (|spec| spec.aliases = vec![format!("{}:a", "x".repeat(600))], &["aliases[0]"]),
        (|spec| spec.aliases = vec!["a:b".into(); 1001], &["aliases"]),
        (|spec| spec.active_tags = vec!["ok".into(), "-no".into(), String::new()], &["active_tags[1]", "active_tags[2]"]),
        (|spec| spec.active_tags = vec!["a".into(); 1001], &["active_tags"]),
    ];
    for (change, fields) in cases {
        let mut spec = repo("bad");
        change(&mut spec);
        assert_eq!(violated(world.repos.create(&world.operator(), &organization, spec).await), fields);
        assert_eq!(violated(world.repos.update(&world.operator(), &made.uid, edit_repo(change)).await), fields);
    }
}

#[tokio::test]
async fn overlays_have_their_limits() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let pairs = |key: &str| BTreeMap::from([(key.to_owned(), "value".to_owned())]);
    let contents = |change: fn(&mut ImageContents)| {
        let mut contents = ImageContents::default();
        change(&mut contents);
        CustomOverlay { contents: Some(contents), ..CustomOverlay::default() }
    };
    let key = |name: &str| {
        let entry = KeyringEntry { name: name.into(), content: "-----BEGIN PUBLIC KEY-----\n".into() };
        let contents = ImageContents { runtime_keyring: vec![entry], ..ImageContents::default() };
        CustomOverlay { contents: Some(contents), ..CustomOverlay::default() }
    };
    let user = Account {
        username: String::new(),
        uid: -1,
        gid: -1,
        group_name: String::new(),
        shell: "/bin/\u{1}".into(),
        home_dir: String::new(),
    };
    let people = AccountGroup { groupname: String::new(), gid: -1, members: vec![String::new()] };
    let accounts = Accounts { run_as: "x".repeat(256), users: vec![user], groups: vec![people] };
    let entry = CertificateEntry { name: "../ca".into(), content: String::new() };
    let certificates = Certificates { additional: vec![entry], providers: vec![String::new()] };
    let cases: Vec<(CustomOverlay, &[&str])> = vec![
        (CustomOverlay { environment: pairs("CHAINGUARD_X"), ..CustomOverlay::default() }, &["custom_overlay.environment"]),
        (CustomOverlay { environment: pairs("A=B"), ..CustomOverlay::default() }, &["custom_overlay.environment"]),
        (CustomOverlay { environment: pairs(""), ..CustomOverlay::default() }, &["custom_overlay.environment"]),
        (CustomOverlay { annotations: pairs("dev.chainguard.x"), ..CustomOverlay::default() }, &["custom_overlay.annotations"]),
        (
            CustomOverlay { annotations: pairs("org.opencontainers.x"), ..CustomOverlay::default() },
            &["custom_overlay.annotations"],
        ),
        (contents(|c| c.packages = vec![String::new()]), &["custom_overlay.contents.packages[0]"]),
        (contents(|c| c.packages = vec!["a".into(); 501]), &["custom_overlay.contents.packages"]),
        (contents(|c| c.runtime_repositories = vec!["x".repeat(2049)]), &["custom_overlay.contents.runtime_repositories[0]"]),
        (key(".hidden"), &["custom_overlay.contents.runtime_keyring[0].name"]),
        (key("a/b"), &["custom_overlay.contents.runtime_keyring[0].name"]),
        (key(""), &["custom_overlay.contents.runtime_keyring[0].name"]),
        (
            CustomOverlay { accounts: Some(accounts), ..CustomOverlay::default() },
            &[
                "custom_overlay.accounts.run_as",
                "custom_overlay.accounts.users[0].username",
                "custom_overlay.accounts.users[0].shell",
                "custom_overlay.accounts.users[0].uid",
                "custom_overlay.accounts.users[0].gid",
                "custom_overlay.accounts.groups[0].groupname",
                "custom_overlay.accounts.groups[0].gid",
                "custom_overlay.accounts.groups[0].members[0]",
            ],
        ),
        (
            CustomOverlay { certificates: Some(certificates), ..CustomOverlay::default() },
            &[
                "custom_overlay.certificates.additional[0].name",
                "custom_overlay.certificates.additional[0].content",
                "custom_overlay.certificates.providers[0]",
            ],
        ),
    ];
    for (overlay, fields) in cases {
        let spec = RepoSpec { custom_overlay: Some(overlay.clone()), ..repo("bad") };
        assert_eq!(violated(world.repos.create(&world.operator(), &organization, spec).await), fields, "{overlay:?}");
    }
    let good = CustomOverlay { environment: pairs("HOME"), annotations: pairs("team"), ..key("wolfi.rsa.pub") };
    let spec = RepoSpec { custom_overlay: Some(good), ..repo("good") };
    let made = world.repos.create(&world.operator(), &organization, spec.clone()).await.unwrap();
    assert_eq!(world.repos.get(&world.operator(), &made.uid).await.unwrap().spec, spec);
}

#[tokio::test]
async fn a_synced_repo_shows_what_its_source_has() {
    let world = World::new().await;
    let (catalogue, _) = world.organization("catalogue").await;
    let (alices, alice) = world.organization("alice").await;
    let mut spec = repo("nginx");
    (spec.catalog_tier, spec.active_tags) = (CatalogTier::Base, vec!["latest".into()]);
    spec.description = Description::trusted("a web server");
    let source = world.repos.create(&world.operator(), &catalogue, spec).await.unwrap();

    let ctx = world.by(&alice, &["repo.list"]).await;
    let unknown = world.repos.create(&ctx, &alices, synced("mine", &catalogue.child([9; 8]))).await.unwrap_err();
    let unreadable = world.repos.create(&ctx, &alices, synced("mine", &source.uid)).await.unwrap_err();
    assert_eq!(unknown.message(), unreadable.message(), "nobody learns what exists elsewhere");
    assert_eq!(crate::world::fields(&unknown), ["sync_config.source"]);

    world.bind(&catalogue, &alice, &built_in("registry.pull")).await;
    let ctx = world.by(&alice, &["repo.list"]).await;
    let mine = world.repos.create(&ctx, &alices, synced("mine", &source.uid)).await.unwrap();
    let sync = mine.spec.sync_config.clone().unwrap();
    assert_eq!(sync.expires_at, world.now().plus_seconds(14 * 24 * 60 * 60));
    let set_by_server = (sync.unique_tags, sync.grace_period, sync.apko_overlay.as_str(), sync.amazon.as_str());
    assert_eq!(set_by_server, (false, false, "", "123.dkr.ecr.example/x"));
    assert_eq!((mine.spec.catalog_tier, mine.spec.active_tags.as_slice()), (CatalogTier::Base, ["latest".to_owned()].as_slice()));
    assert_eq!(mine.spec.description.as_str(), "a web server");

    let set = edit_repo(|spec| spec.catalog_tier = CatalogTier::Fips);
    assert_eq!(violated(world.repos.update(&ctx, &mine.uid, set).await), ["catalog_tier"]);
    let set = edit_repo(|spec| {
        spec.bundles = vec!["fips".into()];
        spec.aliases = vec!["a:b".into()];
        spec.active_tags.clear();
    });
    assert_eq!(violated(world.repos.update(&ctx, &mine.uid, set).await), ["bundles", "aliases", "active_tags"]);
    let mut spec = synced("other", &source.uid);
    spec.catalog_tier = CatalogTier::Fips;
    assert_eq!(violated(world.repos.create(&ctx, &alices, spec.clone()).await), ["catalog_tier"]);
    spec.catalog_tier = CatalogTier::Base;
    world.repos.create(&ctx, &alices, spec).await.expect("restating is no change");

    let retag = edit_repo(|spec| {
        spec.active_tags = vec!["1.27".into()];
        spec.description = Description::trusted("changed");
    });
    world.repos.update(&world.operator(), &source.uid, retag).await.unwrap();
    world.wait(60);
    let renamed = edit_repo(|spec| {
        spec.name = name("renamed");
        spec.sync_config.as_mut().unwrap().grace_period = true;
    });
    let renamed = world.repos.update(&ctx, &mine.uid, renamed).await.unwrap();
    assert_eq!(renamed.spec.sync_config, Some(sync.clone()), "what the server sets stays");
    assert_eq!((renamed.spec.active_tags[0].as_str(), renamed.spec.description.as_str()), ("1.27", "changed"));
    assert_eq!(world.repos.get(&ctx, &mine.uid).await.unwrap(), renamed);
    let listed = world.repos.list(&world.by(&alice, &["repo.list"]).await, request(), RepoFilter::default()).await.unwrap();
    assert!(listed.items.contains(&renamed));

    let described = edit_repo(|spec| spec.description = Description::trusted("my own"));
    assert_eq!(world.repos.update(&ctx, &mine.uid, described).await.unwrap().spec.description.as_str(), "my own");
    world.repos.delete(&world.operator(), &source.uid).await.unwrap();
    let orphan = world.repos.get(&ctx, &mine.uid).await.unwrap();
    assert_eq!(orphan.spec.active_tags, ["1.27"], "what was inherited last stays");
    let freed = edit_repo(|spec| {
        spec.sync_config = None;
        spec.active_tags.clear();
    });
    assert!(world.repos.update(&ctx, &mine.uid, freed).await.unwrap().spec.active_tags.is_empty());
}

#[tokio::test]
async fn sources_do_not_go_in_circles() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let operator = world.operator();
    let first = world.repo(&organization, "r0").await.uid;
    let mut last = first.clone();
    for index in 1..8 {
        last = world.repos.create(&operator, &organization, synced(&format!("r{index}"), &last)).await.unwrap().uid;
    }
    let tier = edit_repo(|spec| spec.catalog_tier = CatalogTier::Ai);
    world.repos.update(&operator, &first, tier).await.unwrap();
    assert_eq!(world.repos.get(&operator, &last).await.unwrap().spec.catalog_tier, CatalogTier::Ai);
    for source in [first.clone(), last.clone()] {
        let circle = edit_repo(move |spec| spec.sync_config = Some(follow(&source)));
        assert_eq!(violated(world.repos.update(&operator, &first, circle).await), ["sync_config.source"]);
    }
    let eighth = world.repos.create(&operator, &organization, synced("r8", &last)).await.unwrap().uid;
    assert_eq!(world.repos.get(&operator, &eighth).await.unwrap().spec.catalog_tier, CatalogTier::Ai);
    assert_eq!(violated(world.repos.create(&operator, &organization, synced("r9", &eighth)).await), ["sync_config.source"]);
}

#[tokio::test]
async fn sources_are_found_by_name_and_reference() {
    let world = World::new().await;
    let (alices, alice) = world.organization("alice").await;
    let (bobs, _) = world.organization("bob").await;
    let folder = world.folder(&alices, "web").await;
    let (nginx, redis) = (world.repo(&folder, "nginx").await.uid, world.repo(&alices, "redis").await.uid);
    let (_, other) = (world.repo(&bobs, "redis").await, world.repo(&bobs, "postgres").await);
    let ctx = world.by(&alice, &[]).await;
    let find = |source: &'static str| {
        let (repos, ctx) = (world.repos.clone(), ctx.clone());
        async move { repos.resolve_source(&ctx, source).await }
    };
    assert_eq!(world.repos.resolve_source(&ctx, other.uid.as_str()).await.unwrap(), other.uid);
    assert_eq!(find("nginx").await.unwrap(), nginx);
    assert_eq!(find("redis").await.unwrap(), redis, "that of the other organization does not count");
    assert_eq!(find("registry.example/alices/web/nginx").await.unwrap(), nginx);
    assert_eq!(find("registry.example/alices/redis").await.unwrap(), redis);
    for unknown in [
        "",
        "absent",
        "postgres",
        "registry.example/alices/nginx",
        "registry.example/bobs/redis",
        "registry.example/redis",
        "elsewhere.example/alices/redis",
    ] {
        assert_eq!(violated(find(unknown).await), ["sync_config.source"], "{unknown}");
    }
    let ambiguous = world.repos.resolve_source(&world.operator(), "redis").await;
    assert_eq!(violated(ambiguous), ["sync_config.source"]);
    assert_eq!(world.repos.resolve_source(&world.operator(), "registry.example/bobs/postgres").await.unwrap(), other.uid);
}
