//! Which methods are there.

use crate::server::Server;

#[tokio::test]
async fn exactly_the_implemented_methods_are_registered() {
    let server = Server::new().await;
    let names: Vec<_> = server.endpoints.keys().map(|path| path.trim_start_matches("/chainguard.platform.")).collect();
    let expected = [
        "auth.Auth/Validate",
        "iam.v2beta1.GroupsService/CreateGroup",
        "iam.v2beta1.GroupsService/DeleteGroup",
        "iam.v2beta1.GroupsService/GetGroup",
        "iam.v2beta1.GroupsService/ListGroups",
        "iam.v2beta1.GroupsService/UpdateGroup",
        "iam.v2beta1.IdentitiesService/CreateIdentity",
        "iam.v2beta1.IdentitiesService/DeleteIdentity",
        "iam.v2beta1.IdentitiesService/GetIdentity",
        "iam.v2beta1.IdentitiesService/ListIdentities",
        "iam.v2beta1.IdentitiesService/LookupIdentity",
        "iam.v2beta1.IdentitiesService/UpdateIdentity",
        "iam.v2beta1.RoleBindingsService/BatchCreateRoleBindings",
        "iam.v2beta1.RoleBindingsService/CreateRoleBinding",
        "iam.v2beta1.RoleBindingsService/DeleteRoleBinding",
        "iam.v2beta1.RoleBindingsService/GetRoleBinding",
        "iam.v2beta1.RoleBindingsService/ListRoleBindings",
        "iam.v2beta1.RoleBindingsService/UpdateRoleBinding",
        "iam.v2beta1.RolesService/CreateRole",
        "iam.v2beta1.RolesService/DeleteRole",
        "iam.v2beta1.RolesService/GetRole",
        "iam.v2beta1.RolesService/ListRoles",
        "iam.v2beta1.RolesService/UpdateRole",
        "oidc.SecurityTokenService/Exchange",
        "ping.PingService/Ping",
        "ping.v2beta1.PingService/Ping",
        "registry.v2beta1.ReposService/CreateRepo",
        "registry.v2beta1.ReposService/DeleteRepo",
        "registry.v2beta1.ReposService/GetRepo",
        "registry.v2beta1.ReposService/ListRepos",
        "registry.v2beta1.ReposService/UpdateRepo",
    ];
    assert_eq!(names, expected);
}
