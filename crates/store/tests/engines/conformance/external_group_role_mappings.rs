//! External group role mappings: few in each identity provider, gone with it, and in the way of their role.

use domain::{
    Kind, Noun, Rule, Uidp,
    error::Detail,
    iam::{ExternalGroupRoleMapping, IdentityProvider, Role},
};
use store::{
    Store,
    iam::{external_group_role_mappings::ExternalGroupRoleMappingFilter, roles, standings},
    rows,
};

use super::{Engine, kit};

async fn provider(store: &Store, n: u64, bound: &kit::Bound) -> IdentityProvider {
    let provider = kit::identity_provider(kit::child(&bound.org.uid, n), "login", &bound.role.uid);
    kit::add(store, provider).await
}

async fn get(store: &Store, uid: &Uidp) -> Option<ExternalGroupRoleMapping> {
    rows::get(&mut store.reader().await.expect("reads"), uid).await.expect("reads")
}

async fn insert(
    store: &Store,
    provider: &IdentityProvider,
    row: ExternalGroupRoleMapping,
) -> domain::Result<ExternalGroupRoleMapping> {
    let provider = provider.clone();
    kit::write(store, |tx| Box::pin(async move { rows::insert_in(tx, &provider, &row).await })).await
}

pub(crate) async fn external_group_role_mappings_are_kept_and_counted(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let bound = kit::bound(&store).await;
    let (first, second) = (provider(&store, 20, &bound).await, provider(&store, 21, &bound).await);
    let mapping = |provider: &IdentityProvider, n, group: &str, role: &Uidp| {
        kit::external_group_role_mapping(kit::child(&provider.uid, n), group, role)
    };
    let role = &bound.role.uid;
    let other = kit::add(&store, kit::role(kit::child(&bound.org.uid, 30), "other", &["repo.list"])).await.uid;
    let before = standings::position(&mut store.reader().await.expect("reads")).await.expect("reads");
    let given = async || standings::may_be_given_since(&mut store.reader().await.expect("reads"), &other, before).await;
    assert_eq!(given().await.ok(), Some(false));
    let made = insert(&store, &first, mapping(&first, 1, "CN=dev,OU=\u{e4}", role)).await.expect("is added");
    assert_eq!(get(&store, &made.uid).await, Some(made.clone()));
    assert_eq!(given().await.ok(), Some(false), "of another role");
    insert(&store, &first, mapping(&first, 2, "CN=dev,OU=\u{e4}", &other)).await.expect("another role");
    assert_eq!(given().await.ok(), Some(true));
    insert(&store, &second, mapping(&second, 1, "CN=dev,OU=\u{e4}", role)).await.expect("of another provider");

    let again = insert(&store, &first, mapping(&first, 3, "CN=dev,OU=\u{e4}", role)).await.expect_err("it is there");
    assert_eq!((again.kind(), again.rule()), (Kind::AlreadyExists, Rule::Duplicate));
    let detail = Detail::Resource { noun: Noun::ExternalGroupRoleMapping, uid: "CN=dev,OU=\u{e4}".to_owned() };
    assert_eq!(again.details(), [detail]);
    let nothing = kit::child(&bound.org.uid, 99);
    let unbound = insert(&store, &first, mapping(&first, 3, "dev", &nothing)).await.expect_err("there is no such role");
    assert_eq!((unbound.kind(), unbound.rule()), (Kind::FailedPrecondition, Rule::NoSuchResource));
    assert!(insert(&store, &first, mapping(&second, 3, "dev", role)).await.is_err(), "it does not live in that provider");

    let count = async |uid: &Uidp| {
        rows::count::<ExternalGroupRoleMapping>(&mut store.reader().await.expect("reads"), uid).await.expect("counts")
    };
    assert_eq!((count(&first.uid).await, count(&second.uid).await), (2, 1));
    for existed in [true, false] {
        let uid = made.uid.clone();
        let gone =
            kit::write(&store, |tx| Box::pin(async move { rows::delete::<ExternalGroupRoleMapping>(tx, &uid).await })).await;
        assert_eq!(gone.expect("is deleted"), existed);
    }
    assert_eq!((get(&store, &made.uid).await, count(&first.uid).await), (None, 1));
}

pub(crate) async fn external_group_role_mappings_go_with_their_provider(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let bound = kit::bound(&store).await;
    let (first, second) = (provider(&store, 20, &bound).await, provider(&store, 21, &bound).await);
    let role = kit::add(&store, kit::role(kit::child(&bound.org.uid, 30), "mapped", &["repo.list"])).await.uid;
    for n in 0..3 {
        let mapping = kit::external_group_role_mapping(kit::child(&first.uid, n), &format!("g{n}"), &role);
        insert(&store, &first, mapping).await.expect("is added");
    }
    let kept = kit::external_group_role_mapping(kit::child(&second.uid, 1), "g", &bound.role.uid);
    let kept = insert(&store, &second, kept).await.expect("is added");
    let mapped_at = async || roles::mapped_at(&mut store.reader().await.expect("reads"), &role).await.expect("reads");
    assert_eq!(mapped_at().await, Some(bound.org.uid.clone()));
    let delete_role = async || {
        let uid = role.clone();
        kit::write(&store, |tx| Box::pin(async move { rows::delete::<Role>(tx, &uid).await })).await
    };
    let refused = delete_role().await.expect_err("it is given");
    assert_eq!((refused.kind(), refused.rule()), (Kind::FailedPrecondition, Rule::RoleBound));

    let gone = first.uid.clone();
    assert!(
        kit::write(&store, |tx| Box::pin(async move { rows::delete::<IdentityProvider>(tx, &gone).await })).await.expect("goes")
    );
    let mut reader = store.reader().await.expect("reads");
    let all = kit::everything(ExternalGroupRoleMappingFilter::default());
    let left = rows::list(&mut reader, &all).await.expect("lists");
    assert_eq!((left.items, left.total), (vec![kept], 1));
    drop(reader);
    assert_eq!(mapped_at().await, None);
    assert!(delete_role().await.expect("goes"));
}
