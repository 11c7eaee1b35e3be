//! What is known of builds and packages, of which there is no later version: nothing, as nothing is built here.

use std::sync::Arc;

use contract::chainguard::platform::registry::{
    BuildReportFilter, BuildReportList, PackageVersionMetadata, PackageVersionMetadataRequest, rpc,
};
use domain::{Ctx, Error, Kind, Result, Rule, Violations};

use crate::{
    endpoint::{Endpoint, on},
    uidp,
};

/// The RPCs of builds and packages. Who manages a registry with tools asks them among others, and takes "none" for an answer.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![on(rpc::ListBuildReports, &(), list), on(rpc::GetPackageVersionMetadata, &(), versions)]
}

async fn list(_: Arc<()>, _ctx: Arc<Ctx>, request: BuildReportFilter) -> Result<BuildReportList> {
    let mut violations = Violations::default();
    uidp::filter(request.uidp, &mut violations);
    violations.check()?;
    Ok(BuildReportList::default())
}

async fn versions(_: Arc<()>, _ctx: Arc<Ctx>, request: PackageVersionMetadataRequest) -> Result<PackageVersionMetadata> {
    if request.package.is_empty() {
        return Err(Error::field("package", "package is required"));
    }
    Err(Error::new(Kind::NotFound, Rule::NoSuchResource, "this server keeps images and knows the versions of no package"))
}
