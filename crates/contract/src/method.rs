//! The method table: what the annotations say about every RPC.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use crate::{bounds::Shape, scope::ScopeField};

/// An RPC of the contract with its annotations.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that the contract states")]
pub struct Method {
    /// Place in [`METHODS`].
    pub index: usize,
    /// Name within the service, such as `GetGroup`.
    pub name: &'static str,
    /// Full name of the service, such as `chainguard.platform.iam.v2beta1.GroupsService`.
    pub service: &'static str,
    /// The gRPC path: `/`, the service, `/`, the name.
    pub path: &'static str,
    /// The gRPC path under which the method exists a second time, where its package has a `v2` form.
    pub alias: Option<&'static str>,
    /// Full name of the request message.
    pub request: &'static str,
    /// Full name of the response message.
    pub response: &'static str,
    /// The HTTP bindings; the first one is the primary one.
    pub http: &'static [HttpRule],
    /// Who may call it.
    pub access: Access,
    /// The event that a successful call announces.
    pub event: Option<Event>,
    /// What it does, in one sentence for tools; may be empty.
    pub description: &'static str,
    /// Whether it changes nothing: declared so, or bound to `GET` first of all.
    pub read_only: bool,
    /// Whether it destroys something, as declared.
    pub destructive: bool,
    /// Whether a repetition changes nothing more, as declared.
    pub idempotent: bool,
    /// Whether tools should not offer it.
    pub hidden: bool,
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// Whether its answer may hold a secret; such answers are never stored.
    pub secret_response: bool,
    /// The fields that lead to the text which says where a request acts, outermost first; empty when it acts at no place.
    pub scope: &'static [ScopeField],
    /// What must be counted in a request.
    pub shape: &'static Shape,
}

/// Who may call a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The contract does not say; such a method needs its own check of the caller, or it cannot be served.
    Undeclared,
    /// Anybody, with or without a token.
    Public,
    /// Who holds all these capabilities (by enum number) at the scope of the request. Empty: any authenticated caller.
    Scoped(&'static [i32]),
    /// Any authenticated caller; results are limited to where it holds these capabilities. Empty: no such limit.
    Unscoped(&'static [i32]),
}

impl Access {
    /// The capabilities that the method asks for, by enum number.
    #[must_use]
    pub fn capabilities(&self) -> &'static [i32] {
        match self {
            Self::Undeclared | Self::Public => &[],
            Self::Scoped(capabilities) | Self::Unscoped(capabilities) => capabilities,
        }
    }
}

/// The event that a successful call announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event's type, such as `dev.chainguard.api.iam.group.created.v1`.
    pub kind: &'static str,
    /// Names of the extension attributes that it carries.
    pub extensions: &'static [&'static str],
    /// Whether subscribers get it; otherwise it stays inside the server.
    pub customer: bool,
}

/// One HTTP binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpRule {
    /// The HTTP method.
    pub verb: Verb,
    /// The path template, such as `/iam/v2beta1/groups/{uid=**}`.
    pub template: &'static str,
    /// What the HTTP body holds.
    pub body: Body,
}

/// The HTTP methods that bindings use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// `GET`
    Get,
    /// `PUT`
    Put,
    /// `POST`
    Post,
    /// `DELETE`
    Delete,
    /// `PATCH`
    Patch,
}

impl Verb {
    /// The name as it stands in a request line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Patch => "PATCH",
        }
    }
}

/// What the HTTP body of a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing; all fields come from path and query.
    None,
    /// The whole request message.
    All,
    /// The value of this field of the request message.
    Field(&'static str),
}

include!(concat!(env!("OUT_DIR"), "/methods.rs"));

/// Every RPC, ordered by file and then as declared.
pub static METHODS: &[Method] = &TABLE;

/// Where the collections of a package begin: `/iam/v2beta1/...`.
const VERSIONED: [&str; 6] = ["iam", "registry", "vulnerabilities", "advisory", "events", "ping"];

/// The method with this gRPC path, `/package.Service/Method`. Aliases are not looked at: see [`alias`].
#[must_use]
pub fn find_method(path: &str) -> Option<&'static Method> {
    static BY_PATH: LazyLock<HashMap<&'static str, &'static Method>> =
        LazyLock::new(|| METHODS.iter().map(|method| (method.path, method)).collect());
    BY_PATH.get(path).copied()
}

/// The method that a gRPC path of a `v2` service stands for, such as `/chainguard.platform.iam.v2.GroupsService/GetGroup`.
#[must_use]
pub fn alias(path: &str) -> Option<&'static Method> {
    static BY_ALIAS: LazyLock<HashMap<&'static str, &'static Method>> =
        LazyLock::new(|| METHODS.iter().filter_map(|method| Some((method.alias?, method))).collect());
    BY_ALIAS.get(path).copied()
}

