use std::collections::BTreeMap;

use contract::chainguard::platform::registry::v2beta1::{
    CustomOverlay, Repo,
    custom_overlay::{
        Accounts, Certificates, ImageContents,
        accounts::{Group, User},
        certificates::AdditionalEntry,
        image_contents::RuntimeKeyringEntry,
    },
    rpc::CreateRepo,
};
use testkit::scenario;

use super::{texts, with};

/// Plays the creation of a repo with each of the wishes.
async fn refusals(wishes: Vec<(&str, Repo)>) -> String {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        for (title, wish) in &wishes {
            let wish = Repo { name: "app".into(), ..wish.clone() };
            let answer = s.call::<CreateRepo>(title, &admin, with(&org, wish)).await;
            assert_eq!(answer.code, "INVALID_ARGUMENT", "{title}");
        }
    })
    .await
}

#[tokio::test]
async fn lists_hold_what_a_catalogue_knows() {
    let transcript = refusals(vec![
        ("a description of two lines", Repo { description: "a\nb".into(), ..Repo::default() }),
        ("a tier that is none", Repo { catalog_tier: 7, ..Repo::default() }),
        ("a bundle that is none", Repo { bundles: texts(&["base", "gold"]), ..Repo::default() }),
        ("more bundles than there are", Repo { bundles: vec!["base".to_owned(); 10], ..Repo::default() }),
        ("an alias without a tag", Repo { aliases: texts(&["app:latest", "app"]), ..Repo::default() }),
        ("an alias with a space", Repo { aliases: texts(&["my app:latest"]), ..Repo::default() }),
        ("an alias that is too long", Repo { aliases: vec![format!("{}:latest", "a".repeat(600))], ..Repo::default() }),
        ("a tag that is none", Repo { active_tags: texts(&["latest", ".hidden", ""]), ..Repo::default() }),
        ("a tag that is too long", Repo { active_tags: vec!["a".repeat(129)], ..Repo::default() }),
        ("too many tags", Repo { active_tags: vec!["latest".to_owned(); 1001], ..Repo::default() }),
    ])
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn overlays_stay_within_the_image_s_own() {
    let pair = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
    let overlay = |custom_overlay: CustomOverlay| Repo { custom_overlay: Some(custom_overlay), ..Repo::default() };
    let environment = |environment: BTreeMap<String, String>| overlay(CustomOverlay { environment, ..CustomOverlay::default() });
    let annotations = |annotations: BTreeMap<String, String>| overlay(CustomOverlay { annotations, ..CustomOverlay::default() });
    let contents = |contents: ImageContents| overlay(CustomOverlay { contents: Some(contents), ..CustomOverlay::default() });
    let key = |name: &str, content: &str| {
        let key = RuntimeKeyringEntry { name: name.into(), content: content.into() };
        contents(ImageContents { runtime_keyring: vec![key], ..ImageContents::default() })
    };
    let user = |user: User| {
        let accounts = Accounts { users: vec![user], ..Accounts::default() };
        overlay(CustomOverlay { accounts: Some(accounts), ..CustomOverlay::default() })
    };
    let certificate = |name: &str, content: &str| {
        let additional = vec![AdditionalEntry { name: name.into(), content: content.into() }];
        let certificates = Certificates { additional, ..Certificates::default() };
        overlay(CustomOverlay { certificates: Some(certificates), ..CustomOverlay::default() })
    };
    let nameless = Accounts { groups: vec![Group::default()], ..Accounts::default() };
    let transcript = refusals(vec![
        ("a variable of the platform", environment(pair("CHAINGUARD_TOKEN", "a"))),
        ("a variable without a name", environment(pair("", "a"))),
        ("a variable with an equals sign", environment(pair("A=B", "c"))),
        ("an annotation of the platform", annotations(pair("dev.chainguard.image", "a"))),
        ("an annotation of the standard", annotations(pair("org.opencontainers.image.title", "a"))),
        ("an annotation with a NUL", annotations(pair("com.example", "a\u{0}b"))),
        ("an empty package", contents(ImageContents { packages: texts(&["bash", ""]), ..ImageContents::default() })),
        ("a key in a hidden file", key(".rsa.pub", "a")),
        ("a key in another folder", key("../own.rsa.pub", "a")),
        ("a key without content", key("own.rsa.pub", "")),
        ("a key without anything", key("", "")),
        ("a user without a name", user(User::default())),
        ("a user with a negative number", user(User { username: "app".into(), uid: -1, ..User::default() })),
        ("a group without a name", overlay(CustomOverlay { accounts: Some(nameless), ..CustomOverlay::default() })),
        ("a certificate in another folder", certificate("a/b.pem", "a")),
        ("a certificate without content", certificate("own.pem", "")),
    ])
    .await;
    insta::assert_snapshot!(transcript);
}
