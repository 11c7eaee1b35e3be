use contract::chainguard::platform::iam::{
    CreateRoleBindingBatchRequest, CreateRoleBindingRequest, DeleteRoleBindingRequest, RoleBinding, RoleBindingBatch,
    RoleBindingFilter,
    rpc::{CreateBatch, RoleBindingsCreate, RoleBindingsDelete, RoleBindingsList, RoleBindingsUpdate},
    v2beta1::{
        self, GetRoleBindingRequest, ListGroupsRequest,
        rpc::{GetRoleBinding, ListGroups},
    },
};
use testkit::scenario;

use crate::v2beta1::{absent, built_in};

fn binding(identity: &str, role: &str) -> RoleBinding {
    RoleBinding { identity: identity.into(), role: role.into(), ..RoleBinding::default() }
}

fn new_binding(parent: &str, binding: RoleBinding) -> CreateRoleBindingRequest {
    CreateRoleBindingRequest { parent: parent.into(), role_binding: Some(binding) }
}

#[tokio::test]
async fn give_and_take_rights() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let robot = s.server.workload(s.server.organization(), "robot", None).await;
        s.name(robot.uid().as_str(), "robot");
        let wish = new_binding(&org, binding(robot.uid().as_str(), &built_in("viewer")));
        let made = s.quietly::<RoleBindingsCreate>(&admin, wish).await;
        let bound: RoleBinding = made.ok();
        s.name(&bound.id, "binding");
        s.name(built_in("viewer"), "viewer");
        s.name(built_in("editor"), "editor");
        assert_eq!(s.quietly::<ListGroups>(&robot, ListGroupsRequest::default()).await.body["totalCount"], "1");
        s.call::<RoleBindingsList>(
            "with what it names",
            &admin,
            RoleBindingFilter { id: bound.id.clone(), ..RoleBindingFilter::default() },
        )
        .await;

        let other = RoleBinding { id: bound.id.clone(), ..binding(robot.uid().as_str(), &built_in("editor")) };
        s.call::<RoleBindingsUpdate>("another role", &admin, other).await;
        let uid = bound.id.clone();
        let read: v2beta1::RoleBinding = s.quietly::<GetRoleBinding>(&admin, GetRoleBindingRequest { uid }).await.ok();
        assert_eq!(read.role_uid, built_in("editor"), "it is the binding of v2beta1");

        s.call::<RoleBindingsDelete>("it goes", &admin, DeleteRoleBindingRequest { id: bound.id.clone() }).await;
        s.call::<RoleBindingsDelete>("and may be gone", &admin, DeleteRoleBindingRequest { id: bound.id }).await;
        assert_eq!(s.quietly::<ListGroups>(&robot, ListGroupsRequest::default()).await.body["totalCount"], "0");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<RoleBindingsCreate>("nothing", &admin, new_binding(&org, RoleBinding::default())).await;
        let strangers = new_binding(&org, binding(&absent(&org), &absent(&org)));
        s.call::<RoleBindingsCreate>("neither is there", &admin, strangers).await;
        let unknown = RoleBinding { id: absent(&org), ..binding(s.server.admin_uid().as_str(), &built_in("viewer")) };
        s.call::<RoleBindingsUpdate>("one that does not exist", &admin, unknown).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn are_made_in_batches_all_or_none() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let robot = s.server.workload(s.server.organization(), "robot", None).await;
        s.name(robot.uid().as_str(), "robot");
        let batch = |role_bindings| CreateRoleBindingBatchRequest { parent: org.clone(), role_bindings };
        let (viewer, editor) = (built_in("viewer"), built_in("editor"));
        let good = || [&viewer, &editor].map(|role| binding(robot.uid().as_str(), role)).to_vec();
        let made: RoleBindingBatch = s.quietly::<CreateBatch>(&admin, batch(good())).await.ok();
        let roles: Vec<_> = made.role_bindings.iter().map(|binding| binding.role.clone()).collect();
        assert_eq!(roles, [viewer.clone(), editor.clone()], "in their order");
        let read: v2beta1::RoleBinding =
            s.quietly::<GetRoleBinding>(&admin, GetRoleBindingRequest { uid: made.role_bindings[1].id.clone() }).await.ok();
        assert_eq!(read.role_uid, editor);

        let before = s.quietly::<RoleBindingsList>(&admin, RoleBindingFilter::default()).await.body;
        let wrong = [good(), vec![RoleBinding::default(), binding(&absent(&org), "viewer")]].concat();
        s.call::<CreateBatch>("what is wrong is named by its place", &admin, batch(wrong)).await;
        let stranger = [good(), vec![binding(&absent(&org), &viewer)]].concat();
        s.call::<CreateBatch>("one that does not exist", &admin, batch(stranger)).await;
        s.call::<CreateBatch>("too many", &admin, batch(good().into_iter().cycle().take(26).collect())).await;
        assert_eq!(s.quietly::<RoleBindingsList>(&admin, RoleBindingFilter::default()).await.body, before, "nothing was made");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
