//! Settings of registries, of which there is no later version.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::{GetRegistrySettingsRequest, RegistrySettings as Wire, rpc},
};
use domain::{
    Ctx, Result,
    registry::{RegistrySettings, RegistrySettingsSpec},
};
use services::RegistriesSettings;

use crate::{
    endpoint::{Endpoint, answer, on},
    uidp,
};

/// The RPCs of the settings of registries.
pub(crate) fn endpoints(settings: &RegistriesSettings) -> Vec<Endpoint> {
    vec![on(rpc::GetRegistrySettings, settings, get), on(rpc::UpdateRegistrySettings, settings, update)]
}

async fn get(settings: Arc<RegistriesSettings>, ctx: Arc<Ctx>, request: GetRegistrySettingsRequest) -> Result<Reply<Wire>> {
    let group = uidp::one("registry_id", &request.registry_id)?;
    Ok(answer(&ctx, &settings.get(&group).await?, to_wire))
}

async fn update(settings: Arc<RegistriesSettings>, ctx: Arc<Ctx>, wish: Wire) -> Result<Reply<Wire>> {
    let group = uidp::one("registry_id", &wish.registry_id)?;
    let spec = RegistrySettingsSpec { unique_tags: wish.unique_tags, eol_grace_period: wish.eol_grace_period };
    Ok(answer(&ctx, &settings.replace(&ctx, &group, spec).await?, to_wire))
}

/// Settings for an answer.
fn to_wire(settings: &RegistrySettings) -> Wire {
    let RegistrySettingsSpec { unique_tags, eol_grace_period } = settings.spec;
    Wire { registry_id: settings.uid.to_string(), unique_tags, eol_grace_period }
}
