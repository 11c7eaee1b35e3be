use domain::{
    Kind, Narrowing, Rule, Timestamp,
    iam::{AwsIdentity, Matcher, Relationship, ServicePrincipal, StaticKeys, identity::user_uid},
};

use crate::world::{
    ESCALATION, ISSUER, KEYS, NOT_FOUND, STALE, World, built_in, capabilities, claim_match, edit_identity, name, refused,
    request, uids, violated, workload,
};
use services::iam::identities::IdentityFilter;

const YEAR: i64 = 365 * 24 * 60 * 60;

fn keys(expires_at: Timestamp) -> StaticKeys {
    StaticKeys {
        issuer: ISSUER.into(),
        subject: "robot".into(),
        issuer_keys: "{\"keys\":[]}".into(),
        expires_at,
        audiences: Vec::new(),
    }
}

#[tokio::test]
async fn an_identity_lives_in_a_group() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let ctx = world.by(&alice, &["identity.list"]).await;
    let robot = world.identities.create(&ctx, &organization, workload("robot"), KEYS).await.unwrap();
    assert_eq!(robot.uid.parent().as_ref(), Some(&organization));
    assert_eq!(robot.last_seen_at, world.now());
    assert_eq!(world.identities.get(&ctx, &robot.uid).await.unwrap(), robot);
    for absent in [organization.child([9; 8]), robot.uid.clone(), alice.clone()] {
        assert_eq!(
            refused(world.identities.create(&world.operator(), &absent, workload("x"), KEYS).await),
            NOT_FOUND,
            "{absent}"
        );
    }
    let listed = world.identities.list(&ctx, request(), IdentityFilter::default()).await.unwrap();
    assert_eq!(uids(&listed.items), [robot.uid], "users are in no organization");
}

#[tokio::test]
async fn relationships_have_their_limits() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let now = world.now();
    let rule = |change: fn(&mut domain::iam::ClaimMatch)| {
        let mut rule = claim_match("robot");
        change(&mut rule);
        Relationship::ClaimMatch(rule)
    };
    let pasted = |change: fn(&mut StaticKeys)| {
        let mut pasted = keys(now.plus_seconds(60));
        change(&mut pasted);
        Relationship::StaticKeys(pasted)
    };
    let aws = |account: &str, arn: Matcher| {
        Relationship::AwsIdentity(AwsIdentity { account: account.into(), arn, user_id: Matcher::Pattern(String::new()) })
    };
    let cases: Vec<(Relationship, &[&str])> = vec![
        (rule(|r| r.issuer = Matcher::Literal(String::new())), &["claim_match.issuer"]),
        (rule(|r| r.issuer = Matcher::Pattern(String::new())), &["claim_match.issuer_pattern"]),
        (rule(|r| r.subject = Matcher::Literal("a\0".into())), &["claim_match.subject"]),
        (rule(|r| r.subject = Matcher::Pattern("(".into())), &["claim_match.subject_pattern"]),
        (rule(|r| r.audience = Some(Matcher::Literal("x".repeat(2049)))), &["claim_match.audience"]),
        (rule(|r| r.claims = (0..51).map(|i| (i.to_string(), String::new())).collect()), &["claim_match.claims"]),
        (rule(|r| drop(r.claims.insert(String::new(), "x".into()))), &["claim_match.claims"]),
        (rule(|r| drop(r.claim_patterns.insert("a\nb".into(), "x".into()))), &["claim_match.claim_patterns"]),
        (pasted(|k| k.issuer.clear()), &["static_keys.issuer"]),
        (pasted(|k| k.subject.clear()), &["static_keys.subject"]),
        (pasted(|k| k.issuer_keys.clear()), &["static_keys.issuer_keys"]),
        (pasted(|k| k.issuer_keys = "x".repeat(65 * 1024)), &["static_keys.issuer_keys"]),
        (pasted(|k| k.audiences = vec!["a".into(), "b".into()]), &["static_keys.audiences"]),
        (pasted(|k| k.expires_at.0 -= 61_000), &["static_keys.expires_at"]),
        (Relationship::StaticKeys(keys(now.plus_seconds(YEAR + 3600))), &["static_keys.expires_at"]),
        (aws("12345678901", Matcher::Literal("arn".into())), &["aws_identity.aws_account", "aws_identity.user_id_pattern"]),
        (
            aws("12345678901a", Matcher::Literal(String::new())),
            &["aws_identity.aws_account", "aws_identity.arn", "aws_identity.user_id_pattern"],
        ),
        (Relationship::ServicePrincipal { principal: ServicePrincipal(0) }, &["service_principal"]),
        (Relationship::ServicePrincipal { principal: ServicePrincipal(14) }, &["service_principal"]),
    ];
    for (relationship, fields) in cases {
        let mut spec = workload("robot");
        spec.relationship = relationship.clone();
        assert_eq!(
            violated(world.identities.create(&world.operator(), &organization, spec, KEYS).await),
            fields,
            "{relationship:?}"
        );
    }
    let mut spec = workload("robot");
    spec.company = "x".repeat(256);
    assert_eq!(violated(world.identities.create(&world.operator(), &organization, spec, KEYS).await), ["company"]);
    let listed = world.identities.list(&world.operator(), request(), IdentityFilter::default()).await.unwrap();
    assert_eq!(listed.total, 1, "only alice");
}

