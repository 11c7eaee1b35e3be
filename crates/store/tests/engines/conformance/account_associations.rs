//! Account associations: one for a group at most, standing where the group stands.

use domain::{
    Error, Kind, Name, Rule, Scopes, Uidp, UidpFilter,
    iam::{
        AccountAssociation, AccountAssociationSpec, AzureTenant, GitHubInstallation, GoogleProject, Group, Identity,
        Relationship, ServiceBinding, ServicePrincipal,
    },
    list::{Order, OrderField, ParentFilter},
};
use store::{
    ListQuery, Store, check,
    iam::{account_associations::AccountAssociationFilter, identities},
    rows,
};

use super::{Engine, kit};

async fn get(store: &Store, group: &Uidp) -> Option<AccountAssociation> {
    rows::get::<AccountAssociation>(&mut store.reader().await.expect("reads"), group).await.expect("reads")
}

async fn list(store: &Store, query: ListQuery<AccountAssociationFilter>) -> (Vec<Uidp>, u64) {
    let listed = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("lists");
    (listed.items.into_iter().map(|association| association.uid).collect(), listed.total)
}

async fn insert(store: &Store, row: AccountAssociation) -> Result<AccountAssociation, Error> {
    kit::write(store, |tx| Box::pin(async move { rows::insert(tx, &row).await })).await
}

async fn delete_group(store: &Store, uid: &Uidp) -> Result<bool, Error> {
    let uid = uid.clone();
    kit::write(store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &uid).await })).await
}

/// Rows, counters, feed and links agree.
async fn agrees(store: &Store) {
    let report = check::check(store, &check::Means::default(), |_, _| ()).await.expect("is looked at");
    assert_eq!(report.findings, []);
}

pub(crate) async fn account_associations_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let made = kit::add(&store, kit::account_association(org.uid.clone(), "accounts")).await;
    assert_eq!(get(&store, &org.uid).await, Some(made.clone()));
    let again = insert(&store, kit::account_association(org.uid.clone(), "other")).await.expect_err("there is one");
    assert_eq!((again.kind(), again.rule()), (Kind::AlreadyExists, Rule::OnePerGroup));
    let nowhere = insert(&store, kit::account_association(kit::child(&org.uid, 9), "a")).await.expect_err("there is no group");
    assert_eq!(nowhere.message(), format!("group {} not found", kit::child(&org.uid, 9)));

    let wish = AccountAssociation {
        spec: AccountAssociationSpec {
            name: Name::trusted("renamed"),
            amazon: None,
            google: Some(GoogleProject { project_id: "\"'".to_owned(), project_number: "7".to_owned() }),
            azure: Some(AzureTenant { tenant_id: "t".to_owned(), client_ids: [("a".to_owned(), String::new())].into() }),
            github: Some([(i64::MIN, vec![GitHubInstallation { installation_id: i64::MAX, name: "ü".to_owned() }])].into()),
            ..made.spec.clone()
        },
        ..made.clone()
    };
    let (from, to) = (made, wish.clone());
    let later = kit::at(60);
    let update = store.write(&later, move |tx| Box::pin(async move { rows::update(tx, &from, &to).await }));
    let changed = update.await.expect("is changed");
    assert_eq!((&changed.spec, changed.updated_at), (&wish.spec, kit::at(60).now));
    assert_eq!(get(&store, &org.uid).await, Some(changed));
    agrees(&store).await;

    let uid = org.uid.clone();
    let gone = kit::write(&store, |tx| Box::pin(async move { rows::delete::<AccountAssociation>(tx, &uid).await })).await;
    assert!(gone.expect("goes"));
    assert_eq!(get(&store, &org.uid).await, None);
    let uid = org.uid.clone();
    let gone = kit::write(&store, |tx| Box::pin(async move { rows::delete::<AccountAssociation>(tx, &uid).await })).await;
    assert!(!gone.expect("was gone"));
    agrees(&store).await;
}

