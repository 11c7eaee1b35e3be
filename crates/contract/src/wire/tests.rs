use proptest::prelude::*;
use prost::Message as _;
use prost_reflect::DynamicMessage;

use super::*;
use crate::{
    Body, HttpRule, METHODS, Message, Method, arbitrary,
    chainguard::platform::{
        iam::v2beta1::{
            CreateGroupRequest, ListGroupsRequest, OrgKind, UpdateGroupRequest, UpdateIdentityMetadataRequest,
            UpdateIdentityRequest,
        },
        vulnerabilities::v2beta1::ListAdvisoriesRequest,
    },
    descriptors::{descriptor_of, request_of},
    find_method, json, message_descriptor,
};

fn read<T: Message>(text: &str) -> Result<T, String> {
    let mut out = Vec::new();
    let document = Document::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    document.append(&mut out, &descriptor_of::<T>(), Body::All).map_err(|error| error.to_string())?;
    Ok(T::decode(out.as_slice()).expect("what was written decodes"))
}

fn refused<T: Message + std::fmt::Debug>(text: &str) -> String {
    match read::<T>(text) {
        Ok(message) => panic!("{text} was read as {message:?}"),
        Err(error) => error,
    }
}

fn method(path: &str) -> (&'static Method, &'static HttpRule) {
    let method = find_method(&format!("/chainguard.platform.{path}")).expect("a method");
    (method, method.http.first().expect("a binding"))
}

fn start(path: &str) -> Request {
    let (method, rule) = method(path);
    Request::new(method, rule)
}

fn finish<T: Message>(request: Request) -> T {
    T::decode(request.finish().as_slice()).expect("what was written decodes")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn json_that_is_written_reads_back(message in arbitrary::message()) {
        let descriptor = prost_reflect::ReflectMessage::descriptor(&message);
        let mut text = String::new();
        prop_assert!(json::message(&mut text, descriptor.full_name(), &message.encode_to_vec()));
        let mut wire = Vec::new();
        let document = Document::parse(text.as_bytes()).expect("it is JSON");
        document.append(&mut wire, &descriptor, Body::All).unwrap_or_else(|error| panic!("{error}: {text}"));
        let ours = DynamicMessage::decode(descriptor.clone(), wire.as_slice()).expect("it decodes");
        prop_assert_eq!(&arbitrary::plain(&ours), &message);
        let theirs = DynamicMessage::deserialize(descriptor, &mut serde_json::Deserializer::from_str(&text)).expect("it is proto3 JSON");
        prop_assert_eq!(&arbitrary::plain(&theirs), &message);
    }

    #[test]
    fn the_grammar_is_that_of_json(text in "[{}\\[\\]\",:0-9eE+\\-.a-zA-Z\\\\ \n]{0,24}|[{\\[\"]([\"a,:{}\\[\\]0-9.\\\\un\\-]|null|\\\\u[dD][89cC]00){0,24}[\"}\\]]") {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match Document::parse(text.as_bytes()) {
            Ok(_) => prop_assert!(theirs.is_ok() || theirs.is_err_and(|e| e.to_string().starts_with("number out of range")), "{text}"),
            Err(error) => prop_assert!(theirs.is_err() || error.message.ends_with("is given twice"), "{text}: {error}"),
        }
    }

    /// Whatever is bound: what was found before is what the request says, and what is no text was not read as one.
    #[test]
    fn the_scope_is_that_of_the_bound_request(
        message in arbitrary::message(), in_query in any::<bool>(), in_path in any::<bool>(),
        at in any::<prop::sample::Index>(), byte in prop_oneof![Just(b'"'), Just(b'{'), Just(b','), Just(b'\\'), Just(b'n'), Just(b' ')],
    ) {
        let name = prost_reflect::ReflectMessage::descriptor(&message).full_name().to_owned();
        let mut text = String::new();
        prop_assert!(json::message(&mut text, &name, &message.encode_to_vec()));
        for (method, rule) in METHODS.iter().flat_map(|method| method.http.iter().map(move |rule| (method, rule))) {
            let of_body = match rule.body {
                Body::Field(field) => request_of(method).get_field_by_name(field).and_then(|field| Some(field.kind().as_message()?.full_name().to_owned())),
                _ => Some(method.request.to_owned()),
            };
            if of_body.as_deref() != Some(&*name) {
                continue;
            }
            let mut broken = text.clone().into_bytes();
            if let Some(hit) = broken.get_mut(at.index(text.len())) {
                *hit = byte;
            }
            for body in [text.as_bytes(), &broken, b" ", b"null"] {
                let mut request = Request::new(method, rule);
                let way = method.scope.iter().map(|field| field.name).collect::<Vec<_>>().join(".");
                if in_path && !way.is_empty() {
                    request.path(&way, "path").expect("a text");
                } else if in_query && !way.is_empty() {
                    let _ = request.query([(&*way, "query")]);
                }
                let found = request.scope(body).map(|found| found.map(std::borrow::Cow::into_owned));
                if request.body(body).is_ok() {
                    let wire = request.finish();
                    let said = crate::scope::find(method.scope, &wire).map(|said| said.map(str::to_owned));
                    prop_assert_eq!(found, said, "{} {:?} {}", method.path, rule, String::from_utf8_lossy(body));
                }
            }
        }
    }

    #[test]
    fn bytes_never_confuse_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let (method, rule) = method("iam.v2beta1.RoleBindingsService/BatchCreateRoleBindings");
        let _ = Request::new(method, rule).scope(&bytes);
        if let Err(error) = Document::parse(&bytes) {
            prop_assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
        }
    }
}