#[tokio::test]
async fn static_keys_last_a_year_at_most() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let mut spec = workload("robot");
    spec.relationship = Relationship::StaticKeys(keys(Timestamp::default()));
    let robot = world.identities.create(&world.operator(), &organization, spec, KEYS).await.unwrap();
    let Relationship::StaticKeys(stored) = &robot.spec.relationship else { panic!("{robot:?}") };
    assert_eq!(stored.expires_at, world.now().plus_seconds(YEAR));

    world.wait(2 * YEAR);
    let renamed =
        world.identities.update(&world.operator(), &robot.uid, edit_identity(|spec| spec.name = name("old")), KEYS).await;
    assert_eq!(renamed.unwrap().relationship_revision, robot.relationship_revision, "expired keys do not hinder other changes");
    let rekeyed = edit_identity(|spec| {
        if let Relationship::StaticKeys(keys) = &mut spec.relationship {
            keys.subject = "other".into();
        }
    });
    let refusal = world.identities.update(&world.operator(), &robot.uid, rekeyed, KEYS).await;
    assert_eq!(violated(refusal), ["static_keys.expires_at"]);
}

#[tokio::test]
async fn rewriting_a_bound_identity_takes_all_that_it_holds() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let folder = world.folder(&organization, "folder").await;
    let robot = world.workload(&organization, "robot").await;
    let helper = world.workload(&organization, "helper").await;
    let updater = world.role(&organization, "updater", &["identity.update", "repo.list"]).await;
    world.bind(&organization, &helper, &updater).await;
    let takeover = || edit_identity(|spec| spec.relationship = Relationship::ClaimMatch(claim_match("me")));

    let before = world.identities.update(&world.by(&helper, &[]).await, &robot, takeover(), KEYS).await.unwrap();
    assert_eq!(before.relationship_revision, 2, "an identity without rights is nobody's ladder");

    world.bind(&folder, &robot, &built_in("editor")).await;
    let again = || edit_identity(|spec| spec.relationship = Relationship::ClaimMatch(claim_match("again")));
    let ctx = world.by(&helper, &[]).await;
    assert_eq!(refused(world.identities.update(&ctx, &robot, again(), KEYS).await), ESCALATION);
    let renamed = world.identities.update(&ctx, &robot, edit_identity(|spec| spec.name = name("renamed")), KEYS).await.unwrap();
    assert_eq!(renamed.relationship_revision, 2, "a name gives nothing away");

    world.bind(&folder, &helper, &built_in("editor")).await;
    let rewritten = world.identities.update(&world.by(&helper, &[]).await, &robot, again(), KEYS).await.unwrap();
    assert_eq!(rewritten.relationship_revision, 3);

    // Elsewhere the robot holds something that the helper does not hold there.
    world.bind(&organization, &robot, &built_in("editor")).await;
    assert_eq!(refused(world.identities.update(&world.by(&helper, &[]).await, &robot, takeover(), KEYS).await), ESCALATION);
    world.identities.update(&world.operator(), &robot, takeover(), KEYS).await.unwrap();
}

