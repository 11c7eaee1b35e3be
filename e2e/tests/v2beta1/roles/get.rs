use contract::chainguard::platform::iam::v2beta1::{
    GetRoleRequest, Group, Role,
    rpc::{CreateGroup, CreateRole, GetRole},
};
use testkit::scenario;

use super::new_role;
use crate::v2beta1::{absent, built_in, groups::new_group};

fn get(uid: &str) -> GetRoleRequest {
    GetRoleRequest { uid: uid.into() }
}

#[tokio::test]
async fn shows_built_in_roles_to_everybody() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let shown = s.call::<GetRole>("a built-in role", &admin, get(&built_in("registry.pull"))).await;
        let idle = s.server.workload(s.server.organization(), "idle", None).await;
        let stranger = s.server.stranger().await;
        for actor in [&idle, &stranger] {
            assert_eq!(s.quietly::<GetRole>(actor, get(&built_in("registry.pull"))).await, shown);
        }
        s.call::<GetRole>("without a token", &s.server.nobody(), get(&built_in("registry.pull"))).await;
        s.call::<GetRole>("none of them", &idle, get(&"0".repeat(40))).await;
        s.call::<GetRole>("an organization", &admin, get(s.server.organization().as_str())).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn shows_custom_roles_where_roles_may_be_listed() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "puller", &["repo.list"])).await.ok();
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<GetRole>("a custom role, to a viewer", &viewer, get(&role.uid)).await;
        s.call::<GetRole>("one that does not exist", &viewer, get(&absent(org.as_str()))).await;
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        s.call::<GetRole>("a folder", &viewer, get(&folder.uid)).await;
        s.call::<GetRole>("an identifier that is none", &viewer, get("nonsense")).await;
        let below = folder.uid.parse().expect("a folder's uid");
        let below = s.server.workload(&below, "below", Some("viewer")).await;
        s.call::<GetRole>("to a viewer of a folder below", &below, get(&role.uid)).await;
        let idle = s.server.workload(&org, "idle", None).await;
        s.call::<GetRole>("to an identity without a role", &idle, get(&role.uid)).await;
        let stranger = s.server.stranger().await;
        s.call::<GetRole>("to a stranger", &stranger, get(&role.uid)).await;
        s.call::<GetRole>("to a stranger, one that does not exist", &stranger, get(&absent(org.as_str()))).await;
        s.call::<GetRole>("to nobody", &s.server.nobody(), get(&role.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
