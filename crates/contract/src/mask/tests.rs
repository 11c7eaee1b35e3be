use prost_reflect::{DynamicMessage, MessageDescriptor, ReflectMessage as _};
use prost_types::Timestamp;

use super::*;
use crate::{
    behavior,
    chainguard::platform::{
        iam::v2beta1::{
            Group, Identity, IdentityProvider,
            identity::{
                ClaimMatch, Relationship, StaticKeys,
                claim_match::{Aud, Iss, Sub},
            },
            identity_provider::{Configuration, Oidc, oidc::CorrelationRule},
        },
        registry::v2beta1::{Repo, SyncConfig},
        vulnerabilities::v2beta1::{Advisory, AdvisoryEvent},
    },
};

fn mask(paths: &[&str]) -> FieldMask {
    FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() }
}

fn time(seconds: i64) -> Timestamp {
    Timestamp { seconds, nanos: 0 }
}

fn group() -> Group {
    Group {
        uid: "u".to_owned(),
        name: "old".to_owned(),
        description: "text".to_owned(),
        resource_limits: [("repos".to_owned(), 3)].into(),
        create_time: Some(time(1)),
        ..Group::default()
    }
}

fn matching(subject: &str) -> Identity {
    let claims = [("a".to_owned(), "1".to_owned())].into();
    let found = ClaimMatch {
        iss: Some(Iss::Issuer("https://i".to_owned())),
        sub: Some(Sub::Subject(subject.to_owned())),
        claims,
        ..ClaimMatch::default()
    };
    Identity {
        uid: "u".to_owned(),
        name: "n".to_owned(),
        relationship: Some(Relationship::ClaimMatch(found)),
        ..Identity::default()
    }
}

fn claim_match(identity: &Identity) -> &ClaimMatch {
    match &identity.relationship {
        Some(Relationship::ClaimMatch(found)) => found,
        other => panic!("not a claim match: {other:?}"),
    }
}

fn problem<T: Message>(current: &T, wished: &T, path: &str) -> Option<Problem> {
    let errors = apply(current, wished, Some(&mask(&[path]))).err()?;
    assert_eq!((errors.len(), errors[0].path.as_str()), (1, path));
    Some(errors[0].problem)
}

#[test]
fn named_fields_are_written_and_others_kept() {
    let patch = Group { name: "new".to_owned(), description: "new".to_owned(), ..Group::default() };
    let after = apply(&group(), &patch, Some(&mask(&["name"]))).expect("applies");
    assert_eq!(after, Group { name: "new".to_owned(), ..group() });
}

#[test]
fn a_named_field_that_the_patch_lacks_is_cleared() {
    let after = apply(&group(), &Group::default(), Some(&mask(&["description"]))).expect("applies");
    assert_eq!(after, Group { description: String::new(), ..group() });
}

#[test]
fn without_a_mask_the_populated_fields_are_written() {
    let patch = Group { uid: "other".to_owned(), name: "new".to_owned(), create_time: Some(time(9)), ..Group::default() };
    for none in [None, Some(&mask(&[]))] {
        assert_eq!(apply(&group(), &patch, none), Ok(Group { name: "new".to_owned(), ..group() }));
    }
    let mut patch = matching("");
    if let Some(Relationship::ClaimMatch(found)) = &mut patch.relationship {
        *found = ClaimMatch { sub: Some(Sub::SubjectPattern("s.*".to_owned())), ..ClaimMatch::default() };
    }
    let after = apply(&matching("s"), &patch, None).expect("applies");
    let expected = ClaimMatch { sub: Some(Sub::SubjectPattern("s.*".to_owned())), ..claim_match(&matching("s")).clone() };
    assert_eq!(claim_match(&after), &expected);
}

#[test]
fn a_star_replaces_what_callers_may_write() {
    let patch = Group { uid: "other".to_owned(), name: "new".to_owned(), verified: true, ..Group::default() };
    let expected = Group { name: "new".to_owned(), verified: true, description: String::new(), ..group() };
    assert_eq!(apply(&group(), &patch, Some(&mask(&["*"]))), Ok(expected));
}

