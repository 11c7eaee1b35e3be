use contract::chainguard::platform::iam::v2beta1::{
    GetIdentityRequest, Group, Identity,
    identity::Relationship,
    rpc::{CreateGroup, CreateRoleBinding, GetIdentity, UpdateIdentity},
};
use testkit::scenario;

use super::{claims, identity, keys, update::update};
use crate::v2beta1::{built_in, groups::new_group, role_bindings::new_binding, roles::holder};

#[tokio::test]
async fn whoever_chooses_the_relationship_must_hold_what_the_identity_holds() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let victim = s.server.workload(&org, "victim", Some("owner")).await.uid().to_string();
        let taken = identity("", Some(claims("https://issuer.example", "mallory")));

        let editor = s.server.workload(&org, "editor", Some("editor")).await;
        s.call::<UpdateIdentity>("an editor changes no identities", &editor, update(&victim, taken.clone(), &[])).await;

        let manager = holder(s, &org, "manager", &["identity.list", "identity.update"]).await;
        s.call::<UpdateIdentity>("who may, may rename an owner", &manager, update(&victim, identity("renamed", None), &[])).await;
        s.call::<UpdateIdentity>("but not become one", &manager, update(&victim, taken.clone(), &[])).await;
        s.call::<UpdateIdentity>("nor claim by claim", &manager, update(&victim, taken.clone(), &["claim_match.subject"])).await;
        let keyed = identity("", Some(Relationship::StaticKeys(keys())));
        s.call::<UpdateIdentity>("nor with keys", &manager, update(&victim, keyed, &["static_keys"])).await;
        let same: Identity = s.quietly::<GetIdentity>(&manager, GetIdentityRequest { uid: victim.clone() }).await.ok();
        s.call::<UpdateIdentity>("saying what is so is no change", &manager, update(&victim, same, &["*"])).await;

        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        let below = s.server.workload(&org, "below", None).await.uid().to_string();
        s.call::<UpdateIdentity>("one that holds nothing is free to change", &manager, update(&below, taken.clone(), &[])).await;
        admin.must::<CreateRoleBinding>(new_binding(&folder.uid, &below, &built_in("owner"))).await;
        let again = identity("", Some(claims("https://issuer.example", "mallory-2")));
        s.call::<UpdateIdentity>("one that holds something further down is not", &manager, update(&below, again, &[])).await;

        s.call::<UpdateIdentity>("an owner may", &admin, update(&victim, taken, &[])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
