use contract::chainguard::platform::iam::v2beta1::{LookupIdentityRequest, LookupIdentityResponse, rpc::LookupIdentity};
use testkit::scenario;

fn look(issuer: &str, subject: &str) -> LookupIdentityRequest {
    LookupIdentityRequest { issuer: issuer.into(), subject: subject.into() }
}

#[tokio::test]
async fn tells_every_user_s_identifier_even_before_it_registers() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let own = look(&s.server.issuer(), "admin");
        let found: LookupIdentityResponse = s.call::<LookupIdentity>("the caller", &admin, own).await.ok();
        assert_eq!(found.uid, s.server.admin_uid().as_str());
        let bob = look("https://issuer.example", "bob");
        s.call::<LookupIdentity>("someone who never came", &admin, bob.clone()).await;
        s.call::<LookupIdentity>("the same name elsewhere", &admin, look("https://other.example", "bob")).await;
        let idle = s.server.workload(s.server.organization(), "idle", None).await;
        s.call::<LookupIdentity>("asked by an identity without a role", &idle, bob.clone()).await;
        s.call::<LookupIdentity>("asked by nobody", &s.server.nobody(), bob).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        s.call::<LookupIdentity>("nothing at all", &admin, look("", "")).await;
        s.call::<LookupIdentity>("no issuer", &admin, look("", "bob")).await;
        s.call::<LookupIdentity>("no subject", &admin, look("https://issuer.example", "")).await;
        s.call::<LookupIdentity>("an issuer that is no URL", &admin, look("issuer.example", "bob")).await;
        s.call::<LookupIdentity>("an issuer in clear text", &admin, look("http://issuer.example", "bob")).await;
        s.call::<LookupIdentity>("a subject of two lines", &admin, look("https://issuer.example", "a\nb")).await;
        let long = "a".repeat(3000);
        s.call::<LookupIdentity>("a subject that is too long", &admin, look("https://issuer.example", &long)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
