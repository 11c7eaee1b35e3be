use std::sync::Arc;

use contract::chainguard::platform::vulnerabilities::{
    v1::{Advisory, rpc::Create},
    v2beta1::{
        GetAdvisoryRequest, ListAdvisoriesRequest,
        rpc::{GetAdvisory, ListAdvisories},
    },
};
use domain::{
    Ctx, Revision, Timestamp, Uidp,
    vulnerabilities::{Reference, ReferenceKind, Severity, SeveritySystem, Vulnerability, VulnerabilitySpec},
};
use store::rows;
use testkit::{CountedEntropy, TestServer, scenario};

use crate::{v1::advisories::new_advisory, v2beta1::absent};

/// Keeps what a database says about a vulnerability.
pub(crate) async fn know(server: &TestServer, group: &Uidp, id: &str, n: u8) {
    let at = Timestamp(1_700_000_000_000);
    let spec = VulnerabilitySpec {
        id: id.to_owned(),
        aliases: Vec::new(),
        summary: format!("What {id} is"),
        details: "In *detail*.".to_owned(),
        references: vec![Reference { kind: ReferenceKind::Fix, url: "https://example.com/fix".to_owned() }],
        severities: vec![
            Severity { system: SeveritySystem::CvssV3, score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H".to_owned() },
            Severity { system: SeveritySystem::Ubuntu, score: "high".to_owned() },
        ],
        withdrawn_at: None,
    };
    let known = Vulnerability { uid: group.child([n; 8]), spec, created_at: at, updated_at: at, revision: Revision(0) };
    let ctx = Ctx::system("knows", at, Arc::new(CountedEntropy::default()));
    let write = server.store().write(&ctx, |tx| Box::pin(async move { rows::insert(tx, &known).await }));
    write.await.expect("is kept");
}

#[tokio::test]
async fn tells_how_bad_its_vulnerability_is() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        know(&s.server, &org, "CVE-2024-4741", 1).await;
        let made: Advisory = s.quietly::<Create>(&admin, new_advisory(org.as_str(), "openssl", &["CVE-2024-4741"])).await.ok();
        s.name(&made.id, "advisory");
        s.call::<GetAdvisory>("by what its organization knows", &admin, GetAdvisoryRequest { uid: made.id.clone() }).await;
        let listed = s.quietly::<ListAdvisories>(&admin, ListAdvisoriesRequest::default()).await;
        let read = s.quietly::<GetAdvisory>(&admin, GetAdvisoryRequest { uid: made.id.clone() }).await;
        assert_eq!(listed.body["advisories"][0], read.body, "lists show the same");
        s.call::<GetAdvisory>("nothing is there", &admin, GetAdvisoryRequest { uid: absent(org.as_str()) }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
