//! From an HTTP verb and a path to the method that the contract's `google.api.http` rules mean.
//!
//! Which rule wins never depends on the order in which they were added: candidates are tried by [`Template::rank`].
//! A custom verb (`:batchCreate`) is split off the last segment first; when no rule has it, the colon is part of the
//! text, as identifiers may contain one.

use std::{borrow::Cow, collections::HashMap, fmt};

use contract::Verb;
use domain::Error;
use percent_encoding::percent_decode_str;

mod template;

use template::{Segments, Template};

/// How many leading literal segments are hashed.
const DEPTH: usize = 3;

/// All routes of the server.
#[derive(Debug)]
pub(crate) struct Router<T> {
    /// By the first (at most [`DEPTH`]) literal segments, written as in a path; each list sorted by falling rank.
    by_prefix: HashMap<Box<str>, Vec<Route<T>>>,
}

#[derive(Debug)]
struct Route<T> {
    verb: Verb,
    template: Template,
    target: T,
}

/// A rule of the contract cannot be routed: a defect of the contract, found at start-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterError {
    template: String,
    problem: String,
}

impl fmt::Display for RouterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP rule {:?} cannot be routed: {}", self.template, self.problem)
    }
}

impl std::error::Error for RouterError {}

/// What a path leads to.
#[derive(Debug)]
pub(crate) enum Found<'r, T> {
    /// A route, and what its template captured.
    Route {
        /// What was registered.
        target: &'r T,
        /// Field paths and their text, percent-decoded.
        captures: Vec<(&'r str, String)>,
    },
    /// The path exists, with these verbs only.
    OtherVerbs(Vec<Verb>),
    /// No rule knows the path.
    Nothing,
}

impl<T> Router<T> {
    /// Builds the table from (verb, template, target).
    ///
    /// # Errors
    /// The template that cannot be read, or that another rule of the same verb shadows, and why.
    pub(crate) fn new<'t>(rules: impl IntoIterator<Item = (Verb, &'t str, T)>) -> Result<Self, RouterError> {
        let mut by_prefix: HashMap<Box<str>, Vec<Route<T>>> = HashMap::new();
        for (verb, text, target) in rules {
            let refuse = |problem: String| RouterError { template: text.to_owned(), problem };
            let template = Template::parse(text).map_err(|error| refuse(error.to_string()))?;
            let prefix = template.literal_prefix().take(DEPTH).fold(String::new(), |path, segment| path + "/" + segment);
            let routes = by_prefix.entry(prefix.into()).or_default();
            if routes.iter().any(|known| known.verb == verb && known.template.matches_like(&template)) {
                return Err(refuse("another rule matches the same paths with the same verb".to_owned()));
            }
            routes.push(Route { verb, template, target });
        }
        for routes in by_prefix.values_mut() {
            routes.sort_by_key(|route| std::cmp::Reverse(route.template.rank()));
        }
        Ok(Self { by_prefix })
    }

    /// Looks a path up. Without a verb, it finds out at most which verbs the path has.
    ///
    /// # Errors
    /// Invalid argument when a captured part is not UTF-8 after percent-decoding (RFC 3986 section 2.1).
    pub(crate) fn find(&self, verb: Option<Verb>, path: &str) -> Result<Found<'_, T>, Error> {
        let last = path.rfind('/').map_or(0, |slash| slash + 1);
        let split = path.get(last..).and_then(|segment| segment.rfind(':')).map(|colon| last + colon);
        if let Some((before, custom)) = split.and_then(|colon| Some((path.get(..colon)?, path.get(colon + 1..)?)))
            && let found @ (Found::Route { .. } | Found::OtherVerbs(_)) = self.find_with(verb, before, Some(custom))?
        {
            return Ok(found);
        }
        self.find_with(verb, path, None)
    }

    fn find_with(&self, verb: Option<Verb>, path: &str, custom: Option<&str>) -> Result<Found<'_, T>, Error> {
        let segments = Segments::cut(path);
        let mut others = Vec::new();
        let candidates = prefixes(path).filter_map(|prefix| self.by_prefix.get(prefix)).flatten();
        for route in candidates.filter(|route| route.template.verb() == custom && route.template.matches(&segments)) {
            if Some(route.verb) == verb {
                let captures = route.template.captures(&segments);
                let decoded = captures.map(|(field, text)| Ok((field, decode(field, text)?.into_owned())));
                return Ok(Found::Route { target: &route.target, captures: decoded.collect::<Result<_, Error>>()? });
            }
            if !others.contains(&route.verb) {
                others.push(route.verb);
            }
        }
        others.sort();
        Ok(if others.is_empty() { Found::Nothing } else { Found::OtherVerbs(others) })
    }
}

/// The path's first segments, the longest prefix first, down to none.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let mut ends = [None; DEPTH + 1];
    let slashes = path.match_indices('/').map(|(at, _)| at);
    ends.iter_mut().zip(slashes.chain([path.len()])).for_each(|(end, at)| *end = Some(at));
    ends.into_iter().rev().flatten().filter_map(|end| path.get(..end))
}

