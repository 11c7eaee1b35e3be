use contract::chainguard::platform::iam::v2beta1::{
    IdentityProvider,
    identity_provider::{Oidc, oidc::CorrelationRule},
    rpc::{CreateIdentityProvider, UpdateIdentityProvider},
};
use testkit::scenario;

use super::{new_provider, oidc, only, provider, update};
use crate::v2beta1::absent;

#[tokio::test]
async fn changes_what_the_mask_names() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let scopes = |scopes: &[&str]| scopes.iter().map(|scope| (*scope).to_owned()).collect::<Vec<_>>();
        let wish = provider("login", Oidc { additional_scopes: scopes(&["groups", "email"]), ..oidc() });
        let made: IdentityProvider = s.quietly::<CreateIdentityProvider>(&admin, new_provider(&org, wish)).await.ok();
        s.name(&made.uid, "login");
        s.server.clock().advance_seconds(60);
        let to = |wish: IdentityProvider, paths: &[&str]| update(&made.uid, wish, paths);
        let other = Oidc { additional_scopes: scopes(&["email", "groups"]), ..Oidc::default() };
        s.call::<UpdateIdentityProvider>("without a mask what is sent changes, in its order", &admin, to(only(other), &[])).await;
        let issuer = Oidc { issuer: "https://other.example.com".into(), client_id: "other".into(), ..Oidc::default() };
        s.call::<UpdateIdentityProvider>("with a mask nothing else", &admin, to(only(issuer), &["oidc.issuer"])).await;
        s.call::<UpdateIdentityProvider>("a star replaces all", &admin, to(provider("sign-in", oidc()), &["*"])).await;
        s.call::<UpdateIdentityProvider>("no client id", &admin, to(only(Oidc::default()), &["oidc.client_id"])).await;
        s.call::<UpdateIdentityProvider>("no way to log in", &admin, to(IdentityProvider::default(), &["oidc"])).await;
        let plain = Oidc { issuer: "http://login.example.com".into(), ..Oidc::default() };
        s.call::<UpdateIdentityProvider>("an issuer without TLS", &admin, to(only(plain), &[])).await;
        let nothing = IdentityProvider { default_role: absent(&org), ..IdentityProvider::default() };
        s.call::<UpdateIdentityProvider>("a role that does not exist", &admin, to(nothing, &[])).await;
        s.call::<UpdateIdentityProvider>("an unknown path", &admin, to(only(oidc()), &["oidc.secret"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn people_are_found_as_at_creation() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let ruled = |rule: CorrelationRule| Oidc { correlation_rule: rule.into(), ..oidc() };
        let (unspecified, sub, oid) =
            (CorrelationRule::Unspecified, CorrelationRule::SubEqualsExternalId, CorrelationRule::OidEqualsExternalId);
        for (at_first, later, accepted) in [
            (unspecified, sub, true),
            (sub, unspecified, true),
            (sub, sub, true),
            (oid, oid, true),
            (sub, oid, false),
            (oid, sub, false),
            (unspecified, oid, false),
            (oid, unspecified, false),
        ] {
            let made = new_provider(&org, provider("login", ruled(at_first)));
            let made = s.quietly::<CreateIdentityProvider>(&admin, made).await;
            let uid = made.ok::<IdentityProvider>().uid;
            let all = s.quietly::<UpdateIdentityProvider>(&admin, update(&uid, provider("login", ruled(later)), &["*"])).await;
            assert_eq!(all.code == "OK", accepted, "{at_first:?} {later:?}: {:#}", all.body);
            if accepted {
                assert_eq!(all, made, "{at_first:?} {later:?}: nothing has changed");
            }
        }
        let made: IdentityProvider =
            s.quietly::<CreateIdentityProvider>(&admin, new_provider(&org, provider("login", ruled(sub)))).await.ok();
        let other = only(Oidc { correlation_rule: oid.into(), ..Oidc::default() });
        s.call::<UpdateIdentityProvider>("by another claim", &admin, update(&made.uid, other, &[])).await;
        let renamed = IdentityProvider { name: "sign-in".into(), ..IdentityProvider::default() };
        assert_eq!(s.quietly::<UpdateIdentityProvider>(&admin, update(&made.uid, renamed, &[])).await.code, "OK");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
