//! Identity providers.

use contract::chainguard::platform::iam::v2beta1::{IdentityProvider, identity_provider::Configuration};
use serde_json::{Value, json};

use super::short;
use crate::output::{Show, time};

impl Show for IdentityProvider {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "DESCRIPTION", "ISSUER"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        let issuer = self.configuration.as_ref().map(|Configuration::Oidc(oidc)| oidc.issuer.clone());
        vec![self.uid.clone(), self.name.clone(), self.description.clone(), issuer.unwrap_or_default()]
    }

    fn json(&self) -> Value {
        let oidc = self.configuration.as_ref().map(|Configuration::Oidc(oidc)| {
            json!({
                "issuer": oidc.issuer,
                "client_id": oidc.client_id,
                "additional_scopes": oidc.additional_scopes,
                "groups_claim": oidc.groups_claim,
                "correlation_rule": short(oidc.correlation_rule().as_str_name(), "CORRELATION_RULE_"),
                "pkce_enabled": oidc.pkce_enabled,
            })
        });
        let scim = self.scim.as_ref().map(|scim| {
            json!({
                "enabled": scim.enabled,
                "endpoint_url": scim.endpoint_url,
                "token_expire_time": time::wire(scim.token_expire_time.as_ref()),
                "previous_token_expire_time": time::wire(scim.previous_token_expire_time.as_ref()),
                "credential_state": short(scim.credential_state().as_str_name(), "CREDENTIAL_STATE_"),
            })
        });
        json!({
            "id": self.uid,
            "name": self.name,
            "description": self.description,
            "default_role": self.default_role,
            "oidc": oidc,
            "scim": scim,
        })
    }
}