fn decode<'t>(field: &str, text: &'t str) -> Result<Cow<'t, str>, Error> {
    let refuse = |_| Error::field(field, format!("{field} in the path is not UTF-8 after percent-decoding"));
    percent_decode_str(text).decode_utf8().map_err(refuse)
}

#[cfg(test)]
mod tests {
    use contract::{METHODS, Method};

    use super::*;

    /// The name of the method that a path of the contract leads to, with what was captured.
    fn leads_to(verb: Verb, path: &str) -> String {
        let router = contract_router();
        match router.find(Some(verb), path) {
            Err(error) => error.to_string(),
            Ok(Found::Nothing) => "nothing".to_owned(),
            Ok(Found::OtherVerbs(verbs)) => format!("{verbs:?}"),
            Ok(Found::Route { target, captures }) => {
                captures.iter().fold(target.name.to_owned(), |text, (field, value)| format!("{text} {field}={value}"))
            }
        }
    }

    fn contract_router() -> Router<&'static Method> {
        let rules = METHODS.iter().flat_map(|method| method.http.iter().map(move |rule| (rule.verb, rule.template, method)));
        Router::new(rules).unwrap()
    }

    #[test]
    fn collections_and_members_are_told_apart() {
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups"), "ListGroups");
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups/"), "GetGroup uid=");
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups/a/b"), "GetGroup uid=a/b");
        assert_eq!(leads_to(Verb::Post, "/iam/v2beta1/groups"), "CreateGroup parent=");
        assert_eq!(leads_to(Verb::Post, "/iam/v2beta1/groups/a"), "CreateGroup parent=a");
        assert_eq!(leads_to(Verb::Patch, "/iam/v2beta1/groups/a"), "UpdateGroup group.uid=a");
        assert_eq!(leads_to(Verb::Delete, "/iam/v2beta1/groups/a"), "DeleteGroup uid=a");
    }

    #[test]
    fn the_more_specific_template_wins() {
        assert_eq!(leads_to(Verb::Get, "/registry/v2beta1/repos/a/b/readme"), "GetRepoReadme uid=a/b");
        assert_eq!(leads_to(Verb::Get, "/registry/v2beta1/repos/a/b"), "GetRepo uid=a/b");
        assert_eq!(
            leads_to(Verb::Get, "/registry/v2beta1/repos/a/b/digests/sha256:0/size"),
            "GetSize repo_uid=a/b digest=sha256:0"
        );
        assert_eq!(leads_to(Verb::Get, "/registry/v2beta1/overlays"), "ListOverlays");
        assert_eq!(leads_to(Verb::Get, "/registry/v2beta1/overlayBindings"), "ListOverlayBindings");
        assert_eq!(leads_to(Verb::Get, "/registry/v2beta1/overlayBindings/x"), "GetOverlayBinding uid=x");
    }

    #[test]
    fn siblings_of_the_first_version_are_told_apart() {
        // A literal segment is meant before a variable that could hold it, whichever service has it.
        let router = contract_router();
        let service = |path| match router.find(Some(Verb::Post), path).unwrap() {
            Found::Route { target, .. } => target.service,
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(service("/iam/v1/identities"), "chainguard.platform.events.Identities");
        assert_eq!(service("/iam/v1/identities/"), "chainguard.platform.iam.Identities");
        assert_eq!(leads_to(Verb::Post, "/iam/v1/identities"), "Create");
        assert_eq!(leads_to(Verb::Post, "/iam/v1/identities/a/b"), "Create parent_id=a/b");
        assert_eq!(leads_to(Verb::Patch, "/iam/v1/identities/metadata"), "UpdateMetadata");
        assert_eq!(leads_to(Verb::Get, "/iam/v1/identities/lookup"), "Lookup");
        assert_eq!(leads_to(Verb::Post, "/iam/v1/rolebindings/a/b"), "Create parent=a/b");
        assert_eq!(leads_to(Verb::Post, "/iam/v1/rolebindings/batch/a/b"), "CreateBatch parent=a/b");
        assert_eq!(leads_to(Verb::Get, "/iam/v1/externalGroupRoleMappings"), "List");
        assert_eq!(leads_to(Verb::Get, "/iam/v1/externalGroupRoleMappings/a"), "Get uid=a");
        assert_eq!(leads_to(Verb::Post, "/iam/v1/account_associations/a:check"), "Check group=a");
        // What follows a variable is longer, and so more specific, than the variable alone.
        assert_eq!(leads_to(Verb::Post, "/registry/v1/repos/a/b"), "CreateRepo parent_id=a/b");
        assert_eq!(leads_to(Verb::Post, "/registry/v1/repos/a/b/deployment"), "CreateDeployment parent_id=a/b");
        assert_eq!(leads_to(Verb::Put, "/registry/v1/repos/a/b"), "UpdateRepo id=a/b");
        assert_eq!(leads_to(Verb::Put, "/registry/v1/repos/a/b/deployment"), "UpdateDeployment repo_id=a/b");
        assert_eq!(leads_to(Verb::Get, "/registry/v1/repos"), "ListRepos");
        assert_eq!(leads_to(Verb::Get, "/registry/v1/repos/a/b:syncstatus"), "GetSyncStatus repo_id=a/b");
        assert_eq!(leads_to(Verb::Get, "/registry/v1/repos/a/digests/sha256:0/sbom"), "GetSbom repo_id=a digest=sha256:0");
        assert_eq!(leads_to(Verb::Get, "/registry/v1/tags/a/b/history"), "ListTagHistory parent_id=a/b");
        assert_eq!(leads_to(Verb::Post, "/vulnerabilities/v1/advisories"), "Create");
        assert_eq!(leads_to(Verb::Post, "/vulnerabilities/v1/advisories/a/events"), "CreateAdvisoryEvent parent_id=a");
    }

    #[test]
    fn custom_verbs_come_first_and_colons_may_be_text() {
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups:lookupGroup"), "LookupGroup");
        assert_eq!(leads_to(Verb::Post, "/iam/v2beta1/groups/a/b:requestGroupAccess"), "RequestGroupAccess group_uid=a/b");
        assert_eq!(leads_to(Verb::Post, "/iam/v2beta1/roleBindings:batchCreate"), "BatchCreateRoleBindings");
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups/a:b"), "GetGroup uid=a:b");
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups/a:"), "GetGroup uid=a:");
    }

    #[test]
    fn captures_are_percent_decoded_and_must_be_utf8() {
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups/a%2Fb%C3%A9"), "GetGroup uid=a/bé");
        assert_eq!(leads_to(Verb::Get, "/registry/v2beta1/repos/a%2Freadme"), "GetRepo uid=a/readme");
        assert_eq!(
            leads_to(Verb::Get, "/iam/v2beta1/groups/%FF"),
            "Invalid argument: uid: uid in the path is not UTF-8 after percent-decoding"
        );
    }

    #[test]
    fn other_verbs_and_unknown_paths_are_told_apart() {
        assert_eq!(leads_to(Verb::Delete, "/registry/v2beta1/overlayBindings"), "DeleteOverlayBinding uid=");
        assert_eq!(leads_to(Verb::Put, "/iam/v2beta1/groups/a"), "[Get, Post, Delete, Patch]");
        assert_eq!(leads_to(Verb::Get, "/iam/v2beta1/groups/a:requestGroupAccess"), "[Post]");
        assert_eq!(leads_to(Verb::Delete, "/sts/exchange"), "[Get, Post]");
        for path in ["/", "", "/iam", "/iam/v2beta1", "/iam/v2beta1/nothing", "/iam/v3/groups", "//"] {
            assert_eq!(leads_to(Verb::Get, path), "nothing", "{path}");
        }
    }

    #[test]
    fn every_template_of_the_contract_routes_to_its_own_method() {
        let router = contract_router();
        let mut checked = 0;
        for method in METHODS {
            for rule in method.http {
                let template = Template::parse(rule.template).unwrap();
                let mut path = rule.template.to_owned();
                for field in template.fields() {
                    let variable = [format!("{{{field}=**}}"), format!("{{{field}=*}}"), format!("{{{field}}}")];
                    let found = variable.iter().find(|text| path.contains(text.as_str())).unwrap();
                    path = path.replace(found.as_str(), if found.contains("**") { "x/y" } else { "x" });
                }
                match router.find(Some(rule.verb), &path).unwrap() {
                    Found::Route { target, captures } => {
                        assert_eq!(target.path, method.path, "{path}");
                        assert_eq!(captures.len(), template.fields().count(), "{path}");
                    }
                    other => panic!("{path}: {other:?}"),
                }
                checked += 1;
            }
        }
        assert!(checked > 60, "the contract has more rules than {checked}");
    }

    #[test]
    fn two_rules_for_the_same_paths_are_refused() {
        let rules = [(Verb::Get, "/a/{b=**}", 1), (Verb::Get, "/a/{c=**}", 2)];
        assert_eq!(
            Router::new(rules).unwrap_err().to_string(),
            "HTTP rule \"/a/{c=**}\" cannot be routed: another rule matches the same paths with the same verb"
        );
        assert!(Router::new([(Verb::Get, "/a/{b", 1)]).is_err());
    }

    proptest::proptest! {
        #[test]
        fn finding_never_panics(path in "(/[a-z:%/]{0,12}){0,4}", junk in "\\PC{0,40}") {
            let router = contract_router();
            for path in [format!("/iam/v2beta1{path}"), path, junk] {
                let _ = router.find(Some(Verb::Get), &path);
            }
        }
    }
}
