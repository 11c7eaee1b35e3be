//! What owners of organizations learn of users by naming them: anybody can work out a user's identifier.

use client::Options;
use contract::chainguard::platform::{
    auth::{RegistrationRequest, rpc::Register},
    iam::{
        LookupRequest,
        rpc::Lookup,
        v2beta1::{
            BatchCreateRoleBindingsRequest, BatchCreateRoleBindingsResponse, RoleBinding, UpdateRoleBindingRequest,
            rpc::{BatchCreateRoleBindings, CreateRoleBinding, UpdateRoleBinding},
        },
    },
};
use domain::iam::identity::user_uid;
use serde_json::json;
use store::audit;
use testkit::{Actor, Scenario, scenario};

use super::{binding, new_binding};
use crate::v2beta1::built_in;

const SECRETS: [&str; 2] = ["ann@example.com", "ann-example.com"];

/// A user of no organization.
async fn ann(s: &Scenario) -> String {
    let upstream = s.server.mint("ann", s.server.base_url(), json!({"email": "ann@example.com", "email_verified": true})).await;
    s.server.bearer(&upstream).must::<Register>(RegistrationRequest::default()).await;
    user_uid(&s.server.issuer(), "ann").to_string()
}

/// Outcomes of the entries of the audit log about this identity that this caller has left, the oldest first.
async fn told(s: &Scenario, caller: &Actor, identity: &str) -> Vec<String> {
    s.server.store().flush().await.expect("written");
    let mut reader = s.server.store().reader().await.expect("a snapshot");
    let entries = audit::newest(&mut reader, 1000).await.expect("entries").into_iter().rev();
    let about = entries.filter(|entry| entry.actor == caller.uid().as_str() && entry.subject.as_deref() == Some(identity));
    about.map(|entry| entry.outcome).collect()
}

#[tokio::test]
async fn a_rehearsal_shows_no_more_than_was_sent_and_leaves_an_entry() {
    scenario(async |s| {
        let (user, owner) = (ann(s).await, s.server.stranger().await);
        let group = owner.uid().parent().expect("an organization").to_string();
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let shows_nothing = |body: &serde_json::Value| {
            assert!(SECRETS.iter().all(|secret| !body.to_string().contains(secret)), "{body:#}");
        };

        let wish = new_binding(&group, &user, &built_in("viewer"));
        let rehearsed = s.quietly_with::<CreateRoleBinding>(&owner, wish.clone(), &rehearsal).await;
        shows_nothing(&rehearsed.body);
        let shown = rehearsed.ok::<RoleBinding>().identity.expect("an identity");
        assert_eq!((shown.uid.as_str(), shown.name.as_str(), shown.subject.as_str()), (user.as_str(), "", ""));
        let batch = BatchCreateRoleBindingsRequest { parent: group.clone(), requests: vec![wish.clone()], ..Default::default() };
        let rehearsed = s.quietly_with::<BatchCreateRoleBindings>(&owner, batch, &rehearsal).await;
        shows_nothing(&rehearsed.body);
        assert_eq!(rehearsed.ok::<BatchCreateRoleBindingsResponse>().role_bindings.len(), 1);
        let own = new_binding(&group, owner.uid().as_str(), &built_in("viewer"));
        let own: RoleBinding = s.quietly::<CreateRoleBinding>(&owner, own).await.ok();
        let role_binding = Some(RoleBinding { uid: own.uid, ..binding(&user, "") });
        let update = UpdateRoleBindingRequest { role_binding, update_mask: crate::v2beta1::mask(&["identity_uid"]) };
        let rehearsed = s.quietly_with::<UpdateRoleBinding>(&owner, update, &rehearsal).await;
        shows_nothing(&rehearsed.body);
        assert_eq!(told(s, &owner, &user).await, ["REHEARSED"; 3]);

        let nobody = user_uid(&s.server.issuer(), "nobody").to_string();
        let refused = s.quietly::<CreateRoleBinding>(&owner, new_binding(&group, &nobody, &built_in("viewer"))).await;
        assert_eq!(refused.code, "INVALID_ARGUMENT", "{:#}", refused.body);
        assert_eq!(told(s, &owner, &nobody).await, ["OTHER_ORGANIZATION"]);
        let look = LookupRequest { issuer: s.server.issuer(), subject: "ann".into() };
        let found = s.quietly::<Lookup>(&owner, look).await;
        assert_eq!(found.code, "OK", "{:#}", found.body);
        shows_nothing(&found.body);
        assert_eq!(told(s, &owner, &user).await.last().map(String::as_str), Some("OK"));

        // A binding that exists shows whom it binds, and who has made it is in the audit log.
        let made: RoleBinding = s.quietly::<CreateRoleBinding>(&owner, wish).await.ok();
        assert_eq!(made.identity.expect("an identity").email, "ann@example.com");
    })
    .await;
}

#[tokio::test]
async fn nobody_looks_for_users_all_day() {
    scenario(async |s| {
        let (user, owner) = (ann(s).await, s.server.stranger().await);
        let group = owner.uid().parent().expect("an organization").to_string();
        let look = || LookupRequest { issuer: s.server.issuer(), subject: "ann".into() };
        for _ in 0..120 {
            assert_eq!(s.quietly::<Lookup>(&owner, look()).await.code, "OK");
        }
        let wish = new_binding(&group, &user, &built_in("viewer"));
        let rehearsal = Options { validate_only: true, ..Options::default() };
        for refused in [
            s.quietly::<Lookup>(&owner, look()).await,
            s.quietly_with::<CreateRoleBinding>(&owner, wish.clone(), &rehearsal).await,
        ] {
            assert_eq!(refused.code, "RESOURCE_EXHAUSTED", "{:#}", refused.body);
            assert_eq!(refused.body["details"][0]["metadata"]["rule"], "LOOKUP_RATE", "{:#}", refused.body);
        }
        let other = s.server.admin();
        assert_eq!(s.quietly::<Lookup>(&other, look()).await.code, "OK", "others have their own");
        s.server.clock().advance_seconds(60);
        assert_eq!(s.quietly::<Lookup>(&owner, look()).await.code, "OK", "another minute");
        assert_eq!(s.quietly::<CreateRoleBinding>(&owner, wish).await.code, "OK");
    })
    .await;
}
