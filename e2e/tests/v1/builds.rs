use contract::chainguard::platform::registry::{
    BuildReportFilter, BuildReportList, PackageVersionMetadataRequest,
    rpc::{GetPackageVersionMetadata, ListBuildReports},
};
use testkit::scenario;

#[tokio::test]
async fn there_are_none() {
    scenario(async |s| {
        let admin = s.server.admin();
        let listed: BuildReportList = s.quietly::<ListBuildReports>(&admin, BuildReportFilter::default()).await.ok();
        assert_eq!(listed, BuildReportList::default());
        for (package, code) in [("nginx", "NOT_FOUND"), ("", "INVALID_ARGUMENT")] {
            let request = PackageVersionMetadataRequest { package: package.to_owned() };
            assert_eq!(s.quietly::<GetPackageVersionMetadata>(&admin, request).await.code, code);
        }
    })
    .await;
}
