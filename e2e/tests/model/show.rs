//! Things as the API shows them.

use serde_json::{Value, json};

use crate::model::{
    nouns::Noun,
    state::{State, instant, parent},
};

impl State {
    /// The thing as JSON.
    pub(crate) fn show(&self, noun: Noun, uid: &str) -> Value {
        let thing = self.find(noun, uid).expect("it is there");
        let fields = &thing.fields;
        let (created, updated) = (instant(thing.created), instant(thing.updated));
        let mut shown = match noun {
            Noun::Group => {
                json!({ "resourceLimits": self.limits(uid), "verified": fields.is("verified"), "status": "ORG_STATUS_READY" })
            }
            Noun::Identity => self.show_identity(uid),
            Noun::Role => json!({ "capabilities": fields.texts("capabilities") }),
            Noun::Binding => {
                let (identity, role) = (fields.text("identity_uid"), fields.text("role_uid"));
                let mut of = self.brief(Noun::Identity, identity);
                let proof = self.of(Noun::Identity, identity);
                of["issuer"] = proof.text("claim_match.issuer").into();
                of["subject"] = proof.text("claim_match.subject").into();
                of["email"] = proof.text("email").into();
                let group = self.brief(Noun::Group, parent(uid).unwrap_or("/"));
                json!({
                    "identity": of, "group": group, "role": self.brief(Noun::Role, role), "identityUid": identity, "roleUid": role,
                })
            }
            Noun::Provider => json!({
                "defaultRole": fields.text("default_role"),
                "oidc": {
                    "issuer": fields.text("oidc.issuer"), "clientId": fields.text("oidc.client_id"), "clientSecret": "",
                    "additionalScopes": [], "groupsClaim": fields.text("oidc.groups_claim"),
                    "correlationRule": choice(fields.text("oidc.correlation_rule"), "CORRELATION_RULE_UNSPECIFIED"),
                    "pkceEnabled": fields.is("oidc.pkce_enabled"),
                },
                "scim": null,
            }),
            Noun::Mapping => json!({
                "identityProviderUid": parent(uid), "externalGroupId": fields.text("external_group_id"),
                "roleUid": fields.text("role_uid"), "scope": fields.text("scope"),
            }),
            Noun::Invite => {
                let role = fields.text("role_uid");
                let offered = self.find(Noun::Role, role).map(|_| {
                    let mut offered = self.brief(Noun::Role, role);
                    offered["capabilities"] = self.of(Noun::Role, role).texts("capabilities").into();
                    offered
                });
                json!({
                    "roleUid": role, "role": offered, "email": fields.text("email"), "ttl": null,
                    "expirationTime": instant(fields.number("expires")), "singleUse": fields.is("single_use"), "code": "",
                    "keyId": fields.text("key_id"),
                })
            }
            Noun::Accounts => {
                let amazon = fields.get("amazon.account").map(|account| json!({ "account": account }));
                let chainguard = fields.get("chainguard.service_bindings").map(|bound| json!({ "serviceBindings": bound }));
                json!({ "amazon": amazon, "google": null, "chainguard": chainguard, "azure": null, "github": null })
            }
            Noun::Repo => json!({
                "catalogTier": choice(fields.text("catalog_tier"), "CATALOG_TIER_UNSPECIFIED"), "bundles": [], "aliases": [],
                "activeTags": fields.texts("active_tags"), "sync_config": null, "customOverlay": null,
            }),
            Noun::Tag => {
                json!({ "digest": fields.text("digest"), "deprecated": fields.is("deprecated"), "bundles": [] })
            }
            Noun::Overlay => {
                let packages = fields.texts("config.contents.packages");
                let contents = json!({ "packages": packages, "runtimeRepositories": [], "runtimeKeyring": [] });
                json!({ "config": {
                    "contents": contents, "environment": {}, "annotations": {}, "accounts": null, "certificates": null,
                } })
            }
            Noun::OverlayBinding => {
                let overlay = self.show(Noun::Overlay, fields.text("overlay"));
                json!({ "repo": parent(uid), "overlay": overlay, "tags": fields.texts("tags") })
            }
        };
        shown["uid"] = uid.into();
        if noun.has_name() {
            shown["name"] = fields.text("name").into();
        }
        if noun.declared().fields.contains(&"description") {
            shown["description"] = fields.text("description").into();
        }
        if noun == Noun::Group {
            shown["kind"] = choice(fields.text("kind"), "ORG_KIND_UNSPECIFIED").into();
        }
        if !matches!(noun, Noun::Tag | Noun::Overlay | Noun::OverlayBinding) {
            shown["createTime"] = created.into();
        }
        if !matches!(noun, Noun::Binding | Noun::Mapping | Noun::Invite | Noun::Overlay | Noun::OverlayBinding) {
            shown["updateTime"] = updated.into();
        }
        shown
    }

    fn show_identity(&self, uid: &str) -> Value {
        let fields = self.of(Noun::Identity, uid);
        let (email, unverified) = (fields.text("email"), fields.text("email_unverified"));
        let mut shown = json!({ "email": email, "emailUnverified": unverified, "company": "" });
        if let Some(principal) = fields.get("service_principal") {
            shown["servicePrincipal"] = principal.clone();
        } else {
            let (issuer, subject) = (fields.text("claim_match.issuer"), fields.text("claim_match.subject"));
            shown["claimMatch"] = json!({ "issuer": issuer, "subject": subject, "claims": {}, "claimPatterns": {} });
        }
        shown
    }

    fn brief(&self, noun: Noun, uid: &str) -> Value {
        let fields = self.of(noun, uid);
        json!({ "uid": uid, "name": fields.text("name"), "description": fields.text("description") })
    }
}

/// One of an enumeration, of which the first is none.
fn choice<'t>(chosen: &'t str, none: &'t str) -> &'t str {
    if chosen.is_empty() { none } else { chosen }
}