#[tokio::test]
async fn a_narrowed_token_takes_nothing_over() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let robot = world.workload(&organization, "robot").await;
    world.bind(&organization, &robot, &built_in("editor")).await;
    let takeover = || edit_identity(|spec| spec.relationship = Relationship::ClaimMatch(claim_match("me")));
    let narrowing = Narrowing { scopes: None, capabilities: Some(capabilities(&["identity.update"])) };
    let ctx = world.narrowed(&alice, &[], narrowing).await;
    assert_eq!(refused(world.identities.update(&ctx, &robot, takeover(), KEYS).await), ESCALATION);
    world.identities.update(&world.by(&alice, &[]).await, &robot, takeover(), KEYS).await.unwrap();
}

#[tokio::test]
async fn another_kind_of_relationship_ends_old_tokens() {
    let world = World::new().await;
    let (organization, _) = world.organization("alice").await;
    let robot = world.workload(&organization, "robot").await;
    let aws = AwsIdentity {
        account: "123456789012".into(),
        arn: Matcher::Literal("arn:aws:sts::123456789012:assumed-role/x/y".into()),
        user_id: Matcher::Pattern("^A.*$".into()),
    };
    let change = edit_identity(move |spec| spec.relationship = Relationship::AwsIdentity(aws));
    let changed = world.identities.update(&world.operator(), &robot, change, KEYS).await.unwrap();
    assert_eq!(changed.relationship_revision, 2);
    assert_eq!(world.identities.get(&world.operator(), &robot).await.unwrap(), changed);
}

#[tokio::test]
async fn deleting_takes_the_bindings_along() {
    let world = World::new().await;
    let (organization, alice) = world.organization("alice").await;
    let robot = world.workload(&organization, "robot").await;
    let helper = world.workload(&organization, "helper").await;
    let deleter = world.role(&organization, "deleter", &["identity.delete"]).await;
    world.bind(&organization, &helper, &deleter).await;
    let binding = world.bind(&organization, &robot, &built_in("owner")).await;

    let mut ctx = world.by(&helper, &[]).await;
    ctx.if_match = Some(domain::Etag("\"0\"".into()));
    assert_eq!(refused(world.identities.delete(&ctx, &robot).await), STALE);
    ctx.if_match = None;
    world.identities.delete(&ctx, &robot).await.expect("deleting is no escalation");
    assert_eq!(refused(world.role_bindings.get(&world.operator(), &binding).await), NOT_FOUND);
    assert_eq!(refused(world.identities.delete(&ctx, &robot).await), NOT_FOUND);
    assert_eq!(refused(world.identities.delete(&ctx, &organization).await), NOT_FOUND, "a uid of another kind");
    world.identities.delete(&world.operator(), &alice).await.expect("operators delete users");
}

#[tokio::test]
async fn a_users_uid_follows_from_issuer_and_subject() {
    let world = World::new().await;
    let (_, alice) = world.organization("alice").await;
    let ctx = world.by(&alice, &[]).await;
    let lookup = |issuer: &str, subject: &str| world.identities.lookup(&ctx, issuer, subject);
    assert_eq!(lookup(ISSUER, "alice").unwrap(), alice);
    assert_eq!(lookup(ISSUER, "nobody yet").unwrap(), user_uid(ISSUER, "nobody yet"));
    assert_eq!(violated(lookup("", "")), ["issuer", "subject"]);
    assert_eq!(violated(lookup("http://issuer.example", "x\u{7}")), ["issuer", "subject"]);
    assert_eq!(violated(lookup(ISSUER, &"x".repeat(2049))), ["subject"]);
    let nobody = world.identities.lookup(&world.system(), ISSUER, "x");
    assert_eq!(refused(nobody), (Kind::Unauthenticated, Rule::TokenMissing));
}
