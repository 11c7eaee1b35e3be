use prost_types::{Duration, Timestamp};

use crate::{
    Message,
    chainguard::platform::{
        auth::HeadlessSession,
        iam::v2beta1::{
            AccountAssociation, Group, GroupInvite, Identity, ListGroupsResponse, OrgKind,
            identity::{ClaimMatch, Relationship, claim_match::Iss},
        },
        oidc::TokenPair,
        registry::v2beta1::Repo,
    },
};

fn json(message: &impl Message) -> String {
    let mut out = String::new();
    message.write_json(&mut out);
    out
}

#[test]
fn an_empty_message_has_all_its_fields() {
    insta::assert_snapshot!(json(&Group::default()), @r#"{"uid":"","name":"","description":"","resourceLimits":{},"verified":false,"createTime":null,"updateTime":null,"kind":"ORG_KIND_UNSPECIFIED","status":"ORG_STATUS_UNSPECIFIED"}"#);
    insta::assert_snapshot!(json(&Identity::default()), @r#"{"uid":"","name":"","description":"","email":"","emailUnverified":"","company":"","lastSeenTime":null,"createTime":null,"updateTime":null}"#);
    insta::assert_snapshot!(json(&Repo::default()), @r#"{"uid":"","name":"","description":"","catalogTier":"CATALOG_TIER_UNSPECIFIED","bundles":[],"aliases":[],"activeTags":[],"sync_config":null,"customOverlay":null,"createTime":null,"updateTime":null}"#);
    insta::assert_snapshot!(json(&GroupInvite::default()), @r#"{"uid":"","roleUid":"","role":null,"email":"","ttl":null,"expirationTime":null,"singleUse":false,"code":"","keyId":"","createTime":null}"#);
    insta::assert_snapshot!(json(&AccountAssociation::default()), @r#"{"uid":"","name":"","description":"","amazon":null,"google":null,"chainguard":null,"azure":null,"createTime":null,"updateTime":null,"github":null}"#);
    insta::assert_snapshot!(json(&TokenPair::default()), @r#"{"token":null,"refreshToken":null}"#);
}

#[test]
fn a_populated_message_reads_like_the_published_ones() {
    let group = Group {
        uid: "u/v".to_owned(),
        name: "team".to_owned(),
        resource_limits: [("repos".to_owned(), 3), ("a \"b\"".to_owned(), -1)].into(),
        verified: true,
        create_time: Some(Timestamp { seconds: 1_769_860_800, nanos: 5_999_999 }),
        kind: OrgKind::Dev.into(),
        status: 77,
        ..Group::default()
    };
    let list =
        ListGroupsResponse { groups: vec![group, Group::default()], total_count: Some(1 << 40), ..ListGroupsResponse::default() };
    insta::assert_snapshot!(json(&list), @r#"{"groups":[{"uid":"u/v","name":"team","description":"","resourceLimits":{"a \"b\"":-1,"repos":3},"verified":true,"createTime":"2026-01-31T12:00:00.005Z","updateTime":null,"kind":"ORG_KIND_DEV","status":77},{"uid":"","name":"","description":"","resourceLimits":{},"verified":false,"createTime":null,"updateTime":null,"kind":"ORG_KIND_UNSPECIFIED","status":"ORG_STATUS_UNSPECIFIED"}],"nextPageToken":"","totalCount":"1099511627776","skipped":0}"#);
    let identity = Identity {
        name: "ci".to_owned(),
        relationship: Some(Relationship::ClaimMatch(ClaimMatch {
            iss: Some(Iss::Issuer("https://issuer".to_owned())),
            claim_patterns: [("ref".to_owned(), "refs/.*".to_owned())].into(),
            ..ClaimMatch::default()
        })),
        ..Identity::default()
    };
    insta::assert_snapshot!(json(&identity), @r#"{"uid":"","name":"ci","description":"","email":"","emailUnverified":"","company":"","lastSeenTime":null,"createTime":null,"updateTime":null,"claimMatch":{"issuer":"https://issuer","claims":{},"claimPatterns":{"ref":"refs/.*"}}}"#);
    insta::assert_snapshot!(json(&GroupInvite { ttl: Some(Duration { seconds: 3600, nanos: 0 }), ..GroupInvite::default() }), @r#"{"uid":"","roleUid":"","role":null,"email":"","ttl":"3600s","expirationTime":null,"singleUse":false,"code":"","keyId":"","createTime":null}"#);
    let session = HeadlessSession { ecdh_public_key: vec![0, 255].into(), encrypted_idtoken: vec![].into() };
    insta::assert_snapshot!(json(&session), @r#"{"ecdhPublicKey":"AP8=","encryptedIdtoken":""}"#);
}