/// The path that the contract declares for a path under a `v2` name, for gRPC paths and URL paths alike; any other path as
/// it is.
///
/// `/iam/v2/groups` becomes `/iam/v2beta1/groups`. Collections that stay in beta have no `v2` form and are left alone, so
/// that nothing is found under it. `/v2/` itself is no alias.
#[must_use]
pub fn canonical_path(path: &str) -> Cow<'_, str> {
    if let Some(method) = alias(path) {
        return Cow::Borrowed(method.path);
    }
    let Some((package, rest)) = path.strip_prefix('/').and_then(|path| path.split_once("/v2/")) else {
        return Cow::Borrowed(path);
    };
    let collection = rest.split(['/', ':']).next().unwrap_or_default();
    if VERSIONED.contains(&package) && !BETA_ONLY.contains(&collection) {
        Cow::Owned(format!("/{package}/v2beta1/{rest}"))
    } else {
        Cow::Borrowed(path)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn indices_and_paths_agree_with_the_table() {
        assert!(METHODS.len() > 50);
        for (index, method) in METHODS.iter().enumerate() {
            assert_eq!(method.index, index);
            assert_eq!(method.path, format!("/{}/{}", method.service, method.name));
            assert_eq!(find_method(method.path).map(|found| found.index), Some(index));
        }
        let bare: Vec<_> = METHODS.iter().filter(|method| method.http.is_empty()).map(|method| method.path).collect();
        assert_eq!(bare, ["/chainguard.platform.iam.GroupInvites/CreateWithGroup"], "these are for gRPC alone");
    }

    #[test]
    fn only_these_methods_declare_no_access() {
        let undeclared: Vec<_> = METHODS.iter().filter(|method| method.access == Access::Undeclared).map(|m| m.name).collect();
        assert_eq!(undeclared, ["GetHeadlessSession", "Exchange", "ExchangeRefreshToken"]);
        let public: Vec<_> = METHODS.iter().filter(|method| method.access == Access::Public).map(|m| m.name).collect();
        let documents = ["ListDocuments", "ListVulnerabilityMetadata"];
        assert_eq!(public, [&documents[..], &documents, &["Register", "Ping", "Ping"]].concat());
    }

    #[test]
    fn no_two_bindings_have_the_same_verb_and_path() {
        let mut seen = HashSet::new();
        for method in METHODS {
            for rule in method.http {
                assert!(seen.insert((rule.verb, rule.template)), "{} repeats {}", method.path, rule.template);
            }
        }
    }

    #[test]
    fn v2_names_lead_to_the_same_methods() {
        let path = "/chainguard.platform.iam.v2.GroupsService/GetGroup";
        assert_eq!(alias(path).map(|method| method.name), Some("GetGroup"));
        assert_eq!(canonical_path(path), "/chainguard.platform.iam.v2beta1.GroupsService/GetGroup");
        assert_eq!(alias("/chainguard.platform.registry.v2.OverlaysService/GetOverlay").map(|m| m.path), None);
        assert!(METHODS.iter().all(|method| method.alias.is_some() <= method.service.contains(".v2beta1.")));
        for (path, canonical) in [
            ("/iam/v2/groups/{uid=**}", "/iam/v2beta1/groups/{uid=**}"),
            ("/iam/v2/identities:lookupIdentity", "/iam/v2beta1/identities:lookupIdentity"),
            ("/iam/v2beta1/groups", "/iam/v2beta1/groups"),
            ("/registry/v2/repos", "/registry/v2beta1/repos"),
            ("/registry/v2/overlays", "/registry/v2/overlays"),
            ("/registry/v2/overlayBindings/x", "/registry/v2/overlayBindings/x"),
            ("/v2/", "/v2/"),
            ("/v2/iam/v2/groups", "/v2/iam/v2/groups"),
            ("/auth/v1/ok", "/auth/v1/ok"),
            ("/iam/v1/groups", "/iam/v1/groups"),
        ] {
            assert_eq!(canonical_path(path), canonical);
        }
    }

    #[test]
    fn annotations_arrive_in_the_table() {
        let method = find_method("/chainguard.platform.iam.v2beta1.GroupsService/CreateGroup").expect("CreateGroup");
        assert_eq!(method.access, Access::Unscoped(&[101]));
        assert_eq!(method.http.first().map(|rule| (rule.verb, rule.body)), Some((Verb::Post, Body::Field("group"))));
        let event = method.event.expect("an event");
        assert_eq!(
            (event.kind, event.extensions, event.customer),
            ("dev.chainguard.api.iam.group.created.v1", &["group"][..], true)
        );
        assert!(!method.read_only && !method.secret_response);
        let secret: Vec<_> = METHODS.iter().filter(|method| method.secret_response).map(|method| method.name).collect();
        assert!(secret.contains(&"GenerateScimToken"), "{secret:?}");
        assert!(!secret.contains(&"CreateIdentityProvider"), "its client secret is brought, and answered nowhere: {secret:?}");
        let exchange = find_method("/chainguard.platform.oidc.SecurityTokenService/Exchange").expect("Exchange");
        assert_eq!(exchange.http.iter().map(|rule| rule.verb).collect::<Vec<_>>(), [Verb::Post, Verb::Get]);
    }
}