#[test]
fn malformed_json_is_located() {
    for (text, error) in [
        ("", "expected a value, but the text ends (line 1, column 1)"),
        ("{", "expected a key in quotes, but the text ends (line 1, column 2)"),
        ("{\"a\" 1}", "expected ':' after the key (line 1, column 6)"),
        ("{\n  \"name\": \"é\" x}", "expected ',' or '}' (line 2, column 15)"),
        ("{\"a\":1,}", "expected a key in quotes (line 1, column 8)"),
        ("{} {}", "expected nothing more after the value (line 1, column 4)"),
        ("{\"a\": nul}", "nul is not a value; text goes in double quotes (line 1, column 7)"),
        ("{'a': 1}", "expected a key in quotes (line 1, column 2)"),
        ("{\"a\": 01}", "01 is not a number (line 1, column 7)"),
        ("{\"a\": \"b", "the string is not closed (line 1, column 7)"),
        ("{\"a\": \"b\n\"}", "control characters in strings must be escaped (line 1, column 9)"),
        (r#"{"a": "\x"}"#, r#"no such escape; the escapes are \" \\ \/ \b \f \n \r \t \uHHHH (line 1, column 8)"#),
        (r#"{"a": "\ud800"}"#, "half of a surrogate pair (line 1, column 8)"),
        (r#"{"a": {"b": 1, "b": 2}}"#, r#"the key "b" is given twice (line 1, column 16)"#),
        ("[1, 2", "expected ',' or ']', but the text ends (line 1, column 6)"),
    ] {
        assert_eq!(refused::<CreateGroupRequest>(text), error, "{text}");
    }
    let error = Document::parse(b"{\"a\": \"\xff\"}").expect_err("not UTF-8");
    assert_eq!(error.to_string(), "the text is not UTF-8 (line 1, column 8)");
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Document::parse(nested(64).as_bytes()).is_ok());
    let error = Document::parse(nested(65).as_bytes()).expect_err("too deep");
    assert_eq!(error.to_string(), "nested deeper than 64 levels (line 1, column 65)");
    assert!(Document::parse(nested(1_000_000).as_bytes()).is_err());
}

#[test]
fn values_that_do_not_fit_are_located() {
    for (text, error) in [
        ("[]", "expected an object, got an array (line 1, column 1)"),
        (r#"{"parent": 5}"#, "parent: expected a string, got a number (line 1, column 12)"),
        (r#"{"group": {"verified": "yes"}}"#, "group.verified: expected true or false, got a string (line 1, column 24)"),
        (r#"{"group": "x"}"#, "group: expected an object, got a string (line 1, column 11)"),
        (
            r#"{"group": {"resourceLimits": {"repos": 1.5}}}"#,
            r#"group.resourceLimits["repos"]: expected an integer, got "1.5" (line 1, column 40)"#,
        ),
        (
            r#"{"group": {"resource_limits": {"repos": null}}}"#,
            r#"group.resourceLimits["repos"]: expected a number, got null (line 1, column 41)"#,
        ),
        (r#"{"group": {"resourceLimits": []}}"#, "group.resourceLimits: expected an object, got an array (line 1, column 30)"),
        (
            r#"{"group": {"createTime": "today"}}"#,
            r#"group.createTime: expected a timestamp such as "2026-01-31T12:00:00Z", got "today" (line 1, column 26)"#,
        ),
        (r#"{"group": {"createTime": {}}}"#, "group.createTime: expected a string, got an object (line 1, column 26)"),
    ] {
        assert_eq!(refused::<CreateGroupRequest>(text), error);
    }
    let error = refused::<CreateGroupRequest>(r#"{"group": {"kind": "ORG_KIND_NONE"}}"#);
    assert!(
        error.starts_with(r#"group.kind: "ORG_KIND_NONE" is not a value of OrgKind; use one of ORG_KIND_UNSPECIFIED, "#),
        "{error}"
    );
    let error = refused::<ListAdvisoriesRequest>(r#"{"advisoryIds": ["a", {}]}"#);
    assert_eq!(error, "advisoryIds[1]: expected a string, got an object (line 1, column 23)");
    assert_eq!(
        refused::<ListAdvisoriesRequest>(r#"{"aliases": "a"}"#),
        "aliases: expected an array, got a string (line 1, column 13)"
    );
}

#[test]
fn a_field_may_be_given_once() {
    assert_eq!(
        refused::<UpdateGroupRequest>(r#"{"updateMask": "name", "update_mask": "name"}"#),
        r#"updateMask: the field is given twice, as "updateMask" and as "update_mask" (line 1, column 24)"#
    );
    assert_eq!(
        refused::<UpdateIdentityRequest>(r#"{"identity": {"claimMatch": {"issuer": "a", "issuerPattern": "b"}}}"#),
        r#"identity.claimMatch.issuerPattern: cannot be combined with "issuer": only one of them may be set (line 1, column 45)"#
    );
    let request =
        read::<UpdateIdentityRequest>(r#"{"identity": {"claimMatch": {}, "staticKeys": null}}"#).expect("null is absent");
    assert!(request.identity.is_some_and(|identity| identity.relationship.is_some()));
}

#[test]
fn input_is_accepted_in_the_forms_of_proto3_json() {
    let text =
        r#"{"uidp": {"descendantsOf": "a", "in_root": true}, "page_size": "5.0", "skip": 2e0, "orderBy": null, "unknown": [{}]}"#;
    let request = read::<ListGroupsRequest>(text).expect("it fits");
    let uidp = request.uidp.clone().unwrap_or_default();
    assert_eq!((uidp.descendants_of.as_str(), uidp.in_root, request.page_size, request.skip), ("a", true, 5, 2));
    for kind in [r#""ORG_KIND_DEV""#, "3"] {
        let request = read::<CreateGroupRequest>(&format!(r#"{{"group": {{"kind": {kind}}}}}"#)).expect("it fits");
        assert_eq!(request.group.map(|group| group.kind()), Some(OrgKind::Dev));
    }
    assert_eq!(read::<()>("{}"), Ok(()));
}

#[test]
fn path_variables_win_over_the_body() {
    let mut request = start("iam.v2beta1.GroupsService/UpdateGroup");
    request.path("group.uid", "a/b").expect("a path");
    request.body(br#"{"uid": "forged", "name": "n", "description": null}"#).expect("a body");
    let update: UpdateGroupRequest = finish(request);
    let group = update.group.expect("a group");
    assert_eq!((group.uid.as_str(), group.name.as_str()), ("a/b", "n"));
    assert_eq!(
        update.update_mask.map(|mask| mask.paths),
        Some(vec!["uid".to_owned(), "name".to_owned(), "description".to_owned()])
    );

    let mut request = start("iam.v2beta1.GroupsService/UpdateGroup");
    request.path("group.uid", "").expect("a path");
    request.body(br#"{"uid": "forged"}"#).expect("a body");
    assert_eq!(Message::scope(&finish::<UpdateGroupRequest>(request)), Some(""));
}

#[test]
fn updates_without_a_mask_get_one_from_the_body() {
    let mask = |query: &[(&str, &str)], body: &str| {
        let mut request = start("iam.v2beta1.IdentitiesService/UpdateIdentity");
        request.query(query.iter().copied()).expect("a query");
        request.body(body.as_bytes()).expect("a body");
        finish::<UpdateIdentityRequest>(request).update_mask.map(|mask| mask.paths.join(","))
    };
    let nested = r#"{"claimMatch": {"issuer": "a", "claims": {"x": "y"}, "audience": null}, "lastSeenTime": "2026-01-31T12:00:00Z", "no": 1}"#;
    let paths = "claim_match.issuer,claim_match.claims,claim_match.audience,last_seen_time";
    assert_eq!(mask(&[], nested).as_deref(), Some(paths));
    assert_eq!(mask(&[("updateMask", "")], nested).as_deref(), Some(paths));
    assert_eq!(mask(&[], r#"{"claimMatch": {}}"#).as_deref(), Some("claim_match"));
    assert_eq!(mask(&[], "{}").as_deref(), Some(""));
    assert_eq!(mask(&[], "").as_deref(), None);
    assert_eq!(mask(&[("updateMask", "claimMatch.issuer,name")], nested).as_deref(), Some("claim_match.issuer,name"));
    assert_eq!(mask(&[("update_mask", "*")], nested).as_deref(), Some("*"));
}

#[test]
fn a_mask_beside_the_resource_in_the_body_holds() {
    let mask = |body: &str| {
        let mut request = start("iam.v2beta1.IdentitiesService/UpdateIdentityMetadata");
        request.body(body.as_bytes()).expect("a body");
        finish::<UpdateIdentityMetadataRequest>(request).update_mask.map(|mask| mask.paths.join(","))
    };
    assert_eq!(mask(r#"{"identityMetadata": {"company": "", "jobTitle": "x"}}"#).as_deref(), Some("company,job_title"));
    assert_eq!(mask(r#"{"identityMetadata": {"company": ""}, "updateMask": "product"}"#).as_deref(), Some("product"));
    assert_eq!(mask("{}").as_deref(), None);
}

#[test]
fn creates_take_no_mask() {
    let mut request = start("iam.v2beta1.GroupsService/CreateGroup");
    request.path("parent", "p").expect("a path");
    request.body(br#"{"name": "n"}"#).expect("a body");
    let create: CreateGroupRequest = finish(request);
    assert_eq!((create.parent.as_str(), create.group.map(|group| group.name)), ("p", Some("n".to_owned())));
}

#[test]
fn query_parameters_reach_every_kind_of_field() {
    let mut request = start("vulnerabilities.v2beta1.AdvisoriesService/ListAdvisories");
    let pairs = [
        ("uidp.descendants_of", "a"),
        ("uidp.inRoot", "true"),
        ("advisoryIds", "x"),
        ("advisory_ids", "y"),
        ("pageSize", "7"),
        ("origin", ""),
        ("latestEventType", "EVENT_TYPE_FILTER_FIXED"),
        ("event_review_states", "2"),
    ];
    request.query(pairs).expect("a query");
    let list: ListAdvisoriesRequest = finish(request);
    let uidp = list.uidp.clone().unwrap_or_default();
    assert_eq!((uidp.descendants_of.as_str(), uidp.in_root, list.page_size), ("a", true, 7));
    assert_eq!((list.advisory_ids, list.origin.as_deref()), (vec!["x".to_owned(), "y".to_owned()], Some("")));
    assert_eq!((list.latest_event_type, list.event_review_states), (Some(3), vec![2]));

    let mut request = start("iam.v2beta1.GroupsService/ListGroups");
    request.query([("uidp", "")]).expect("an empty filter");
    assert!(finish::<ListGroupsRequest>(request).uidp.is_some());
}

#[test]
fn parameters_that_do_not_fit_are_refused_together() {
    let problems = |pairs: &[(&str, &str)]| {
        let mut request = start("iam.v2beta1.GroupsService/ListGroups");
        let errors = request.query(pairs.iter().copied()).expect_err("a refusal");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        problems(&[("nope", "1"), ("uidp.nope", "1"), ("pageSize", "many"), ("name.x", "1"), ("", "")]),
        [
            r#"nope: unknown parameter; ListGroupsRequest has no field "nope""#,
            r#"uidp.nope: unknown parameter; UIDPFilter has no field "nope""#,
            r#"pageSize: expected an integer, got "many""#,
            "name.x: name has no fields of its own",
            r#": unknown parameter; ListGroupsRequest has no field """#,
        ]
    );
    assert_eq!(problems(&[("pageSize", "1"), ("page_size", "2")]), ["page_size: given more than once, but takes one value"]);
    assert_eq!(problems(&[("uidp", "a")]), ["uidp: has no value of its own; set its fields, such as uidp.ancestors_of"]);
    assert_eq!(
        problems(&[("pageSize", "2147483648")]),
        ["pageSize: 2147483648 is out of range, which is -2147483648 to 2147483647"]
    );
}

#[test]
fn parameters_do_not_overrule_path_and_body() {
    let mut request = start("iam.v2beta1.GroupsService/UpdateGroup");
    request.path("group.uid", "a").expect("a path");
    let errors = request.query([("group.uid", "b"), ("group.name", "n"), ("updateMask", "name")]).expect_err("a refusal");
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors, ["group.uid: is already given by the path", "group.name: belongs into the body"]);
}

#[test]
fn members_of_a_oneof_cannot_be_combined_in_a_query() {
    let descriptor = message_descriptor("chainguard.platform.iam.v2beta1.Identity.ClaimMatch").expect("ClaimMatch");
    let errors = append_query(&mut Vec::new(), &descriptor, [("issuer", "a"), ("issuerPattern", "b")]).expect_err("a refusal");
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), ["issuerPattern: cannot be combined with issuer"]);
    assert!(append_query(&mut Vec::new(), &descriptor, [("issuer", "a"), ("subject", "b")]).is_ok());
    let errors = append_query(&mut Vec::new(), &descriptor, [("claims", "a")]).expect_err("a refusal");
    assert_eq!(errors.first().map(ToString::to_string).as_deref(), Some("claims: a map cannot be set by a parameter"));
}

/// Two bytes of a form must not become a hundred of an answer, and what is repeated must not be compared with all before.
#[test]
fn long_queries_cost_no_more_than_their_length() {
    let many = || std::iter::repeat_n(("x", ""), 100_000);
    let descriptor = message_descriptor("chainguard.platform.oidc.ExchangeRequest").expect("ExchangeRequest");
    assert_eq!(append_query(&mut Vec::new(), &descriptor, many()).map_err(|errors| errors.len()), Err(100));
    let mut request = start("iam.v2beta1.GroupsService/UpdateGroup");
    request.path("group.uid", "a").expect("a path");
    assert_eq!(request.query(many().map(|(_, value)| ("group.uid", value))).map_err(|errors| errors.len()), Err(100));
    // Of two kinds, too.
    let some = std::iter::repeat_n(("group.uid", ""), 99).chain(many());
    assert_eq!(request.query(some).map_err(|errors| errors.len()), Err(100));

    let (started, mut out) = (std::time::Instant::now(), Vec::new());
    append_query(&mut out, &descriptor, std::iter::repeat_n(("aud", "a"), 100_000)).expect("a list");
    assert_eq!(out.len(), 300_000);
    // Compared with each other, these would take minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

/// Some bytes of a text must not become a hundred each of memory.
#[test]
fn a_text_has_a_limit_of_values() {
    let many = |values: usize| format!("[{}]", vec!["{}"; values].join(","));
    assert!(Document::parse(many(Document::MAX_VALUES - 1).as_bytes()).is_ok());
    let error = Document::parse(many(Document::MAX_VALUES).as_bytes()).expect_err("one too many").to_string();
    assert_eq!(error, "the body has more than 60000 values (line 1, column 179999)");
    let unknown = |keys: usize| format!("{{{}}}", (0..keys).map(|key| format!("\"{key}\":1")).collect::<Vec<_>>().join(","));
    assert!(read::<CreateGroupRequest>(&unknown(Document::MAX_VALUES - 1)).is_ok());
    assert!(read::<CreateGroupRequest>(&unknown(Document::MAX_VALUES)).is_err());
}

/// What a caller sent is repeated by its beginning.
#[test]
fn errors_repeat_little_of_what_was_sent() {
    let long = "é".repeat(1 << 20);
    for text in [
        format!(r#"{{"group": {{"kind": "{long}"}}}}"#),
        format!(r#"{{"group": {{"createTime": "{long}"}}}}"#),
        format!(r#"{{"group": {{"resourceLimits": {{"{long}": "{long}"}}}}}}"#),
        format!(r#"{{"{long}": 1, "{long}": 2}}"#),
        format!(r#"{{"skip": {}}}"#, "1".repeat(1 << 20)),
        format!(r#"{{"skip": 0{}}}"#, "1".repeat(1 << 20)),
        format!(r#"{{"a": {}}}"#, "x".repeat(1 << 20)),
    ] {
        let error = read::<CreateGroupRequest>(&text).err().or_else(|| read::<ListGroupsRequest>(&text).err());
        let error = error.expect("a refusal");
        assert!(error.len() < 1000, "{}", error.len());
    }
    let errors =
        start("iam.v2beta1.GroupsService/ListGroups").query([(&*long, "1"), ("pageSize", &*long)]).expect_err("a refusal");
    assert!(errors.iter().all(|error| error.field.len() + error.problem.len() < 1000), "{errors:?}");
}
