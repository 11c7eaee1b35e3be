use contract::chainguard::platform::iam::v2beta1::{
    GetGroupRequest, Identity, UpdateIdentityRequest,
    identity::{
        AwsIdentity, ClaimMatch, Relationship, StaticKeys,
        aws_identity::{AwsArn, AwsUserId},
        claim_match::{Iss, Sub},
    },
    rpc::{CreateIdentity, GetGroup, UpdateIdentity},
};
use testkit::scenario;

use super::{ci, claims, identity, keys, new_identity};
use crate::v2beta1::mask;

/// A request to make the identity `uid` like `wish`.
pub(super) fn update(uid: &str, wish: Identity, paths: &[&str]) -> UpdateIdentityRequest {
    UpdateIdentityRequest { identity: Some(Identity { uid: uid.into(), ..wish }), update_mask: mask(paths) }
}

fn described(name: &str, description: &str) -> Identity {
    Identity { description: description.into(), ..identity(name, None) }
}

#[tokio::test]
async fn changes_what_the_mask_names() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        let to = |wish: Identity, paths: &[&str]| update(&made.uid, wish, paths);
        s.server.clock().advance_seconds(60);
        s.call::<UpdateIdentity>("without a mask what is sent changes", &admin, to(described("", "first"), &[])).await;
        s.call::<UpdateIdentity>("with a mask nothing else does", &admin, to(described("ci-2", "ignored"), &["name"])).await;
        s.call::<UpdateIdentity>("a masked empty value clears", &admin, to(described("", ""), &["description"])).await;
        s.call::<UpdateIdentity>("an unknown path", &admin, to(described("ci-3", ""), &["claim_match.isuer"])).await;
        s.call::<UpdateIdentity>("output-only paths are ignored", &admin, to(described("", ""), &["email", "last_seen_time"]))
            .await;
        s.call::<UpdateIdentity>("a name that becomes empty", &admin, to(described("", ""), &["name"])).await;
        s.call::<UpdateIdentity>("a star without a relationship", &admin, to(described("ci-3", ""), &["*"])).await;
        s.call::<UpdateIdentity>("a star replaces all", &admin, to(identity("ci-3", Some(ci())), &["*"])).await;
        s.call::<UpdateIdentity>("nothing sent, nothing changed", &admin, to(Identity::default(), &[])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn one_relationship_takes_the_place_of_another() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        let to = |relationship: Relationship, paths: &[&str]| update(&made.uid, identity("", Some(relationship)), paths);
        let rule =
            |iss: Option<Iss>, sub: Option<Sub>| Relationship::ClaimMatch(ClaimMatch { iss, sub, ..ClaimMatch::default() });
        let by_pattern = rule(Some(Iss::IssuerPattern(r"https://[a-z]+\.example\.com".into())), None);
        s.call::<UpdateIdentity>("one claim to a pattern", &admin, to(by_pattern, &[])).await;
        let subject = rule(None, Some(Sub::Subject("cd".into())));
        s.call::<UpdateIdentity>("one claim by the mask", &admin, to(subject, &["claim_match.subject"])).await;
        s.call::<UpdateIdentity>(
            "a rule without its subject",
            &admin,
            to(rule(Some(Iss::Issuer("https://issuer.example".into())), None), &["claim_match"]),
        )
        .await;
        let claim_patterns = (1..=5).map(|n| (format!("claim-{n}"), r"\pL{5}".to_owned())).collect();
        let large = Relationship::ClaimMatch(ClaimMatch { claim_patterns, ..ClaimMatch::default() });
        s.call::<UpdateIdentity>("to patterns that are too large together", &admin, to(large, &["claim_match.claim_patterns"]))
            .await;
        s.call::<UpdateIdentity>("claims to keys", &admin, to(Relationship::StaticKeys(keys()), &[])).await;
        let aws = AwsIdentity {
            aws_account: "123456789012".into(),
            aws_arn: Some(AwsArn::Arn("arn:aws:iam::123456789012:user/ci".into())),
            aws_user_id: Some(AwsUserId::UserId("AIDAEXAMPLE".into())),
        };
        s.call::<UpdateIdentity>("keys to AWS, by the mask", &admin, to(Relationship::AwsIdentity(aws), &["aws_identity"])).await;
        s.call::<UpdateIdentity>("AWS to a part of the platform", &admin, to(Relationship::ServicePrincipal(2), &[])).await;
        s.call::<UpdateIdentity>("back to claims, by a star", &admin, update(&made.uid, identity("ci", Some(ci())), &["*"]))
            .await;
        s.call::<UpdateIdentity>(
            "to keys that are none",
            &admin,
            to(Relationship::StaticKeys(StaticKeys::default()), &["static_keys"]),
        )
        .await;
        s.call::<UpdateIdentity>("to none", &admin, update(&made.uid, Identity::default(), &["claim_match"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_new_relationship_ends_the_tokens_of_the_old_one() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        let look = GetGroupRequest { uid: org.to_string() };
        admin.must::<UpdateIdentity>(update(viewer.uid().as_str(), described("renamed", ""), &[])).await;
        assert_eq!(s.quietly::<GetGroup>(&viewer, look.clone()).await.code, "OK", "another name changes nothing for it");
        let other = claims(&s.server.issuer(), "somebody-else");
        admin.must::<UpdateIdentity>(update(viewer.uid().as_str(), identity("", Some(other)), &[])).await;
        s.call::<GetGroup>("with the token of before", &viewer, look).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
