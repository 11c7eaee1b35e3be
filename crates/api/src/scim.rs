//! SCIM tokens between the wire and the domain, where the versions of the wire have the same messages.

use domain::Violations;
use services::iam::identity_providers::Lifetime;

use crate::time;

/// Until when a token is to work.
pub(crate) fn lifetime(
    expire_time: Option<&prost_types::Timestamp>,
    never_expires: bool,
    violations: &mut Violations,
) -> Lifetime {
    let expires_at = expire_time.and_then(|end| time::parse("expire_time", end, violations));
    Lifetime { expires_at, never_expires }
}

/// The version that a request must name.
pub(crate) fn etag(etag: &str, violations: &mut Violations) {
    if etag.is_empty() {
        violations.add("etag", "etag is required");
    }
}

/// Makes the RPCs for the messages of `$wire`, which name the identity provider in the field `$id`, and `to_wire`.
macro_rules! scim {
    ($wire:path, $id:ident) => {
        use std::sync::Arc;

        use domain::{Ctx, Result, Violations, iam::CredentialState};
        use services::IdentityProviders;
        use wire::identity_provider::{Scim, scim::CredentialState as WireState};
        use $wire as wire;

        use crate::{
            endpoint::{Endpoint, on},
            scim, time, uidp,
        };

        /// The RPCs about SCIM.
        pub(super) fn endpoints(providers: &IdentityProviders) -> Vec<Endpoint> {
            vec![
                on(wire::rpc::GenerateScimToken, providers, generate),
                on(wire::rpc::RegenerateScimToken, providers, regenerate),
                on(wire::rpc::RevokeScimToken, providers, revoke),
                on(wire::rpc::SetScimEnabled, providers, set_enabled),
            ]
        }

        /// What an answer about one identity provider tells of its SCIM access.
        pub(super) fn to_wire(
            providers: &IdentityProviders,
            ctx: &Ctx,
            provider: &domain::iam::IdentityProvider,
        ) -> Option<Scim> {
            let scim = provider.scim.as_ref()?;
            let state = match scim.state(ctx.now) {
                CredentialState::Live => WireState::Live,
                CredentialState::Rotating => WireState::Rotating,
                CredentialState::Expired => WireState::Expired,
                CredentialState::Revoked => WireState::Revoked,
            };
            Some(Scim {
                enabled: scim.enabled,
                endpoint_url: providers.scim_url(&provider.uid),
                token_expire_time: scim.expires_at.map(time::to_wire),
                previous_token_expire_time: scim.overlap_ends_at(ctx.now).map(time::to_wire),
                credential_state: state.into(),
                etag: etag(ctx, scim, &provider.uid),
            })
        }

        /// The version that callers name who change it.
        fn etag(ctx: &Ctx, scim: &domain::iam::Scim, provider: &domain::Uidp) -> String {
            ctx.etag(scim.version(provider)).opaque().to_owned()
        }

        async fn generate(
            providers: Arc<IdentityProviders>,
            ctx: Arc<Ctx>,
            request: wire::GenerateScimTokenRequest,
        ) -> Result<wire::GenerateScimTokenResponse> {
            let mut violations = Violations::default();
            let uid = uidp::parse(stringify!($id), &request.$id, &mut violations);
            let lifetime = scim::lifetime(request.expire_time.as_ref(), request.never_expires, &mut violations);
            let uid = violations.finish(uid)?;
            let made = providers.generate_scim_token(&ctx, &uid, lifetime).await?;
            Ok(wire::GenerateScimTokenResponse {
                token: made.token.expose().clone(),
                endpoint_url: providers.scim_url(&uid),
                expire_time: made.scim.expires_at.map(time::to_wire),
                $id: request.$id,
                etag: etag(&ctx, &made.scim, &uid),
            })
        }

        async fn regenerate(
            providers: Arc<IdentityProviders>,
            ctx: Arc<Ctx>,
            request: wire::RegenerateScimTokenRequest,
        ) -> Result<wire::RegenerateScimTokenResponse> {
            let mut violations = Violations::default();
            let uid = uidp::parse(stringify!($id), &request.$id, &mut violations);
            scim::etag(&request.etag, &mut violations);
            let lifetime = scim::lifetime(request.expire_time.as_ref(), request.never_expires, &mut violations);
            let overlap = request.overlap.as_ref().and_then(|overlap| time::milliseconds("overlap", overlap, &mut violations));
            let uid = violations.finish(uid)?;
            let made = providers.regenerate_scim_token(&ctx, &uid, request.etag, lifetime, overlap).await?;
            Ok(wire::RegenerateScimTokenResponse {
                token: made.token.expose().clone(),
                endpoint_url: providers.scim_url(&uid),
                expire_time: made.scim.expires_at.map(time::to_wire),
                $id: request.$id,
                etag: etag(&ctx, &made.scim, &uid),
                previous_token_expire_time: made.scim.overlap_ends_at(ctx.now).map(time::to_wire),
                requested_overlap: Some(time::duration(made.overlap)),
            })
        }

        async fn revoke(
            providers: Arc<IdentityProviders>,
            ctx: Arc<Ctx>,
            request: wire::RevokeScimTokenRequest,
        ) -> Result<wire::RevokeScimTokenResponse> {
            let uid = uidp::one(stringify!($id), &request.$id)?;
            let scim = providers.revoke_scim_token(&ctx, &uid).await?;
            Ok(wire::RevokeScimTokenResponse {
                $id: request.$id,
                etag: etag(&ctx, &scim, &uid),
                enabled: scim.enabled,
                revoke_time: scim.revoked_at.map(time::to_wire),
            })
        }

        async fn set_enabled(
            providers: Arc<IdentityProviders>,
            ctx: Arc<Ctx>,
            request: wire::SetScimEnabledRequest,
        ) -> Result<wire::SetScimEnabledResponse> {
            let mut violations = Violations::default();
            let uid = uidp::parse(stringify!($id), &request.$id, &mut violations);
            scim::etag(&request.etag, &mut violations);
            let uid = violations.finish(uid)?;
            let scim = providers.set_scim_enabled(&ctx, &uid, request.enabled, request.etag).await?;
            let etag = etag(&ctx, &scim, &uid);
            Ok(wire::SetScimEnabledResponse { $id: request.$id, enabled: scim.enabled, etag })
        }
    };
}
pub(crate) use scim;
