use client::Options;
use contract::chainguard::platform::iam::v2beta1::{
    BatchCreateRoleBindingsRequest, BatchCreateRoleBindingsResponse, CreateRoleBindingRequest, Group, ListRoleBindingsRequest,
    ListRoleBindingsResponse,
    rpc::{BatchCreateRoleBindings, CreateGroup, CreateIdentity, ListRoleBindings},
};
use testkit::{Actor, Scenario, scenario};

use super::{binding, new_binding};
use crate::v2beta1::{
    absent, built_in,
    groups::new_group,
    identities::{ci, new_identity},
    roles::holder,
};

fn batch(parent: &str, role: &str, requests: Vec<CreateRoleBindingRequest>) -> BatchCreateRoleBindingsRequest {
    BatchCreateRoleBindingsRequest { parent: parent.into(), requests, role_uid: role.into() }
}

/// A folder without bindings, and identities to bind there.
async fn place(s: &Scenario, admin: &Actor, identities: usize) -> (String, Vec<String>) {
    let org = s.server.organization().to_string();
    let folder: Group = s.quietly::<CreateGroup>(admin, new_group(&org, "team-a")).await.ok();
    let mut uids = Vec::new();
    for n in 0..identities {
        uids.push(admin.must::<CreateIdentity>(new_identity(&org, &format!("ci-{n}"), Some(ci()))).await.uid);
    }
    (folder.uid, uids)
}

async fn bound_in(s: &Scenario, admin: &Actor, group: &str) -> i64 {
    let request = ListRoleBindingsRequest { group: group.into(), ..ListRoleBindingsRequest::default() };
    s.quietly::<ListRoleBindings>(admin, request).await.ok::<ListRoleBindingsResponse>().total_count()
}

#[tokio::test]
async fn binds_all_in_order() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (folder, ids) = place(s, &admin, 3).await;
        let (viewer, editor) = (built_in("viewer"), built_in("editor"));
        let own = vec![new_binding("", &ids[2], &editor), new_binding(&folder, &ids[0], &viewer)];
        s.call::<BatchCreateRoleBindings>("each with its role", &admin, batch(&folder, "", own)).await;
        let shared = vec![new_binding("", &ids[1], ""), new_binding("", &ids[0], &viewer)];
        s.call::<BatchCreateRoleBindings>("with a role for all", &admin, batch(&folder, &viewer, shared)).await;
        let most = vec![new_binding("", &ids[0], ""); 25];
        let made = s.quietly::<BatchCreateRoleBindings>(&admin, batch(&folder, &viewer, most)).await;
        assert_eq!(made.ok::<BatchCreateRoleBindingsResponse>().role_bindings.len(), 25, "25 at most");
        assert_eq!(bound_in(s, &admin, &folder).await, 29);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn binds_all_or_none() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let (folder, ids) = place(s, &admin, 2).await;
        let (viewer, editor) = (built_in("viewer"), built_in("editor"));
        let good = || new_binding("", &ids[0], "");
        let with = |bad: CreateRoleBindingRequest| batch(&folder, &viewer, vec![good(), bad]);
        s.call::<BatchCreateRoleBindings>("nothing", &admin, batch(&folder, &viewer, vec![])).await;
        s.call::<BatchCreateRoleBindings>("26", &admin, batch(&folder, &viewer, vec![good(); 26])).await;
        s.call::<BatchCreateRoleBindings>("another role than the batch's", &admin, with(new_binding("", &ids[1], &editor))).await;
        s.call::<BatchCreateRoleBindings>(
            "another parent than the batch's",
            &admin,
            with(new_binding(org.as_str(), &ids[1], "")),
        )
        .await;
        s.call::<BatchCreateRoleBindings>("no role anywhere", &admin, batch(&folder, "", vec![good()])).await;
        s.call::<BatchCreateRoleBindings>("no identity", &admin, with(new_binding("", "", ""))).await;
        s.call::<BatchCreateRoleBindings>("an entry without a binding", &admin, with(CreateRoleBindingRequest::default())).await;
        s.call::<BatchCreateRoleBindings>("an identity that does not exist", &admin, with(new_binding("", &absent(&folder), "")))
            .await;
        s.call::<BatchCreateRoleBindings>("a role that does not exist", &admin, batch(&folder, &absent(&folder), vec![good()]))
            .await;
        s.call::<BatchCreateRoleBindings>("a role that is none", &admin, batch(&folder, "viewer", vec![good()])).await;
        s.call::<BatchCreateRoleBindings>("no parent", &admin, batch("", &viewer, vec![good()])).await;
        s.call::<BatchCreateRoleBindings>("a parent that does not exist", &admin, batch(&absent(&folder), &viewer, vec![good()]))
            .await;
        let mut holds = access::built_in::find("viewer").expect("it is built in").capabilities().names();
        holds.push("role_bindings.create");
        let binder = holder(s, &org, "binder", &holds).await;
        let mixed = vec![new_binding("", &ids[0], &viewer), new_binding("", binder.uid().as_str(), &built_in("owner"))];
        s.call::<BatchCreateRoleBindings>("one that its maker may not", &binder, batch(&folder, "", mixed)).await;
        let plain = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<BatchCreateRoleBindings>("by a viewer", &plain, batch(&folder, &viewer, vec![good()])).await;
        assert_eq!(bound_in(s, &admin, &folder).await, 0, "nothing was bound");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_applied_once_per_key() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (folder, ids) = place(s, &admin, 2).await;
        let viewer = built_in("viewer");
        let keyed = Options { idempotency_key: Some("key-1".into()), ..Options::default() };
        let both = || {
            batch(
                &folder,
                &viewer,
                ids.iter()
                    .map(|id| CreateRoleBindingRequest { parent: String::new(), role_binding: Some(binding(id, "")) })
                    .collect(),
            )
        };
        let first = s.quietly_with::<BatchCreateRoleBindings>(&admin, both(), &keyed).await;
        let again = s.quietly_with::<BatchCreateRoleBindings>(&admin, both(), &keyed).await;
        assert_eq!(again.ok::<BatchCreateRoleBindingsResponse>(), first.ok::<BatchCreateRoleBindingsResponse>());
        assert_eq!(bound_in(s, &admin, &folder).await, 2, "bound once");
        let one = batch(&folder, &viewer, vec![new_binding("", &ids[0], "")]);
        s.call_with::<BatchCreateRoleBindings>("the same key for another batch", &admin, one, &keyed).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