#[test]
fn output_only_values_survive_inside_replaced_messages() {
    let repo = |source: &str, tags: bool, google: &str| Repo {
        sync_config: Some(SyncConfig {
            source: source.to_owned(),
            unique_tags: tags,
            google: google.to_owned(),
            ..SyncConfig::default()
        }),
        ..Repo::default()
    };
    for path in ["sync_config", "*"] {
        let after = apply(&repo("a", true, "g"), &repo("b", false, ""), Some(&mask(&[path])));
        assert_eq!(after, Ok(repo("b", true, "")));
    }
    let after = apply(&repo("a", true, "g"), &repo("a", false, ""), Some(&mask(&["sync_config.unique_tags"])));
    assert_eq!(after, Ok(repo("a", true, "g")));
}

#[test]
fn output_only_values_inside_new_list_items_are_dropped() {
    let event = |uid: &str| AdvisoryEvent { uid: uid.to_owned(), author: "a".to_owned(), ..AdvisoryEvent::default() };
    let patch = Advisory { events: vec![event("forged")], ..Advisory::default() };
    let after = apply(&Advisory::default(), &patch, Some(&mask(&["events"])));
    assert_eq!(after, Ok(Advisory { events: vec![event("")], ..Advisory::default() }));
    assert_eq!(writable(&Advisory { uid: "forged".to_owned(), ..patch }).events, vec![event("")]);
    assert_eq!(writable(&group()), Group { uid: String::new(), resource_limits: [].into(), create_time: None, ..group() });
}

#[test]
fn another_oneof_member_clears_the_first() {
    let keys = StaticKeys { issuer: "i".to_owned(), ..StaticKeys::default() };
    let patch = Identity { relationship: Some(Relationship::StaticKeys(keys.clone())), ..Identity::default() };
    for path in ["static_keys", "staticKeys.issuer"] {
        let after = apply(&matching("s"), &patch, Some(&mask(&[path]))).expect("applies");
        assert_eq!(after.relationship, Some(Relationship::StaticKeys(keys.clone())));
    }
    let audience = |aud| Identity {
        relationship: Some(Relationship::ClaimMatch(ClaimMatch { aud: Some(aud), ..claim_match(&matching("s")).clone() })),
        ..matching("s")
    };
    let (literal, pattern) = (audience(Aud::Audience("a".to_owned())), audience(Aud::AudiencePattern("p".to_owned())));
    assert_eq!(apply(&literal, &pattern, Some(&mask(&["claim_match.audience_pattern"]))), Ok(pattern.clone()));
    assert_eq!(apply(&literal, &pattern, None), Ok(pattern));
}

#[test]
fn a_path_of_an_unset_member_leaves_the_other_member_alone() {
    for path in ["static_keys", "static_keys.issuer"] {
        assert_eq!(apply(&matching("s"), &Identity::default(), Some(&mask(&[path]))), Ok(matching("s")));
    }
    let after = apply(&matching("s"), &Identity::default(), Some(&mask(&["claim_match"]))).expect("applies");
    assert_eq!(after.relationship, None);
    let after = apply(&matching("s"), &Identity::default(), Some(&mask(&["claimMatch.subject"]))).expect("applies");
    assert_eq!(claim_match(&after).sub, None);
    assert!(claim_match(&after).iss.is_some());
}

#[test]
fn missing_messages_on_the_way_are_created() {
    let after = apply(&Identity::default(), &matching("s"), Some(&mask(&["claim_match.subject"]))).expect("applies");
    let created = claim_match(&after);
    assert_eq!((created.sub.clone(), created.iss.clone()), (Some(Sub::Subject("s".to_owned())), None));
    let untouched = apply(&Identity::default(), &Identity::default(), Some(&mask(&["claim_match.subject"])));
    assert_eq!(untouched, Ok(Identity::default()));
}

#[test]
fn maps_are_replaced_whole() {
    let mut patch = matching("s");
    if let Some(Relationship::ClaimMatch(found)) = &mut patch.relationship {
        found.claims = [("b".to_owned(), "2".to_owned())].into();
    }
    for masked in [None, Some(&mask(&["claimMatch.claims"])), Some(&mask(&["*"]))] {
        let after = apply(&matching("s"), &patch, masked).expect("applies");
        assert_eq!(claim_match(&after).claims, [("b".to_owned(), "2".to_owned())].into());
    }
    assert_eq!(problem(&matching("s"), &patch, "claim_match.claims.b"), Some(Problem::IntoCollection));
}

