use client::Options;
use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateRoleRequest, GetRoleRequest, Role,
        rpc::{CreateRole, GetRole},
    },
    registry::v2beta1::{Repo, rpc::CreateRepo},
};
use testkit::scenario;

use super::{new_role, numbers};
use crate::v2beta1::{absent, built_in, repos::new_repo};

#[tokio::test]
async fn creates_custom_roles_of_a_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = s.call::<CreateRole>("a role", &admin, new_role(&org, "puller", &["repo.list", "groups.list"])).await;
        let read = s.quietly::<GetRole>(&admin, GetRoleRequest { uid: made.ok::<Role>().uid }).await;
        assert_eq!(read, made, "what was created is what is read");
        s.call::<CreateRole>("names need not be unique", &admin, new_role(&org, "puller", &["repo.list"])).await;
        s.call::<CreateRole>("a capability twice is there once", &admin, new_role(&org, "twice", &["repo.list", "repo.list"]))
            .await;
        s.call::<CreateRole>(
            "it may have what its creator lacks",
            &admin,
            new_role(&org, "internal", &["internal", "repo.internal.admin"]),
        )
        .await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let some = ["repo.list"];
        let with = |role: Role| CreateRoleRequest { parent: org.clone(), role: Some(role) };
        let role = |name: &str| Role { name: name.into(), capabilities: numbers(&some), ..Role::default() };
        s.call::<CreateRole>("nothing at all", &admin, with(Role::default())).await;
        s.call::<CreateRole>("no capabilities", &admin, new_role(&org, "empty", &[])).await;
        s.call::<CreateRole>("an invalid name", &admin, with(role("Puller"))).await;
        s.call::<CreateRole>("a name that is too long", &admin, with(role(&"a".repeat(256)))).await;
        s.call::<CreateRole>("a description of two lines", &admin, with(Role { description: "a\nb".into(), ..role("a") })).await;
        s.call::<CreateRole>(
            "no capability of the contract",
            &admin,
            with(Role { capabilities: vec![103, 99_999], ..role("a") }),
        )
        .await;
        s.call::<CreateRole>("the unknown capability", &admin, with(Role { capabilities: vec![0], ..role("a") })).await;
        s.call::<CreateRole>("what is internal, on its own", &admin, new_role(&org, "a", &["repo.list", "repo.internal.admin"]))
            .await;
        s.call::<CreateRole>("no parent", &admin, new_role("", "a", &some)).await;
        s.call::<CreateRole>("a parent that is no identifier", &admin, new_role("nonsense", "a", &some)).await;
        s.call::<CreateRole>("a parent that does not exist", &admin, new_role(&absent(&org), "a", &some)).await;
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&org, "app")).await.ok();
        s.call::<CreateRole>("a parent that is a repo", &admin, new_role(&repo.uid, "a", &some)).await;
        s.call::<CreateRole>("a parent that is a role", &admin, new_role(&built_in("viewer"), "a", &some)).await;
        let nothing = CreateRoleRequest { parent: org.clone(), role: None };
        assert_eq!(s.quietly::<CreateRole>(&admin, nothing).await.code, "INVALID_ARGUMENT");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn needs_the_capability() {
    let transcript = scenario(async |s| {
        let org = s.server.organization().clone();
        let request = || new_role(org.as_str(), "a", &["repo.list"]);
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<CreateRole>("by a viewer", &viewer, request()).await;
        let stranger = s.server.stranger().await;
        s.call::<CreateRole>("by a stranger", &stranger, request()).await;
        s.call::<CreateRole>("by a stranger, where nothing is", &stranger, new_role(&absent(org.as_str()), "a", &["repo.list"]))
            .await;
        s.call::<CreateRole>("by nobody", &s.server.nobody(), request()).await;
        let keyed = Options { idempotency_key: Some("key-1".into()), ..Options::default() };
        let admin = s.server.admin();
        let first = s.quietly_with::<CreateRole>(&admin, request(), &keyed).await;
        let again = s.quietly_with::<CreateRole>(&admin, request(), &keyed).await;
        assert_eq!(first.ok::<Role>(), again.ok::<Role>(), "the same key gives the same role");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
