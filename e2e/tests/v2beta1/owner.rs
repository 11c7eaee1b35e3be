use contract::chainguard::platform::{
    iam::v2beta1::{
        DeleteGroupRequest, DeleteIdentityRequest, DeleteRoleBindingRequest, DeleteRoleRequest, GetGroupRequest, Group, Identity,
        ListGroupsRequest, ListGroupsResponse, Role, RoleBinding,
        rpc::{
            CreateGroup, CreateIdentity, CreateRole, CreateRoleBinding, DeleteGroup, DeleteIdentity, DeleteRole,
            DeleteRoleBinding, GetGroup, ListGroups,
        },
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
    registry::v2beta1::{
        DeleteRepoRequest, GetRepoRequest, ListReposRequest, ListReposResponse, Repo,
        rpc::{CreateRepo, DeleteRepo, GetRepo, ListRepos},
    },
};
use testkit::{Actor, Scenario, scenario};

use crate::v2beta1::{
    groups::new_group,
    identities::{claims, new_identity},
    repos::new_repo,
    role_bindings::new_binding,
    roles::new_role,
};

/// The identity, by a token that a workload brings along.
async fn become_identity(s: &Scenario, subject: &str, identity: &Identity) -> Actor {
    let upstream = s.server.mint(subject, s.server.base_url(), serde_json::json!({})).await;
    let request = ExchangeRequest { identity: identity.uid.clone(), ..ExchangeRequest::default() };
    let token: RawToken = s.quietly::<Exchange>(&s.server.bearer(&upstream), request).await.ok();
    Actor { identity: identity.uid.parse().ok(), ..s.server.bearer(&token.token) }
}

#[tokio::test]
async fn an_owner_needs_no_operator() {
    let transcript = scenario(async |s| {
        let owner = s.server.admin();
        let org: Group = s.call::<CreateGroup>("an organization", &owner, new_group("", "mine")).await.ok();
        s.name(org.uid.clone(), "mine");
        let folder: Group = s.call::<CreateGroup>("a folder", &owner, new_group(&org.uid, "apps")).await.ok();
        let wanted = ["groups.list", "repo.list", "repo.create"];
        let role: Role = s.call::<CreateRole>("a role of its own", &owner, new_role(&org.uid, "publisher", &wanted)).await.ok();
        let workload = new_identity(&org.uid, "ci", Some(claims(&s.server.issuer(), "ci")));
        let identity: Identity = s.call::<CreateIdentity>("an identity for a workload", &owner, workload).await.ok();

        let ci = become_identity(s, "ci", &identity).await;
        let look = |group: &Group| GetGroupRequest { uid: group.uid.clone() };
        s.call::<GetGroup>("the workload holds nothing yet", &ci, look(&folder)).await;
        let bind = new_binding(&folder.uid, &identity.uid, &role.uid);
        let binding: RoleBinding = s.call::<CreateRoleBinding>("the role, in the folder", &owner, bind).await.ok();
        s.call::<GetGroup>("the same token reaches the folder", &ci, look(&folder)).await;
        s.call::<GetGroup>("and nothing above it", &ci, look(&org)).await;
        let visible: ListGroupsResponse = s.quietly::<ListGroups>(&ci, ListGroupsRequest::default()).await.ok();
        assert_eq!(visible.groups, std::slice::from_ref(&folder), "a list shows the folder alone");
        let repo: Repo = s.call::<CreateRepo>("the workload publishes", &ci, new_repo(&folder.uid, "app")).await.ok();
        let delete_repo = DeleteRepoRequest { uid: repo.uid.clone() };
        s.call::<DeleteRepo>("but takes nothing away", &ci, delete_repo.clone()).await;

        s.call::<DeleteRoleBinding>("the role is taken back", &owner, DeleteRoleBindingRequest { uid: binding.uid }).await;
        s.call::<GetRepo>("the next request is refused", &ci, GetRepoRequest { uid: repo.uid.clone() }).await;
        let seen: ListReposResponse = s.quietly::<ListRepos>(&ci, ListReposRequest::default()).await.ok();
        assert_eq!((seen.repos, seen.total_count), (vec![], Some(0)), "and lists are empty");

        let delete = |group: &Group| DeleteGroupRequest { uid: group.uid.clone() };
        s.call::<DeleteGroup>("the folder has a repo", &owner, delete(&folder)).await;
        s.call::<DeleteRepo>("which goes", &owner, delete_repo).await;
        s.call::<DeleteGroup>("and the folder with it", &owner, delete(&folder)).await;
        s.call::<DeleteGroup>("the organization has more", &owner, delete(&org)).await;
        s.call::<DeleteIdentity>("its identity goes", &owner, DeleteIdentityRequest { uid: identity.uid.clone() }).await;
        s.call::<GetGroup>("whose token is worth nothing now", &ci, look(&org)).await;
        s.call::<DeleteGroup>("a role is left", &owner, delete(&org)).await;
        s.call::<DeleteRole>("which goes", &owner, DeleteRoleRequest { uid: role.uid.clone() }).await;
        s.call::<DeleteGroup>("and the organization, with the binding of its owner", &owner, delete(&org)).await;
        s.call::<GetGroup>("to whom it is a place like any other now", &owner, look(&org)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