pub(crate) async fn account_associations_stand_where_their_groups_stand(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await.uid;
    let other = kit::org(&store, 2).await.uid;
    let folder = kit::add(&store, kit::group(kit::child(&org, 1), "folder")).await.uid;
    let below = kit::add(&store, kit::group(kit::child(&folder, 1), "below")).await.uid;
    let bare = kit::add(&store, kit::group(kit::child(&org, 2), "bare")).await.uid;
    for (uid, name) in [(&org, "d"), (&other, "c"), (&folder, "b"), (&below, "a")] {
        kit::add(&store, kit::account_association(uid.clone(), name)).await;
    }
    agrees(&store).await;
    let all = || kit::everything(AccountAssociationFilter::default());
    let within = |uidp: UidpFilter| ListQuery { uidp, ..all() };
    let part = UidpFilter::default;
    let scopes = |places: &[&Uidp]| Scopes::Subtrees(places.iter().map(|place| (*place).clone()).collect()).into();
    let by_name = |query| ListQuery { order: Order { field: OrderField::Name, descending: false }, ..query };
    let at = |place: &Uidp| Some(ParentFilter::At(place.clone()));
    for (query, expected) in [
        (all(), vec![&org, &folder, &below, &other]),
        (by_name(all()), vec![&below, &folder, &other, &org]),
        (ListQuery { scopes: scopes(&[&folder]), ..all() }, vec![&folder, &below]),
        (by_name(ListQuery { scopes: scopes(&[&folder]), ..all() }), vec![&below, &folder]),
        (ListQuery { scopes: scopes(&[&below, &other]), ..all() }, vec![&below, &other]),
        (ListQuery { scopes: scopes(&[&bare]), ..all() }, vec![]),
        (within(UidpFilter { descendants_of: Some(folder.clone()), ..part() }), vec![&folder, &below]),
        (within(UidpFilter { children_of: at(&org), ..part() }), vec![&folder]),
        (within(UidpFilter { children_of: Some(ParentFilter::Root), ..part() }), vec![&org, &other]),
        (within(UidpFilter { in_root: true, ..part() }), vec![&org, &other]),
        (within(UidpFilter { ancestors_of: Some(below.clone()), ..part() }), vec![&org, &folder]),
        (within(UidpFilter { ids: vec![bare.clone(), below.clone()], ..part() }), vec![&below]),
        (kit::everything(AccountAssociationFilter { name: Some("c".to_owned()) }), vec![&other]),
    ] {
        let expected: Vec<_> = expected.into_iter().cloned().collect();
        let total = expected.len() as u64;
        assert_eq!(list(&store, query.clone()).await, (expected, total), "{query:?}");
    }

    assert!(delete_group(&store, &below).await.expect("goes"));
    assert_eq!(get(&store, &below).await, None, "it went with its group");
    assert!(delete_group(&store, &other).await.expect("goes"));
    let kept = delete_group(&store, &org).await.expect_err("there are folders in it");
    assert_eq!(kept.rule(), Rule::NotEmpty);
    assert_eq!(list(&store, all()).await, (vec![org.clone(), folder], 2));
    agrees(&store).await;
}

pub(crate) async fn service_bindings_go_with_their_identities(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await.uid;
    let folder = kit::add(&store, kit::group(kit::child(&org, 9), "folder")).await.uid;
    let principal = |uid: Uidp, number| {
        let mut identity = kit::identity(uid, "principal");
        identity.spec.relationship = Relationship::ServicePrincipal { principal: ServicePrincipal(number) };
        identity
    };
    let mut made = Vec::new();
    for number in 1..=3 {
        made.push(kit::add(&store, principal(kit::child(&org, number), i32::try_from(number).expect("few"))).await);
    }
    let lower = kit::add(&store, principal(kit::child(&folder, 1), 1)).await;
    let robot = kit::add(&store, kit::identity(kit::child(&org, 4), "robot")).await;
    let uids: Vec<_> = made.iter().chain([&lower, &robot]).map(|identity| &identity.uid).collect();
    let mut found = identities::principals(&mut store.reader().await.expect("reads"), &org, &uids).await.expect("reads");
    found.sort();
    let expected: Vec<_> =
        (1..=3).zip(&made).map(|(number, identity)| (identity.uid.clone(), ServicePrincipal(number))).collect();
    assert_eq!(found, expected, "those of the group itself that are parts of the platform");

    let mut association = kit::account_association(org.clone(), "accounts");
    let binding = |identity: &Identity| ServiceBinding { identity: identity.uid.clone(), name: "SOME".to_owned() };
    association.spec.service_bindings =
        Some((1..=3).zip(&made).map(|(number, identity)| (ServicePrincipal(number), binding(identity))).collect());
    kit::add(&store, association).await;
    agrees(&store).await;
    let bound = async || {
        let bindings = get(&store, &org).await.expect("is there").spec.service_bindings;
        bindings.map(|bindings| bindings.into_keys().map(|part| part.0).collect::<Vec<_>>())
    };
    let delete = async |uid: &Uidp| {
        let uid = uid.clone();
        kit::write(&store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &uid).await })).await.expect("goes")
    };
    for uid in [&robot.uid, &lower.uid] {
        assert!(delete(uid).await);
        assert_eq!(bound().await, Some(vec![1, 2, 3]));
    }
    assert!(delete(&made[0].uid).await);
    assert_eq!(bound().await, Some(vec![2, 3]));
    let from = made[1].clone();
    let to = principal(from.uid.clone(), 7);
    let update = kit::write(&store, |tx| Box::pin(async move { rows::update(tx, &from, &to).await }));
    update.await.expect("becomes another");
    assert_eq!(bound().await, Some(vec![3]));
    agrees(&store).await;
    assert!(delete(&made[2].uid).await);
    assert_eq!(bound().await, None, "no map is empty");
    agrees(&store).await;
}
