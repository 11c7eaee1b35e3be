use std::collections::BTreeMap;

use contract::{
    chainguard::platform::iam::v2beta1::{
        Identity,
        identity::{
            AwsIdentity, ClaimMatch, Relationship, StaticKeys,
            aws_identity::{AwsArn, AwsUserId},
            claim_match::{Aud, Iss, Sub},
        },
        rpc::CreateIdentity,
    },
    prost_types::Timestamp,
};
use testkit::scenario;

use super::{claims, keys, new_identity};

/// Plays the creation of an identity with each of the relationships.
async fn refusals(relationships: impl Fn(&str) -> Vec<(&'static str, Relationship)>) -> String {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        for (title, relationship) in relationships(s.server.base_url()) {
            let answer = s.call::<CreateIdentity>(title, &admin, new_identity(&org, "ci", Some(relationship))).await;
            assert_eq!(answer.code, "INVALID_ARGUMENT", "{title}");
        }
    })
    .await
}

#[tokio::test]
async fn issuers_must_be_ones_that_only_their_owner_can_be() {
    let literal = |issuer: &str| claims(issuer, "ci");
    let pattern = |pattern: &str| {
        let iss = Some(Iss::IssuerPattern(pattern.into()));
        Relationship::ClaimMatch(ClaimMatch { iss, sub: Some(Sub::Subject("ci".into())), ..ClaimMatch::default() })
    };
    let transcript = refusals(|base| {
        vec![
            ("no URL", literal("issuer.example")),
            ("in clear text", literal("http://issuer.example")),
            ("with a user", literal("https://me@issuer.example")),
            ("with a query", literal("https://issuer.example/?tenant=a")),
            ("with a fragment", literal("https://issuer.example/#a")),
            ("this server itself", literal(base)),
            ("any host", pattern("https://.*")),
            ("any host of a public suffix", pattern(r"https://[a-z]+\.co\.uk")),
            ("a host that goes on", pattern(r"https://example\.com.*")),
            ("one of two domains", pattern(r"https://a\.com|https://b\.com")),
            ("a pattern that is none", pattern(r"https://example\.com/(")),
        ]
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn claims_have_their_limits() {
    let with = |change: &dyn Fn(&mut ClaimMatch)| {
        let mut rule = ClaimMatch {
            iss: Some(Iss::Issuer("https://issuer.example".into())),
            sub: Some(Sub::Subject("ci".into())),
            ..ClaimMatch::default()
        };
        change(&mut rule);
        Relationship::ClaimMatch(rule)
    };
    let map = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
    let large = || (1..=5).map(|n| (format!("claim-{n}"), r"\pL{5}".to_owned())).collect();
    let transcript = refusals(|_| {
        vec![
            ("nothing in it", Relationship::ClaimMatch(ClaimMatch::default())),
            ("no subject", with(&|rule| rule.sub = None)),
            ("an empty subject", with(&|rule| rule.sub = Some(Sub::Subject(String::new())))),
            ("a subject with a control character", with(&|rule| rule.sub = Some(Sub::Subject("a\u{0}b".into())))),
            ("a subject that is too long", with(&|rule| rule.sub = Some(Sub::Subject("a".repeat(3000))))),
            ("a subject pattern that is none", with(&|rule| rule.sub = Some(Sub::SubjectPattern("[a".into())))),
            ("a subject pattern that looks ahead", with(&|rule| rule.sub = Some(Sub::SubjectPattern("a(?=b)".into())))),
            ("an audience pattern that is none", with(&|rule| rule.aud = Some(Aud::AudiencePattern("*".into())))),
            ("a claim without a name", with(&|rule| rule.claims = map("", "a"))),
            ("a claim pattern that is none", with(&|rule| rule.claim_patterns = map("ref", "("))),
            ("claim patterns that are too large together", with(&|rule| rule.claim_patterns = large())),
            ("too many claims", with(&|rule| rule.claims = (0..100).map(|n| (format!("claim-{n}"), "a".to_owned())).collect())),
        ]
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn keys_are_public_and_end() {
    let with = |change: &dyn Fn(&mut StaticKeys)| {
        let mut wish = keys();
        change(&mut wish);
        Relationship::StaticKeys(wish)
    };
    let at = |seconds: i64| Some(Timestamp { seconds, nanos: 0 });
    let private = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"AA"}]}"#;
    let transcript = refusals(|_| {
        vec![
            ("nothing in it", Relationship::StaticKeys(StaticKeys::default())),
            ("a private key", with(&|keys| keys.issuer_keys = private.into())),
            ("a private key in PEM", with(&|keys| keys.issuer_keys = "-----BEGIN PRIVATE KEY-----".into())),
            ("a shared secret", with(&|keys| keys.issuer_keys = r#"{"keys":[{"kty":"oct","k":"AA"}]}"#.into())),
            ("an end in the past", with(&|keys| keys.expiration_time = at(1_767_000_000))),
            ("an end in 1970", with(&|keys| keys.expiration_time = at(0))),
            ("an end in more than a year", with(&|keys| keys.expiration_time = at(1_798_945_445))),
            ("two audiences", with(&|keys| keys.audiences = vec!["a".into(), "b".into()])),
            ("an empty audience", with(&|keys| keys.audiences = vec![String::new()])),
        ]
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// What is no key set is kept as it is, as the published service does, and no token matches.
#[tokio::test]
async fn keys_that_are_none_are_kept_with_a_warning() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        for text in ["-----BEGIN PUBLIC KEY-----", r#"{"keys":[]}"#, r#"{"keys":[{"kty":"RSA","n":"AQ","e":"AQAB"}]}"#] {
            let wish = Relationship::StaticKeys(StaticKeys { issuer_keys: text.into(), ..keys() });
            s.call::<CreateIdentity>(text, &admin, new_identity(&org, "ci", Some(wish))).await.ok::<Identity>();
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn aws_principals_and_parts_of_the_platform_have_a_form() {
    let aws = |account: &str, arn: AwsArn, user_id: AwsUserId| {
        Relationship::AwsIdentity(AwsIdentity { aws_account: account.into(), aws_arn: Some(arn), aws_user_id: Some(user_id) })
    };
    let arn = || AwsArn::Arn("arn:aws:iam::123456789012:user/ci".into());
    let id = || AwsUserId::UserId("AIDAEXAMPLE".into());
    let transcript = refusals(|_| {
        vec![
            ("nothing in it", Relationship::AwsIdentity(AwsIdentity::default())),
            ("an account of 11 digits", aws("12345678901", arn(), id())),
            ("an account with a letter", aws("12345678901a", arn(), id())),
            ("an empty ARN", aws("123456789012", AwsArn::Arn(String::new()), id())),
            ("an ARN pattern that is none", aws("123456789012", AwsArn::ArnPattern("(".into()), id())),
            ("a user id pattern that is none", aws("123456789012", arn(), AwsUserId::UserIdPattern(")".into()))),
            ("no part of the platform", Relationship::ServicePrincipal(0)),
            ("an unknown part of the platform", Relationship::ServicePrincipal(14)),
        ]
    })
    .await;
    insta::assert_snapshot!(transcript);
}
