//! Identities.

use contract::chainguard::platform::iam::v2beta1::{
    CreateIdentityRequest, DeleteIdentityRequest, GetIdentityRequest, Identity, ListIdentitiesRequest, LookupIdentityRequest,
    RelationshipType, UpdateIdentityRequest,
    identity::{
        ClaimMatch, Relationship, StaticKeys,
        claim_match::{Iss, Sub},
    },
    rpc::{CreateIdentity, DeleteIdentity, GetIdentity, ListIdentities, LookupIdentity, UpdateIdentity},
};
use domain::{Kind, iam::identity::user_uid};
use prost_types::{FieldMask, Timestamp};

use crate::{
    groups::group,
    server::{NOW, Server, refused, violated},
};

const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","alg":"ES256","use":"sig",
"x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;

fn claims(subject: &str) -> Relationship {
    Relationship::ClaimMatch(ClaimMatch {
        iss: Some(Iss::Issuer("https://issuer.example".into())),
        sub: Some(Sub::Subject(subject.into())),
        ..ClaimMatch::default()
    })
}

fn identity(name: &str, relationship: Option<Relationship>) -> Identity {
    Identity { name: name.into(), relationship, ..Identity::default() }
}

/// A new workload in a group.
pub(crate) async fn workload(server: &Server, parent: &str, name: &str) -> Identity {
    let request = CreateIdentityRequest { parent: parent.into(), identity: Some(identity(name, Some(claims(name)))) };
    server.call(CreateIdentity, request).await.unwrap().0
}

#[tokio::test]
async fn identities_come_change_and_go() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let created = workload(&server, &org, "ci").await;
    assert_eq!(created.relationship, Some(claims("ci")));
    assert_eq!(created.last_seen_time, created.create_time);
    let (read, etag) = server.call(GetIdentity, GetIdentityRequest { uid: created.uid.clone() }).await.unwrap();
    assert_eq!((read, etag.is_some()), (created.clone(), true));

    let pattern = Relationship::ClaimMatch(ClaimMatch { sub: Some(Sub::SubjectPattern("c.*".into())), ..ClaimMatch::default() });
    let wished = Identity { uid: created.uid.clone(), ..identity("", Some(pattern)) };
    let update_mask = Some(FieldMask { paths: vec!["claim_match.subject_pattern".into()] });
    let updated = server.call(UpdateIdentity, UpdateIdentityRequest { identity: Some(wished), update_mask }).await.unwrap().0;
    let Some(Relationship::ClaimMatch(rule)) = updated.relationship else { panic!("{updated:?}") };
    assert_eq!(rule.sub, Some(Sub::SubjectPattern("c.*".into())));
    assert_eq!(rule.iss, Some(Iss::Issuer("https://issuer.example".into())));

    server.call(DeleteIdentity, DeleteIdentityRequest { uid: created.uid.clone() }).await.unwrap();
    let gone = server.call(GetIdentity, GetIdentityRequest { uid: created.uid }).await;
    assert_eq!(gone.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test]
async fn pasted_keys_last_a_year_unless_less_is_asked_for() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let create = |expiration_time| {
        let keys = StaticKeys {
            issuer: "https://issuer.example".into(),
            subject: "ci".into(),
            issuer_keys: KEYS.into(),
            expiration_time,
            audiences: vec![],
        };
        let identity = Some(identity("ci", Some(Relationship::StaticKeys(keys))));
        server.call(CreateIdentity, CreateIdentityRequest { parent: org.clone(), identity })
    };
    let expiry = |identity: Identity| match identity.relationship {
        Some(Relationship::StaticKeys(keys)) => keys.expiration_time.map(|time| time.seconds - NOW.0 / 1000),
        other => panic!("{other:?}"),
    };
    let after = |seconds: i64| Some(Timestamp { seconds: NOW.0 / 1000 + seconds, nanos: 0 });
    assert_eq!(expiry(create(None).await.unwrap().0), Some(365 * 24 * 3600));
    assert_eq!(expiry(create(after(3600)).await.unwrap().0), Some(3600));
    for bad in [after(-1), after(400 * 24 * 3600), Some(Timestamp::default())] {
        assert_eq!(violated(create(bad).await), ["static_keys.expiration_time"]);
    }
}

#[tokio::test]
async fn lists_filter_by_relationship() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    workload(&server, &org, "a").await;
    let count = |relationship_type| {
        let request = ListIdentitiesRequest { relationship_type, ..ListIdentitiesRequest::default() };
        server.call(ListIdentities, request)
    };
    assert_eq!(count(0).await.unwrap().0.total_count, Some(1));
    assert_eq!(count(RelationshipType::ClaimMatch.into()).await.unwrap().0.identities.len(), 1);
    assert_eq!(count(RelationshipType::Static.into()).await.unwrap().0.total_count, Some(0));
    assert_eq!(violated(count(9).await), ["relationship_type"]);
}

#[tokio::test]
async fn lookup_always_knows_a_user() {
    let server = Server::new().await;
    let lookup = |issuer: &str, subject: &str| {
        server.call(LookupIdentity, LookupIdentityRequest { issuer: issuer.into(), subject: subject.into() })
    };
    let uid = lookup("https://issuer.example", "me").await.unwrap().0.uid;
    assert_eq!(uid, user_uid("https://issuer.example", "me").to_string());
    assert_eq!(violated(lookup("issuer", "").await), ["issuer", "subject"]);
}

#[tokio::test]
async fn bad_requests_name_their_fields() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let create = |identity| server.call(CreateIdentity, CreateIdentityRequest { parent: org.clone(), identity });
    let expected = "Invalid argument: name: name must match \"^[a-z0-9 ._-]{1,}$\"";
    assert_eq!(refused(create(Some(Identity::default())).await), expected);
    assert_eq!(violated(create(Some(identity("a", None))).await), ["relationship"]);
    let nobody = CreateIdentityRequest { parent: String::new(), identity: Some(identity("a", Some(claims("a")))) };
    assert_eq!(violated(server.call(CreateIdentity, nobody).await), ["parent"]);
}
