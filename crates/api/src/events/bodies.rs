//! The bodies of events, by what they are about.

use contract::{Message, Method};
use domain::{
    Error, Result, Revision, Timestamp, Uidp,
    events::Subscription,
    iam::{
        AccountAssociation, ExternalGroupRoleMapping, Group, Identity, IdentityProvider, IdentityProviderSpec, Role,
        RoleBindingView, identity_provider::Oidc,
    },
    ports::Announced,
    registry::{Overlay, OverlayBindingView, Repo, Tag},
    text::{Description, Name},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::is_old;
use crate::{v1, v2beta1};

/// What is said of an event beside its type.
pub(super) struct Body {
    /// The full name of its message, and that as JSON.
    pub(super) message: Option<(&'static str, String)>,
    /// What it is about, where that is not what the store says.
    pub(super) subject: Option<String>,
}

/// An identity provider, of which events tell no secrets and no times.
#[derive(Deserialize)]
struct Provider {
    uid: Uidp,
    spec: ProviderSpec,
    scim: Option<Scim>,
    revision: Revision,
}

#[derive(Deserialize)]
struct ProviderSpec {
    name: Name,
    description: Description,
    default_role: Uidp,
    oidc: Oidc,
}

/// Its SCIM access, of which they tell no digests.
#[derive(Deserialize)]
struct Scim {
    enabled: bool,
    expires_at: Option<Timestamp>,
    previous_ends_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct ScimTold {
    provider: Provider,
    requested_overlap: Option<i64>,
}

/// A group invite, of which they tell only which one it is and when it ends.
#[derive(Deserialize)]
struct Invite {
    uid: Uidp,
    expires_at: Timestamp,
}

#[derive(Deserialize)]
struct Accepted {
    group: Uidp,
    documents: Vec<String>,
}

#[derive(Deserialize)]
struct Joined {
    identity: Uidp,
    group: Option<Uidp>,
}

/// The body of an event about `what`, such as `iam.group.created`, which `method` announces.
///
/// # Errors
/// Internal when nobody writes such events, or the snapshot is none of what they are about.
pub(super) fn body(method: &'static Method, what: &str, event: &Announced<'_>, auth_url: &str) -> Result<Body> {
    let old = is_old(method);
    let snapshot = event.snapshot;
    let (noun, verb) = what.rsplit_once('.').unwrap_or((what, ""));
    let message = match (noun, verb) {
        // The published service tells nothing more of these.
        ("iam.account_associations", "deleted") => None,
        ("events.subscription" | "iam.external_group_role_mappings", "deleted") if old => {
            read::<Option<Uidp>>(snapshot)?;
            None
        }
        (_, "deleted") => read::<Option<Uidp>>(snapshot)?
            .map(|uid| (method.request, json!({ (if old { "id" } else { "uid" }): uid }).to_string())),
        ("iam.group", _) if old => one(snapshot, v1::groups::to_wire)?,
        ("iam.group", _) => one::<Group, _>(snapshot, v2beta1::groups::convert::to_wire)?,
        ("iam.identity", _) if old => one::<Identity, _>(snapshot, v1::identities::convert::to_wire)?,
        ("iam.identity", _) => one::<Identity, _>(snapshot, v2beta1::identities::convert::to_wire)?,
        ("iam.roles", _) if old => one::<Role, _>(snapshot, v1::roles::to_wire)?,
        ("iam.roles", _) => one::<Role, _>(snapshot, v2beta1::roles::convert::to_wire)?,
        ("iam.rolebindings.created", "batch") => return batch_created(method, snapshot, old),
        ("iam.rolebindings", _) if old => one::<RoleBindingView, _>(snapshot, v1::role_bindings::to_wire)?,
        ("iam.rolebindings", _) => one::<RoleBindingView, _>(snapshot, v2beta1::role_bindings::convert::to_wire)?,
        ("iam.group_invite", _) => {
            let Invite { uid, expires_at } = read(snapshot)?;
            let end = time(expires_at)?;
            let told = if old { json!({ "id": uid, "expiration": end }) } else { json!({ "uid": uid, "expirationTime": end }) };
            Some((method.response, told.to_string()))
        }
        ("iam.account_associations", _) if old => one::<AccountAssociation, _>(snapshot, v1::account_associations::to_wire)?,
        ("iam.account_associations", _) => {
            one::<AccountAssociation, _>(snapshot, v2beta1::account_associations::convert::to_wire)?
        }
        ("iam.identity_providers", _) => Some((method.response, provider(&read(snapshot)?, event, auth_url, old)?)),
        ("iam.identity_providers.scim_token" | "iam.identity_providers.scim_enabled", _) => {
            Some((method.response, scim_answer(&read(snapshot)?, what, auth_url, old)?))
        }
        ("iam.external_group_role_mappings.deleted", "batch") => batch_deleted(method, event)?,
        ("iam.external_group_role_mappings", _) if old => {
            one::<ExternalGroupRoleMapping, _>(snapshot, v1::external_group_role_mappings::to_wire)?
        }
        ("iam.external_group_role_mappings", _) => {
            one::<ExternalGroupRoleMapping, _>(snapshot, v2beta1::external_group_role_mappings::convert::to_wire)?
        }
        ("iam.terms", _) => {
            let Accepted { group, documents } = read(snapshot)?;
            Some((method.response, json!({ "group": group, "documentIds": documents }).to_string()))
        }
        ("auth", _) => {
            let Joined { identity, group } = read(snapshot)?;
            let group = group.map(|group| group.to_string()).unwrap_or_default();
            Some((method.response, json!({ "identity": identity, "group": group }).to_string()))
        }
        ("events.subscription", _) if old => one::<Subscription, _>(snapshot, v1::subscriptions::to_wire)?,
        ("events.subscription", _) => one::<Subscription, _>(snapshot, v2beta1::subscriptions::convert::to_wire)?,
        ("platform.registry.repo", _) if old => one::<Repo, _>(snapshot, v1::repos::convert::to_wire)?,
        ("platform.registry.repo", _) => one::<Repo, _>(snapshot, v2beta1::repos::convert::to_wire)?,
        ("platform.registry.tag", _) if old => one::<Tag, _>(snapshot, v1::tags::to_wire)?,
        ("platform.registry.tag", _) => one::<Tag, _>(snapshot, v2beta1::tags::convert::to_wire)?,
        ("platform.registry.overlay", _) => one::<Overlay, _>(snapshot, v2beta1::overlays::convert::to_wire)?,
        ("platform.registry.overlay_binding", _) => one::<OverlayBindingView, _>(snapshot, v2beta1::overlay_bindings::to_wire)?,
        _ => return Err(Error::internal(format!("nobody writes events of the kind {}", event.kind))),
    };
    Ok(Body { message, subject: None })
}

/// The message that `to_wire` makes of the snapshot.
fn one<T: DeserializeOwned, W: Message>(snapshot: &str, to_wire: impl Fn(&T) -> W) -> Result<Option<(&'static str, String)>> {
    Ok(Some((W::NAME, text(&to_wire(&read(snapshot)?)))))
}

fn text(message: &impl Message) -> String {
    let mut text = String::new();
    message.write_json(&mut text);
    text
}

fn read<T: DeserializeOwned>(snapshot: &str) -> Result<T> {
    serde_json::from_str(snapshot).map_err(Error::internal)
}

fn value(message: &impl Message) -> Result<Value> {
    read(&text(message))
}

fn time(at: Timestamp) -> Result<Value> {
    let mut text = String::new();
    contract::json::timestamp(&mut text, &crate::time::to_wire(at));
    read(&text)
}

/// Bindings that were made at once. The first version names each of them as its subject.
fn batch_created(method: &'static Method, snapshot: &str, old: bool) -> Result<Body> {
    let views: Vec<RoleBindingView> = read(snapshot)?;
    let bindings =
        views
            .iter()
            .map(|view| {
                if old {
                    value(&v1::role_bindings::to_wire(view))
                } else {
                    value(&v2beta1::role_bindings::convert::to_wire(view))
                }
            })
            .collect::<Result<Vec<_>>>()?;
    let subject = old.then(|| views.iter().map(|view| view.binding.uid.as_str()).collect::<Vec<_>>().join(","));
    Ok(Body { message: Some((method.response, json!({ "roleBindings": bindings }).to_string())), subject })
}

/// Mappings that were deleted at once, as the answer tells them.
fn batch_deleted(method: &'static Method, event: &Announced<'_>) -> Result<Option<(&'static str, String)>> {
    let mappings: Vec<ExternalGroupRoleMapping> = read(event.snapshot)?;
    let mappings = mappings
        .iter()
        .map(|mapping| value(&v2beta1::external_group_role_mappings::convert::to_wire(mapping)))
        .collect::<Result<Vec<_>>>()?;
    let told = json!({ "parent": event.subject, "externalGroupRoleMappings": mappings });
    Ok(Some((method.response, told.to_string())))
}

fn provider(told: &Provider, event: &Announced<'_>, auth_url: &str, old: bool) -> Result<String> {
    let Provider { uid, spec, scim, revision } = told;
    let provider = IdentityProvider {
        uid: uid.clone(),
        spec: IdentityProviderSpec {
            name: spec.name.clone(),
            description: spec.description.clone(),
            default_role: spec.default_role.clone(),
            oidc: spec.oidc.clone(),
        },
        scim: None,
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
        revision: *revision,
    };
    let mut told = if old {
        value(&v1::identity_providers::convert::to_wire(&provider))?
    } else {
        value(&v2beta1::identity_providers::convert::to_wire(&provider))?
    };
    if let Some(fields) = told.as_object_mut() {
        fields.retain(|field, _| !matches!(field.as_str(), "createTime" | "updateTime"));
        let scim = scim.as_ref().map(|scim| scim_state(scim, uid, event.at, auth_url)).transpose()?;
        scim.map(|scim| fields.insert("scim".to_owned(), scim));
    }
    Ok(told.to_string())
}

/// The state when the event was announced.
fn scim_state(scim: &Scim, provider: &Uidp, at: Timestamp, auth_url: &str) -> Result<Value> {
    let is_over = |end: &Timestamp| *end <= at;
    let state = if scim.revoked_at.is_some() {
        "CREDENTIAL_STATE_REVOKED"
    } else if scim.expires_at.as_ref().is_some_and(is_over) {
        "CREDENTIAL_STATE_EXPIRED"
    } else if scim.previous_ends_at.as_ref().is_some_and(|end| !is_over(end)) {
        "CREDENTIAL_STATE_ROTATING"
    } else {
        "CREDENTIAL_STATE_LIVE"
    };
    let previous = scim.previous_ends_at.filter(|end| !is_over(end));
    Ok(json!({
        "enabled": scim.enabled,
        "endpointUrl": scim_url(auth_url, provider),
        "tokenExpireTime": scim.expires_at.map(time).transpose()?,
        "previousTokenExpireTime": previous.map(time).transpose()?,
        "credentialState": state,
    }))
}

/// The answer of the method without the token, and without the version, which is for who asks.
fn scim_answer(told: &ScimTold, what: &str, auth_url: &str, old: bool) -> Result<String> {
    let ScimTold { provider: Provider { uid, scim, .. }, requested_overlap } = told;
    let scim = scim.as_ref().ok_or_else(|| Error::internal("an event about SCIM access tells of none"))?;
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
    set(if old { "identityProviderId" } else { "identityProviderUid" }, json!(uid));
    match what.rsplit('.').next().unwrap_or_default() {
        "generated" | "regenerated" => {
            set("endpointUrl", json!(scim_url(auth_url, uid)));
            set("expireTime", scim.expires_at.map(time).transpose()?.unwrap_or_default());
            if what.ends_with(".regenerated") {
                set("previousTokenExpireTime", scim.previous_ends_at.map(time).transpose()?.unwrap_or_default());
                if let Some(overlap) = requested_overlap {
                    set("requestedOverlap", json!(format!("{}.{:03}s", overlap / 1000, overlap % 1000)));
                }
            }
        }
        "revoked" => {
            set("enabled", json!(scim.enabled));
            set("revokeTime", scim.revoked_at.map(time).transpose()?.unwrap_or_default());
        }
        _ => set("enabled", json!(scim.enabled)),
    }
    Ok(Value::Object(fields).to_string())
}

fn scim_url(auth_url: &str, provider: &Uidp) -> String {
    format!("{auth_url}/scim/v2/{provider}")
}