#[test]
fn paths_that_lead_nowhere_are_refused_together() {
    assert_eq!(problem(&group(), &group(), "no_such"), Some(Problem::UnknownField));
    assert_eq!(problem(&group(), &group(), ""), Some(Problem::UnknownField));
    assert_eq!(problem(&group(), &group(), "name."), Some(Problem::IntoValue));
    assert_eq!(problem(&group(), &group(), "create_time.seconds"), Some(Problem::IntoValue));
    assert_eq!(problem(&group(), &group(), "resource_limits.repos"), Some(Problem::IntoCollection));
    assert_eq!(problem(&matching("s"), &matching("s"), "claim_match.nope"), Some(Problem::UnknownField));
    assert_eq!(problem(&group(), &group(), "uid"), None);
    let errors = apply(&group(), &group(), Some(&mask(&["name", "a", "*", "b"]))).expect_err("two bad paths");
    assert_eq!(errors.iter().map(|error| error.path.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(errors[0].to_string(), "a: no such field");
}

#[test]
fn immutable_fields_are_refused_only_when_they_change() {
    let provider = |rule: CorrelationRule| {
        let oidc = Oidc { issuer: "i".to_owned(), correlation_rule: rule.into(), ..Oidc::default() };
        IdentityProvider { configuration: Some(Configuration::Oidc(oidc)), ..IdentityProvider::default() }
    };
    let (before, other) = (provider(CorrelationRule::OidEqualsExternalId), provider(CorrelationRule::SubEqualsExternalId));
    let path = "oidc.correlation_rule";
    for masked in
        [None, Some(&mask(&[path])), Some(&mask(&["oidc.correlationRule"])), Some(&mask(&["oidc"])), Some(&mask(&["*"]))]
    {
        assert_eq!(apply(&before, &before, masked), Ok(before.clone()));
        let errors = apply(&before, &other, masked).expect_err("a change");
        assert_eq!(errors, [MaskError { path: path.to_owned(), problem: Problem::Immutable }]);
    }
    assert_eq!(apply(&before, &other, Some(&mask(&["oidc.issuer"]))), Ok(before.clone()));
    assert_eq!(writable(&before), before);
}

/// What `patch` makes of `before` by these paths; errors as well.
fn written(before: &DynamicMessage, patch: &DynamicMessage, paths: &[path::Fields]) -> (DynamicMessage, Vec<MaskError>) {
    let mut after = before.clone();
    let errors = merge::merge(&mut after, &mut patch.clone(), &tree::Tree::of_fields(paths));
    (after, errors)
}

proptest::proptest! {
    #[test]
    fn a_star_makes_the_writable_part_that_of_the_patch((before, patch) in pair()) {
        let (mut after, errors) = written(&before, &patch, &[Vec::new()]);
        if errors.is_empty() {
            let mut patch = patch;
            merge::strip(&mut after);
            merge::strip(&mut patch);
            proptest::prop_assert_eq!(after, patch);
        }
    }

    #[test]
    fn a_path_changes_what_it_names_and_nothing_else((before, patch) in pair()) {
        for path in reference::populated(&patch) {
            let (after, errors) = written(&before, &patch, std::slice::from_ref(&path));
            let first = &path[0];
            let together =
                |field: &prost_reflect::FieldDescriptor| first.containing_oneof().is_some_and(|o| o.fields().any(|f| f == *field));
            for field in before.descriptor().fields().filter(|field| field != first && !together(field)) {
                proptest::prop_assert_eq!(after.get_field(&field), before.get_field(&field), "{}", field.name());
            }
            if errors.is_empty() {
                let (mut after, mut wish) = (leaf(&after, &path), leaf(&patch, &path));
                [&mut after, &mut wish].into_iter().for_each(reference::strip);
                proptest::prop_assert_eq!(after, wish);
            }
        }
    }

    #[test]
    fn a_patch_that_changes_nothing_changes_nothing((before, _) in pair()) {
        let mut paths = reference::populated(&before);
        for _ in 0..2 {
            let (mut after, errors) = written(&before, &before, &paths);
            let mut before = before.clone();
            merge::strip(&mut before);
            merge::strip(&mut after);
            proptest::prop_assert_eq!((after, errors), (before, Vec::new()));
            paths.push(Vec::new());
        }
    }

    #[test]
    fn masks_mean_what_their_paths_mean_one_after_the_other((before, patch) in pair(), choice in choice()) {
        let known = paths_of(&before.descriptor());
        // Some twice, some below others, in any order.
        let paths: Vec<_> = choice.iter().map(|at| known[at % known.len()].clone()).collect();
        same(&before, &patch, &paths, |target, errors| {
            paths.iter().filter(|path| !path.is_empty()).for_each(|path| reference::one(target, &patch, path, errors));
            if paths.iter().any(Vec::is_empty) {
                reference::all(target, &patch, errors);
            }
        })?;
        let populated = reference::populated(&patch);
        let populated_errors = &mut Vec::new();
        let mut expected = before.clone();
        for path in &populated {
            reference::one(&mut expected, &patch, path, populated_errors);
        }
        let mut after = before.clone();
        let errors = merge::merge(&mut after, &mut patch.clone(), &tree::Tree::of_populated(&patch));
        proptest::prop_assert_eq!(distinct(&errors), distinct(populated_errors));
        if errors.is_empty() {
            proptest::prop_assert_eq!(after, expected);
        }
    }
}

/// Checks that paths together do what `expected` does one after the other.
fn same(
    before: &DynamicMessage,
    patch: &DynamicMessage,
    paths: &[path::Fields],
    expected: impl FnOnce(&mut DynamicMessage, &mut Vec<MaskError>),
) -> Result<(), proptest::test_runner::TestCaseError> {
    let (mut target, mut expected_errors) = (before.clone(), Vec::new());
    expected(&mut target, &mut expected_errors);
    let (after, errors) = written(before, patch, paths);
    proptest::prop_assert_eq!(distinct(&errors), distinct(&expected_errors));
    if errors.is_empty() {
        proptest::prop_assert_eq!(after, target);
    }
    Ok(())
}

/// The paths of errors, each once.
fn distinct(errors: &[MaskError]) -> std::collections::BTreeSet<&str> {
    errors.iter().map(|error| error.path.as_str()).collect()
}

/// Which of the paths of a message a mask has, by number: few or many.
fn choice() -> impl proptest::strategy::Strategy<Value = Vec<usize>> {
    proptest::collection::vec(proptest::num::usize::ANY, 1..12)
}

/// Every path of a message, `*` included.
fn paths_of(message: &MessageDescriptor) -> Vec<path::Fields> {
    let mut paths = vec![Vec::new()];
    let mut at = 0;
    while let Some(above) = paths.get(at).cloned() {
        let here = match above.last() {
            None => Some(message.clone()),
            Some(last) => behavior::nested(last).filter(|_| above.len() < 4),
        };
        for field in here.iter().flat_map(MessageDescriptor::fields) {
            paths.push(above.iter().cloned().chain([field]).collect());
        }
        at += 1;
    }
    paths
}

/// The value at the end of a path.
fn leaf(message: &DynamicMessage, path: &[prost_reflect::FieldDescriptor]) -> prost_reflect::Value {
    let (last, above) = path.split_last().expect("a path has a field");
    let holder = above.iter().fold(message.clone(), |message, field| {
        message.get_field(field).as_message().cloned().expect("a path goes through messages")
    });
    holder.get_field(last).into_owned()
}

/// Two random messages of one type.
fn pair() -> impl proptest::strategy::Strategy<Value = (DynamicMessage, DynamicMessage)> {
    use proptest::strategy::Strategy as _;
    proptest::sample::select(crate::arbitrary::messages())
        .prop_flat_map(|descriptor| (crate::arbitrary::of(descriptor.clone()), crate::arbitrary::of(descriptor)))
}
