use contract::chainguard::platform::iam::v2beta1::{
    GetIdentityProviderRequest, Group, IdentityProvider, ListIdentityProvidersRequest, Role,
    identity_provider::{Oidc, oidc::CorrelationRule},
    rpc::{CreateGroup, CreateIdentityProvider, CreateRole, GetIdentityProvider, ListIdentityProviders},
};
use testkit::scenario;

use super::{new_provider, oidc, only, provider};
use crate::v2beta1::{absent, built_in, groups::new_group, roles::new_role};

#[tokio::test]
async fn makes_one_of_an_organization() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let all = Oidc {
            additional_scopes: ["groups", "email", "api://provost/.default"].map(str::to_owned).to_vec(),
            groups_claim: "https://example.com/groups".into(),
            correlation_rule: CorrelationRule::OidEqualsExternalId.into(),
            pkce_enabled: true,
            ..oidc()
        };
        let wish = IdentityProvider { description: "Everybody logs in here.".into(), ..provider("login", all) };
        let made = s.call::<CreateIdentityProvider>("all there is to say", &admin, new_provider(&org, wish)).await;
        let uid = made.ok::<IdentityProvider>().uid;
        let read = s.quietly::<GetIdentityProvider>(&admin, GetIdentityProviderRequest { uid }).await;
        assert_eq!(read, made, "what was created is what is read");
        s.call::<CreateIdentityProvider>("a secret, and no PKCE", &admin, new_provider(&org, provider("login", oidc()))).await;
        let pkce = Oidc { client_secret: String::new(), pkce_enabled: true, ..oidc() };
        s.call::<CreateIdentityProvider>("PKCE, and no secret", &admin, new_provider(&org, provider("pkce", pkce))).await;
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&org, "newcomer", &["groups.list"])).await.ok();
        s.name(&role.uid, "newcomer");
        let own = IdentityProvider { default_role: role.uid, ..provider("own-role", oidc()) };
        s.call::<CreateIdentityProvider>("a role of the organization", &admin, new_provider(&org, own)).await;
        let by_name = ListIdentityProvidersRequest { name: "login".into(), ..ListIdentityProvidersRequest::default() };
        s.call::<ListIdentityProviders>("by name", &admin, by_name).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = Box::pin(scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        s.name(&folder.uid, "team-a");
        let below: Role = s.quietly::<CreateRole>(&admin, new_role(&folder.uid, "of-the-folder", &["groups.list"])).await.ok();
        let with = |oidc: Oidc| provider("login", oidc);
        let scopes =
            |scopes: &[&str]| with(Oidc { additional_scopes: scopes.iter().map(|s| (*s).to_owned()).collect(), ..oidc() });
        let many: Vec<_> = (0..33).map(|n| format!("scope-{n}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        let gives = |role: &str| IdentityProvider { default_role: role.into(), ..with(oidc()) };
        let issuer = |issuer: &str| with(Oidc { issuer: issuer.into(), ..oidc() });
        let long = "a".repeat(3000);
        for (title, wish) in [
            ("no way to log in", IdentityProvider { configuration: None, ..with(oidc()) }),
            ("an empty one", only(Oidc::default())),
            ("neither secret nor PKCE", with(Oidc { client_secret: String::new(), ..oidc() })),
            ("no default role", gives("")),
            ("a default role that is none", gives("viewer")),
            ("one that does not exist", gives(&absent(&org))),
            ("one of a folder", gives(&below.uid)),
            ("an issuer without TLS", issuer("http://login.example.com")),
            ("an issuer with a query", issuer("https://login.example.com/?tenant=a")),
            ("an issuer that is no URL", issuer("login")),
            ("a correlation rule of later", with(Oidc { correlation_rule: 9, ..oidc() })),
            ("scopes that are none", scopes(&["groups", "", "two words", "qu\"ote", "é"])),
            ("a scope twice", scopes(&["groups", "email", "groups"])),
            ("too many scopes", scopes(&many)),
            (
                "texts that are too long",
                with(Oidc {
                    issuer: format!("https://{long}"),
                    client_id: long.clone(),
                    client_secret: long.clone(),
                    groups_claim: long.clone(),
                    ..oidc()
                }),
            ),
            (
                "control characters",
                with(Oidc { client_id: "a\nb".into(), client_secret: "a\0b".into(), groups_claim: "a\tb".into(), ..oidc() }),
            ),
        ] {
            s.call::<CreateIdentityProvider>(title, &admin, new_provider(&org, wish)).await;
        }
        let in_folder = new_provider(&folder.uid, with(oidc()));
        s.call::<CreateIdentityProvider>("in a folder", &admin, in_folder).await;
        let viewer = IdentityProvider { default_role: built_in("viewer"), ..with(oidc()) };
        s.call::<CreateIdentityProvider>("in a role", &admin, new_provider(&built_in("viewer"), viewer)).await;
    }))
    .await;
    insta::assert_snapshot!(transcript);
}
