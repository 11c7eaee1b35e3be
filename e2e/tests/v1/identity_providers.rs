use contract::chainguard::platform::iam::{
    CreateIdentityProviderRequest, DeleteIdentityProviderRequest, GenerateScimTokenRequest, GenerateScimTokenResponse,
    IdentityProvider, IdentityProviderFilter, IdentityProviderList, RegenerateScimTokenRequest, RegenerateScimTokenResponse,
    RevokeScimTokenRequest, RevokeScimTokenResponse, SetScimEnabledRequest, SetScimEnabledResponse,
    identity_provider::{Configuration, Oidc, oidc::CorrelationRule},
    rpc::{
        GenerateScimToken, IdentityProvidersCreate, IdentityProvidersDelete, IdentityProvidersList, IdentityProvidersUpdate,
        RegenerateScimToken, RevokeScimToken, SetScimEnabled,
    },
    v2beta1::{self, GetIdentityProviderRequest, rpc::GetIdentityProvider},
};
use testkit::scenario;

use super::below;
use crate::v2beta1::{built_in, identity_providers::sealed};

fn oidc() -> Oidc {
    Oidc {
        issuer: "https://login.example.com".into(),
        client_id: "provost".into(),
        client_secret: "of-this-year".into(),
        additional_scopes: vec!["groups".into(), "email".into()],
        correlation_rule: CorrelationRule::OidEqualsExternalId.into(),
        ..Oidc::default()
    }
}

fn provider(name: &str, oidc: Oidc) -> IdentityProvider {
    IdentityProvider {
        name: name.into(),
        default_role: built_in("viewer"),
        configuration: Some(Configuration::Oidc(oidc)),
        ..IdentityProvider::default()
    }
}

fn new_provider(parent: &str, provider: IdentityProvider) -> CreateIdentityProviderRequest {
    CreateIdentityProviderRequest { parent_id: parent.into(), identity_provider: Some(provider) }
}

#[tokio::test]
async fn are_those_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let described = IdentityProvider { description: "Everybody logs in here.".into(), ..provider("login", oidc()) };
        let made = s.call::<IdentityProvidersCreate>("made", &admin, new_provider(&org, described)).await;
        let uid = made.ok::<IdentityProvider>().id;
        s.name(&uid, "login");
        let first = sealed(s, &uid).await;
        let to = |wish: IdentityProvider| IdentityProvider { id: uid.clone(), ..wish };
        let without = || Oidc { client_secret: String::new(), additional_scopes: Vec::new(), ..oidc() };
        s.call::<IdentityProvidersUpdate>("all is replaced", &admin, to(provider("sign-in", without()))).await;
        assert_eq!(sealed(s, &uid).await, first, "but a secret that is not sent");
        let next = Oidc { client_secret: "of-next-year".into(), ..without() };
        assert_eq!(s.quietly::<IdentityProvidersUpdate>(&admin, to(provider("sign-in", next))).await.code, "OK");
        assert_ne!(sealed(s, &uid).await, first);
        s.call::<GetIdentityProvider>("by v2beta1", &admin, GetIdentityProviderRequest { uid: uid.clone() }).await;
        let sub = Oidc { correlation_rule: CorrelationRule::SubEqualsExternalId.into(), ..without() };
        s.call::<IdentityProvidersUpdate>("by another claim", &admin, to(provider("sign-in", sub))).await;
        s.call::<IdentityProvidersUpdate>("nothing", &admin, to(IdentityProvider::default())).await;
        let empty = provider("sign-in", Oidc::default());
        s.call::<IdentityProvidersCreate>("an empty one", &admin, new_provider(&org, empty)).await;
        let folder = new_provider(&format!("{org}/{}", "0".repeat(16)), provider("login", oidc()));
        s.call::<IdentityProvidersCreate>("where nothing is", &admin, folder).await;
        s.call::<IdentityProvidersDelete>("it goes", &admin, DeleteIdentityProviderRequest { id: uid }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn are_found_by_name_and_place() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        for name in ["login", "login", "sign-in"] {
            admin.must::<IdentityProvidersCreate>(new_provider(&org, provider(name, oidc()))).await;
        }
        for (filter, expected) in [
            (IdentityProviderFilter::default(), 3),
            (IdentityProviderFilter { name: "login".into(), ..IdentityProviderFilter::default() }, 2),
            (IdentityProviderFilter { uidp: Some(below(&org)), name: "sign-in".into(), ..IdentityProviderFilter::default() }, 1),
            (IdentityProviderFilter { uidp: Some(below(&built_in("viewer"))), ..IdentityProviderFilter::default() }, 0),
        ] {
            let listed: IdentityProviderList = s.quietly::<IdentityProvidersList>(&admin, filter.clone()).await.ok();
            assert_eq!(listed.items.len(), expected, "{filter:?}");
            for item in listed.items {
                let request = GetIdentityProviderRequest { uid: item.id };
                let read: v2beta1::IdentityProvider = s.quietly::<GetIdentityProvider>(&admin, request).await.ok();
                assert_eq!(read.name, item.name, "it is the one of v2beta1");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn have_the_scim_tokens_of_v2beta1() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let made = admin.must::<IdentityProvidersCreate>(new_provider(org.as_str(), provider("login", oidc()))).await;
        let id = || made.id.clone();
        let generate = GenerateScimTokenRequest { identity_provider_id: id(), ..GenerateScimTokenRequest::default() };
        let first: GenerateScimTokenResponse = s.quietly::<GenerateScimToken>(&admin, generate).await.ok();
        assert_eq!((first.token.len(), first.identity_provider_id), (71, id()));
        let next = |etag: &str| RegenerateScimTokenRequest {
            identity_provider_id: id(),
            etag: etag.into(),
            ..RegenerateScimTokenRequest::default()
        };
        assert_eq!(s.quietly::<RegenerateScimToken>(&admin, next("")).await.code, "INVALID_ARGUMENT", "of no version");
        let second: RegenerateScimTokenResponse = s.quietly::<RegenerateScimToken>(&admin, next(&first.etag)).await.ok();
        s.server.workload(&org, "second", Some("owner")).await;
        let enable = SetScimEnabledRequest { identity_provider_id: id(), enabled: true, etag: second.etag.clone() };
        let enabled: SetScimEnabledResponse = s.quietly::<SetScimEnabled>(&admin, enable).await.ok();
        let read: v2beta1::IdentityProvider =
            s.quietly::<GetIdentityProvider>(&admin, GetIdentityProviderRequest { uid: id() }).await.ok();
        let scim = read.scim.expect("it has a token");
        assert_eq!((scim.etag, scim.enabled, scim.endpoint_url), (enabled.etag, true, second.endpoint_url));
        let revoke = RevokeScimTokenRequest { identity_provider_id: id() };
        let revoked: RevokeScimTokenResponse = s.quietly::<RevokeScimToken>(&admin, revoke).await.ok();
        assert!(revoked.enabled && revoked.revoke_time.is_some());
        let listed: IdentityProviderList =
            s.quietly::<IdentityProvidersList>(&admin, IdentityProviderFilter::default()).await.ok();
        assert!(listed.items.iter().all(|item| item.scim.is_none()), "lists leave it out");
        let renamed = IdentityProvider { id: id(), ..provider("sign-in", oidc()) };
        let renamed: IdentityProvider = s.quietly::<IdentityProvidersUpdate>(&admin, renamed).await.ok();
        assert_eq!(renamed.scim.map(|scim| scim.etag), Some(revoked.etag), "another change keeps it");
    })
    .await;
}
