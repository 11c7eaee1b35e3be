use contract::chainguard::platform::iam::v2beta1::{GetRoleRequest, rpc::GetRole};
use testkit::scenario;

use crate::v2beta1::built_in;

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
