//! What v2beta1 tells the public, in the form of v1.

use contract::{
    chainguard::platform::advisory::{
        DocumentFilter, ResolvedVulnsReportFilter, VulnerabilityMetadataFilter,
        resolved_vulns_report_filter::ImageRef,
        rpc::{ListDocuments, ListResolvedVulnsReports, ListVulnerabilityMetadata},
    },
    prost_types::Timestamp,
};
use testkit::{Transport, scenario_on};

use crate::v2beta1::{
    advisories::read::know,
    security_advisories::{alone, make_public, publish},
};

#[tokio::test]
async fn tell_the_same() {
    let transcript = scenario_on(alone(), async |s| {
        let (admin, nobody) = (s.server.admin(), s.server.nobody());
        let org = s.server.organization().clone();
        know(&s.server, &org, "CVE-1", 1).await;
        publish(&admin, org.as_str(), "openssl", &["CVE-1"]).await;
        let by_cve = DocumentFilter { cves: vec!["CVE-1".into()], ..DocumentFilter::default() };
        s.call::<ListDocuments>("nothing is public", &nobody, by_cve.clone()).await;
        make_public(&admin, org.as_str()).await;
        s.call::<ListDocuments>("documents", &nobody, by_cve).await;
        let filter = VulnerabilityMetadataFilter { ids: vec!["CVE-1".into()], ..VulnerabilityMetadataFilter::default() };
        s.call::<ListVulnerabilityMetadata>("what databases say", &nobody, filter).await;
        let filter = ResolvedVulnsReportFilter {
            image_refs: vec![ImageRef { repo: org.child([1; 8]).to_string(), tags: Vec::new() }],
            from: Some(Timestamp { seconds: 2, nanos: 0 }),
            to: Some(Timestamp { seconds: 1, nanos: 0 }),
        };
        let outcome = admin.call::<ListResolvedVulnsReports>(Transport::Grpc, filter).await;
        s.transcript.step("a report that ends before it begins", &outcome);
        let outcome = admin.call::<ListResolvedVulnsReports>(Transport::Grpc, ResolvedVulnsReportFilter::default()).await;
        s.transcript.step("a report of nothing", &outcome);
    })
    .await;
    insta::assert_snapshot!(transcript);
}
