use std::collections::BTreeMap;

use client::Options;
use contract::{
    chainguard::platform::{
        iam::v2beta1::{
            CreateIdentityRequest, GetIdentityRequest, Identity, ListIdentitiesRequest, ListIdentitiesResponse, ServicePrincipal,
            identity::{
                AwsIdentity, ClaimMatch, Relationship, StaticKeys,
                aws_identity::{AwsArn, AwsUserId},
                claim_match::{Aud, Iss, Sub},
            },
            rpc::{CreateIdentity, GetIdentity, ListIdentities},
        },
        registry::v2beta1::{Repo, rpc::CreateRepo},
    },
    prost_types::Timestamp,
};
use testkit::scenario;

use super::{ci, identity, keys, new_identity};
use crate::v2beta1::{absent, repos::new_repo};

fn map(key: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(key.to_owned(), value.to_owned())])
}

#[tokio::test]
async fn keeps_each_of_the_four_relationships() {
    let literal = ClaimMatch {
        iss: Some(Iss::Issuer("https://issuer.example".into())),
        sub: Some(Sub::Subject("repo:a/b:ref:main".into())),
        aud: Some(Aud::Audience("provost".into())),
        claims: map("repository", "a/b"),
        ..ClaimMatch::default()
    };
    let patterns = ClaimMatch {
        iss: Some(Iss::IssuerPattern(r"https://[a-z]+\.example\.com".into())),
        sub: Some(Sub::SubjectPattern("repo:a/.*".into())),
        aud: Some(Aud::AudiencePattern("provost|registry".into())),
        claim_patterns: map("ref", "^refs/heads/.+$"),
        ..ClaimMatch::default()
    };
    let until_february = Some(Timestamp { seconds: 1_769_904_000, nanos: 0 });
    let all_set = StaticKeys { expiration_time: until_february, audiences: vec!["provost".into()], ..keys() };
    let user = AwsIdentity {
        aws_account: "123456789012".into(),
        aws_arn: Some(AwsArn::Arn("arn:aws:iam::123456789012:user/ci".into())),
        aws_user_id: Some(AwsUserId::UserId("AIDAEXAMPLE".into())),
    };
    let role = AwsIdentity {
        aws_account: "123456789012".into(),
        aws_arn: Some(AwsArn::ArnPattern("arn:aws:sts::123456789012:assumed-role/ci/.*".into())),
        aws_user_id: Some(AwsUserId::UserIdPattern("AROAEXAMPLE:.*".into())),
    };
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        for (title, relationship) in [
            ("claims to the letter", Relationship::ClaimMatch(literal.clone())),
            ("claims by pattern", Relationship::ClaimMatch(patterns.clone())),
            ("keys, accepted as long as they may be", Relationship::StaticKeys(keys())),
            ("keys with an end and an audience", Relationship::StaticKeys(all_set.clone())),
            ("an AWS user", Relationship::AwsIdentity(user.clone())),
            ("the sessions of an AWS role", Relationship::AwsIdentity(role.clone())),
            ("a part of the platform", Relationship::ServicePrincipal(ServicePrincipal::Cosigned.into())),
        ] {
            let made = s.call::<CreateIdentity>(title, &admin, new_identity(&org, "ci", Some(relationship))).await;
            let uid = made.ok::<Identity>().uid;
            let read = s.quietly::<GetIdentity>(&admin, GetIdentityRequest { uid }).await;
            assert_eq!(read, made, "what was created is what is read");
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let with = |identity: Identity| CreateIdentityRequest { parent: org.clone(), identity: Some(identity) };
        s.call::<CreateIdentity>("nothing at all", &admin, with(Identity::default())).await;
        s.call::<CreateIdentity>("no relationship", &admin, new_identity(&org, "ci", None)).await;
        s.call::<CreateIdentity>("an invalid name", &admin, new_identity(&org, "C I", Some(ci()))).await;
        s.call::<CreateIdentity>("a name that is too long", &admin, new_identity(&org, &"a".repeat(256), Some(ci()))).await;
        let described = Identity { description: "a\tb".into(), ..identity("ci", Some(ci())) };
        s.call::<CreateIdentity>("a description with a tab", &admin, with(described)).await;
        let employed = |company: &str| with(Identity { company: company.into(), ..identity("ci", Some(ci())) });
        s.call::<CreateIdentity>("a company of two lines", &admin, employed("a\nb")).await;
        s.call::<CreateIdentity>("a company that is too long", &admin, employed(&"a".repeat(256))).await;
        s.call::<CreateIdentity>("no parent", &admin, new_identity("", "ci", Some(ci()))).await;
        s.call::<CreateIdentity>("a parent that is no identifier", &admin, new_identity("nonsense", "ci", Some(ci()))).await;
        s.call::<CreateIdentity>("a parent that does not exist", &admin, new_identity(&absent(&org), "ci", Some(ci()))).await;
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&org, "app")).await.ok();
        s.call::<CreateIdentity>("a parent that is a repo", &admin, new_identity(&repo.uid, "ci", Some(ci()))).await;
        let nothing = CreateIdentityRequest { parent: org.clone(), identity: None };
        assert_eq!(s.quietly::<CreateIdentity>(&admin, nothing).await.code, "INVALID_ARGUMENT");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_applied_once_per_key() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let keyed = Options { idempotency_key: Some("key-1".into()), ..Options::default() };
        let request = |name: &str| new_identity(&org, name, Some(ci()));
        let first = s.call_with::<CreateIdentity>("the first time", &admin, request("once"), &keyed).await;
        s.server.clock().advance_seconds(60);
        let again = s.quietly_with::<CreateIdentity>(&admin, request("once"), &keyed).await;
        assert_eq!(again, first, "the same key gives the same answer");
        s.call_with::<CreateIdentity>("the same key for something else", &admin, request("other"), &keyed).await;
        let owner = s.server.workload(s.server.organization(), "owner", Some("owner")).await;
        let of_another = s.quietly_with::<CreateIdentity>(&owner, request("once"), &keyed).await.ok::<Identity>();
        assert_ne!(of_another.uid, first.ok::<Identity>().uid, "another caller's key is another key");
        let by_name = ListIdentitiesRequest { name: "once".into(), ..ListIdentitiesRequest::default() };
        let found = s.quietly::<ListIdentities>(&admin, by_name).await.ok::<ListIdentitiesResponse>();
        assert_eq!(found.total_count, Some(2), "once per caller");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
