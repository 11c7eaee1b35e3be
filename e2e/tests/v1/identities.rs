use contract::{
    chainguard::platform::iam::{
        CreateIdentityRequest, DeleteIdentityRequest, Identity, IdentityFilter, LookupRequest, RoleBindingFilter,
        RoleBindingList,
        identity::{ClaimMatch, Relationship, StaticKeys, claim_match},
        rpc::{IdentitiesCreate, IdentitiesDelete, IdentitiesList, IdentitiesUpdate, Lookup, RoleBindingsList},
        v2beta1::{
            self, GetIdentityRequest, UpdateIdentityRequest,
            rpc::{GetIdentity, UpdateIdentity},
        },
    },
    prost_types::Timestamp,
};
use domain::Clock as _;
use testkit::scenario;

use crate::v2beta1::{identities::KEYS, mask};

const DAY: i64 = 24 * 60 * 60;

fn new_identity(parent: &str, name: &str, relationship: Option<Relationship>) -> CreateIdentityRequest {
    let identity = Identity { name: name.into(), relationship, ..Identity::default() };
    CreateIdentityRequest { parent_id: parent.into(), identity: Some(identity) }
}

fn workflow(subject: &str) -> Relationship {
    Relationship::ClaimMatch(ClaimMatch {
        iss: Some(claim_match::Iss::Issuer("https://issuer.example".into())),
        sub: Some(claim_match::Sub::SubjectPattern(subject.into())),
        aud: Some(claim_match::Aud::Audience("shop".into())),
        claims: [("ref".to_owned(), "main".to_owned())].into(),
        claim_patterns: [("actor".to_owned(), "a.*".to_owned())].into(),
    })
}

fn keys(expiration: Option<i64>) -> StaticKeys {
    StaticKeys {
        issuer: "https://issuer.example".into(),
        subject: "robot".into(),
        issuer_keys: KEYS.into(),
        expiration: expiration.map(|seconds| Timestamp { seconds, nanos: 0 }),
        audiences: Vec::new(),
    }
}

#[tokio::test]
async fn are_the_identities_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: Identity =
            s.quietly::<IdentitiesCreate>(&admin, new_identity(&org, "ci", Some(workflow("repo:.*")))).await.ok();
        s.name(&made.id, "ci");
        s.call::<IdentitiesList>("one", &admin, IdentityFilter { id: made.id.clone(), ..IdentityFilter::default() }).await;

        let company = v2beta1::Identity { uid: made.id.clone(), company: "acme".into(), ..v2beta1::Identity::default() };
        admin.must::<UpdateIdentity>(UpdateIdentityRequest { identity: Some(company), update_mask: mask(&["company"]) }).await;
        let renamed = Identity { id: made.id.clone(), name: "cd".into(), relationship: made.relationship, ..Identity::default() };
        s.call::<IdentitiesUpdate>("another name", &admin, renamed).await;
        s.call::<GetIdentity>("what v1 does not know stays", &admin, GetIdentityRequest { uid: made.id.clone() }).await;
        s.call::<IdentitiesDelete>("it goes", &admin, DeleteIdentityRequest { id: made.id }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn static_keys_last_a_month() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let now = s.server.clock().now().seconds();
        let with = |keys| new_identity(&org, "robot", Some(Relationship::Static(keys)));
        let made: Identity = s.quietly::<IdentitiesCreate>(&admin, with(keys(None))).await.ok();
        let end = |identity: &Identity| match &identity.relationship {
            Some(Relationship::Static(keys)) => keys.expiration.map(|time| time.seconds),
            other => panic!("{other:?}"),
        };
        assert_eq!(end(&made), Some(now + 30 * DAY));
        s.call::<IdentitiesCreate>("31 days", &admin, with(keys(Some(now + 31 * DAY)))).await;
        s.call::<IdentitiesCreate>("in the past", &admin, with(keys(Some(now - 1)))).await;
        s.call::<IdentitiesCreate>(
            "nothing but an issuer",
            &admin,
            with(StaticKeys { issuer: "x".into(), ..StaticKeys::default() }),
        )
        .await;

        let year = v2beta1::identity::StaticKeys {
            expiration_time: Some(Timestamp { seconds: now + 365 * DAY, nanos: 0 }),
            ..v2beta1::identity::StaticKeys::default()
        };
        let relationship = Some(v2beta1::identity::Relationship::StaticKeys(year));
        let longer = v2beta1::Identity { uid: made.id.clone(), relationship, ..v2beta1::Identity::default() };
        let update_mask = mask(&["static_keys.expiration_time"]);
        admin.must::<UpdateIdentity>(UpdateIdentityRequest { identity: Some(longer), update_mask }).await;
        let kept = Some(Relationship::Static(keys(Some(now + 365 * DAY))));
        let renamed = Identity { id: made.id.clone(), name: "android".into(), relationship: kept, ..Identity::default() };
        let renamed: Identity = s.quietly::<IdentitiesUpdate>(&admin, renamed).await.ok();
        assert_eq!((renamed.name.as_str(), end(&renamed)), ("android", Some(now + 365 * DAY)), "what is there already may stay");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<IdentitiesCreate>("nothing", &admin, new_identity(&org, "", None)).await;
        s.call::<IdentitiesCreate>("a name alone", &admin, new_identity(&org, "ci", None)).await;
        s.call::<IdentitiesCreate>("no pattern", &admin, new_identity(&org, "ci", Some(workflow("(")))).await;
        s.call::<IdentitiesCreate>("no part of the platform", &admin, {
            new_identity(&org, "ci", Some(Relationship::ServicePrincipal(99)))
        })
        .await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn are_looked_up_by_what_their_issuer_calls_them() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let bound: RoleBindingList = s.quietly::<RoleBindingsList>(&admin, RoleBindingFilter::default()).await.ok();
        let own = bound.items.into_iter().find(|bound| bound.identity == s.server.admin_uid().as_str()).expect("its own");
        let (issuer, subject) = (own.claim_match_issuer, own.claim_match_subject);
        let admins = LookupRequest { issuer: issuer.clone(), subject };
        s.call::<Lookup>("oneself", &admin, admins.clone()).await;
        let robot = s.server.workload(s.server.organization(), "robot", None).await;
        s.call::<Lookup>("somebody else", &robot, admins.clone()).await;
        let unknown = LookupRequest { subject: "unknown".into(), issuer };
        let outcome = s.quietly::<Lookup>(&robot, unknown).await;
        assert_eq!(outcome.code, "NOT_FOUND", "{:#}", outcome.body);
        s.call::<Lookup>("without anything", &robot, LookupRequest::default()).await;
        s.call::<Lookup>("by nobody", &s.server.nobody(), admins).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
