//! Events as subscribers read them: the messages of the API version by which a change came.

mod bodies;

use std::{collections::HashMap, sync::LazyLock};

use contract::{METHODS, Method};
use domain::{
    Error, Result,
    ports::{Announced, RenderEvent, Rendered},
};

use self::bodies::Body;

/// Writes events.
#[derive(Clone, Debug)]
pub struct Events {
    auth_url: String,
}

/// The longest subject in bytes: it is a header, and receivers take headers of some KiB.
const MAX_SUBJECT: usize = 4096;
/// What event types of the API begin and end with.
const AFFIXES: (&str, &str) = ("dev.chainguard.api.", ".v1");

impl Events {
    /// Events of a server whose issuer is `auth_url`.
    #[must_use]
    pub fn new(auth_url: &str) -> Self {
        Self { auth_url: auth_url.to_owned() }
    }
}

impl RenderEvent for Events {
    fn render(&self, event: Announced<'_>) -> Result<Rendered> {
        let method = method(event.kind, event.api_version)
            .ok_or_else(|| Error::internal(format!("no method announces {}", event.kind)))?;
        let (prefix, suffix) = AFFIXES;
        let what = event.kind.strip_prefix(prefix).and_then(|kind| kind.strip_suffix(suffix)).unwrap_or(event.kind);
        let Body { message, subject } = bodies::body(method, what, &event, &self.auth_url)?;
        let subject = subject.filter(|subject| subject.len() <= MAX_SUBJECT).unwrap_or_else(|| event.subject.to_owned());
        let mut extensions = Vec::new();
        if method.event.is_some_and(|event| event.extensions.contains(&"identityprovider")) {
            let provider = if what.strip_suffix(".batch").is_some() { event.subject } else { parent(event.subject) };
            extensions.push(("identityprovider", provider.to_owned()));
        }
        Ok(Rendered { source: collection(method), subject, body: message, extensions })
    }
}

/// The method of the published API that announces such events, of this version if there is one.
fn method(kind: &str, api_version: &str) -> Option<&'static Method> {
    static METHODS_BY_EVENT: LazyLock<HashMap<(&str, bool), &Method>> = LazyLock::new(|| {
        let mut methods = HashMap::new();
        for method in METHODS.iter().filter(|method| method.service.starts_with("chainguard.")) {
            if let Some(event) = &method.event {
                methods.entry((event.kind, is_old(method))).or_insert(method);
            }
        }
        methods
    });
    let old = api_version == "v1";
    [old, !old].into_iter().find_map(|old| METHODS_BY_EVENT.get(&(kind, old)).copied())
}

/// Whether the method is one of the first version.
fn is_old(method: &Method) -> bool {
    !method.service.contains(".v2beta1.")
}

/// The path of the collection that the method belongs to.
fn collection(method: &Method) -> String {
    let template = method.http.first().map(|rule| rule.template).unwrap_or_default();
    template.split(['{', ':']).next().unwrap_or_default().trim_end_matches('/').to_owned()
}

fn parent(uid: &str) -> &str {
    uid.rsplit_once('/').map_or("/", |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use contract::message_descriptor;
    use domain::Timestamp;
    use prost_reflect::DynamicMessage;

    use super::*;

    const UID: &str = "00000000000000000000000000000000000000aa/0000000000000001";

    fn rendered(kind: &str, api_version: &str, snapshot: &str) -> Rendered {
        let event = Announced { kind, api_version, subject: UID, group: "g", snapshot, at: Timestamp(90) };
        Events::new("https://auth.example.com").render(event).unwrap_or_else(|error| panic!("{kind} {api_version}: {error:?}"))
    }

    /// A message must be as its type says: receivers refuse fields that they do not know.
    fn check(kind: &str, rendered: &Rendered) {
        let Some((name, json)) = &rendered.body else { return };
        let message = message_descriptor(name).unwrap_or_else(|| panic!("{kind}: {name}"));
        let mut reader = serde_json::Deserializer::from_str(json);
        let read = DynamicMessage::deserialize(message, &mut reader);
        assert!(read.is_ok(), "{kind}: {name}: {json}: {read:?}");
    }

    #[test]
    fn every_deletion_names_what_went() {
        for method in METHODS.iter().filter(|method| method.service.starts_with("chainguard.")) {
            let Some(event) = method.event.filter(|event| event.customer && event.kind.ends_with(".deleted.v1")) else {
                continue;
            };
            let version = if is_old(method) { "v1" } else { "v2beta1" };
            let told = rendered(event.kind, version, &format!("{UID:?}"));
            check(event.kind, &told);
            if let Some((name, json)) = &told.body {
                assert_eq!((*name, json.contains(UID)), (method.request, true), "{}", event.kind);
            }
            assert_eq!(rendered(event.kind, version, "null").body, None, "{}", event.kind);
        }
    }

    #[test]
    fn every_event_of_the_contract_is_known() {
        for event in METHODS.iter().filter_map(|method| method.event).filter(|event| event.customer) {
            for version in ["v1", "v2beta1"] {
                let event = Announced {
                    kind: event.kind,
                    api_version: version,
                    subject: UID,
                    group: "g",
                    snapshot: "7",
                    at: Timestamp(90),
                };
                // No snapshot is a number, so all that is wrong is that.
                let Err(error) = Events::new("https://auth.example.com").render(event) else {
                    // The one event that tells nothing, whatever the snapshot.
                    assert_eq!(event.kind, "dev.chainguard.api.iam.account_associations.deleted.v1");
                    continue;
                };
                assert!(!format!("{error:?}").contains("nobody writes"), "{} {version}: {error:?}", event.kind);
            }
        }
    }

    #[test]
    fn sources_are_collections() {
        let told = |kind: &str, version| collection(method(kind, version).expect("a method"));
        let kind = "dev.chainguard.api.iam.group.updated.v1";
        assert_eq!([told(kind, "v1"), told(kind, "v2beta1")], ["/iam/v1/groups", "/iam/v2beta1/groups"]);
        let kind = "dev.chainguard.api.iam.rolebindings.created.batch.v1";
        assert_eq!(told(kind, "v2beta1"), "/iam/v2beta1/roleBindings");
    }

    #[test]
    fn identity_providers_keep_their_secrets_and_times() {
        let snapshot = format!(
            r#"{{"uid": {UID:?}, "revision": 5, "spec": {{"name": "login", "description": "", "default_role": "{role}", "oidc":
            {{"issuer": "https://login.example.com", "client_id": "p", "additional_scopes": [], "groups_claim": "",
            "correlation_rule": "unspecified", "pkce_enabled": true}}}},
            "scim": {{"enabled": true, "expires_at": 100, "previous_ends_at": null, "revoked_at": null, "revision": 5}}}}"#,
            role = "00000000000000000000000000000000000000bb"
        );
        for version in ["v1", "v2beta1"] {
            let kind = "dev.chainguard.api.iam.identity_providers.updated.v1";
            let told = rendered(kind, version, &snapshot);
            check(kind, &told);
            let (_, json) = told.body.expect("a body");
            assert!(json.contains("CREDENTIAL_STATE_LIVE") && !json.contains("createTime"), "{json}");
            let told = rendered(
                "dev.chainguard.api.iam.identity_providers.scim_token.generated.v1",
                version,
                &format!(r#"{{"provider": {snapshot}}}"#),
            );
            check("scim", &told);
            let (_, json) = told.body.expect("a body");
            assert!(json.contains(&format!("https://auth.example.com/scim/v2/{UID}")) && !json.contains("token\""), "{json}");
        }
    }
}
