//! What is special about identity providers. What holds for every noun is proved for them with the others.

mod create;
mod delete;
mod role;
mod scim;
mod secret;
mod update;

use contract::chainguard::platform::iam::v2beta1::{
    CreateIdentityProviderRequest, IdentityProvider, UpdateIdentityProviderRequest,
    identity_provider::{Configuration, Oidc},
};
use domain::Sealed;
use store::rows;
use testkit::Scenario;

use crate::v2beta1::{built_in, mask};

/// A configuration that people can log in with.
pub(crate) fn oidc() -> Oidc {
    Oidc {
        issuer: "https://login.example.com".into(),
        client_id: "provost".into(),
        client_secret: "of-this-year".into(),
        ..Oidc::default()
    }
}

/// An identity provider that makes everybody a viewer.
pub(crate) fn provider(name: &str, oidc: Oidc) -> IdentityProvider {
    IdentityProvider {
        name: name.into(),
        default_role: built_in("viewer"),
        configuration: Some(Configuration::Oidc(oidc)),
        ..IdentityProvider::default()
    }
}

pub(crate) fn new_provider(parent: &str, provider: IdentityProvider) -> CreateIdentityProviderRequest {
    CreateIdentityProviderRequest { parent: parent.into(), identity_provider: Some(provider) }
}

/// A request to make the identity provider `uid` like `wish`.
fn update(uid: &str, wish: IdentityProvider, paths: &[&str]) -> UpdateIdentityProviderRequest {
    UpdateIdentityProviderRequest {
        identity_provider: Some(IdentityProvider { uid: uid.into(), ..wish }),
        update_mask: mask(paths),
    }
}

/// Only this of how it is reached.
fn only(oidc: Oidc) -> IdentityProvider {
    IdentityProvider { configuration: Some(Configuration::Oidc(oidc)), ..IdentityProvider::default() }
}

/// The secret of an identity provider as it is stored.
pub(crate) async fn sealed(s: &Scenario, uid: &str) -> Option<Sealed> {
    let mut reader = s.server.store().reader().await.expect("a snapshot");
    let uid = uid.parse().expect("a UIDP");
    let stored = rows::get::<domain::iam::IdentityProvider>(&mut reader, &uid).await.expect("reads");
    stored.expect("it is there").spec.oidc.client_secret
}
