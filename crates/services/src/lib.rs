//! The use cases: what every operation on every noun means, whoever asks and over whichever wire.
//!
//! A use case gets a [`domain::Ctx`] and domain values and gives domain values. The gate has already decided what the
//! contract's annotations say about a method; what they cannot say is decided here: hand-checked parents, nobody
//! handing out what they do not hold, uniqueness, what belongs to which organization, and what does not exist.
//!
//! Every mutation is one `store.write`, in which the current row is read, the entity tag compared, the row written and the
//! change announced. All writes wait for each of them, so what takes time that grows with a request happens before: its
//! texts and patterns are judged, and an update is applied to the current value (module `update`); the write confirms that
//! this is still the current one. Nothing here knows HTTP, gRPC, headers or JSON shapes.

pub mod bootstrap;
pub mod events;
pub mod iam;
pub mod page_tokens;
pub mod refusals;
pub mod registry;
pub mod replays;
pub mod settings;
pub mod vulnerabilities;

mod grants;
mod minutes;
mod nouns;
mod texts;
mod turns;
mod update;

use std::sync::Arc;

use domain::ports::{CheckRelationship, CheckUrl, Seal, TryAccount};
use iam::{identities, identity_providers, lookups::UserLookups};
use store::Store;

pub use bootstrap::Bootstrap;
pub use events::{Deliveries, Subscriptions};
pub use iam::{
    AccessRequests, AccountAssociations, ExternalGroupRoleMappings, GroupInvites, Groups, Identities, IdentityProviders,
    Registrations, RequiredTerms, RoleBindings, Roles, Terms, WhoAmI,
};
pub use nouns::{Noun, Nouns};
pub use page_tokens::PageTokens;
pub use refusals::AuditRefusals;
pub use registry::{Deployments, OverlayBindings, Overlays, RegistriesSettings, Repos, Tags, Visibilities};
pub use replays::ReplayStore;
pub use settings::Settings;
pub use vulnerabilities::{Advisories, AdvisoryImports, Feeds, Publications};

/// The use cases of all nouns, for those who serve them.
#[derive(Clone, Debug)]
pub struct UseCases {
    /// Groups.
    pub groups: Groups,
    /// Identities.
    pub identities: Identities,
    /// Identity providers.
    pub identity_providers: IdentityProviders,
    /// External group role mappings.
    pub external_group_role_mappings: ExternalGroupRoleMappings,
    /// Roles.
    pub roles: Roles,
    /// Role bindings.
    pub role_bindings: RoleBindings,
    /// Account associations.
    pub account_associations: AccountAssociations,
    /// Group invites.
    pub group_invites: GroupInvites,
    /// Access requests.
    pub access_requests: AccessRequests,
    /// Terms.
    pub terms: Terms,
    /// Registrations.
    pub registrations: Registrations,
    /// Repositories.
    pub repos: Repos,
    /// Tags.
    pub tags: Tags,
    /// Overlays.
    pub overlays: Overlays,
    /// Overlay bindings.
    pub overlay_bindings: OverlayBindings,
    /// Deployments.
    pub deployments: Deployments,
    /// Settings of registries.
    pub registry_settings: RegistriesSettings,
    /// What is public.
    pub visibilities: Visibilities,
    /// Advisories.
    pub advisories: Advisories,
    /// Imports and exports of advisories.
    pub advisory_imports: AdvisoryImports,
    /// What the public reads of advisories and vulnerabilities.
    pub publications: Publications,
    /// Subscriptions.
    pub subscriptions: Subscriptions,
    /// Deliveries.
    pub deliveries: Deliveries,
    /// What a token stands for.
    pub who_am_i: WhoAmI,
}

impl UseCases {
    /// The use cases over `store`, with page tokens of `seal`, which seals client secrets, too; `relationships` judges how identities
    /// prove themselves, and issuers, `urls` where callers want something sent; `accounts` tries those at clouds.
    pub fn new(
        store: &Store,
        seal: &Arc<dyn Seal>,
        settings: &Settings,
        relationships: Arc<dyn CheckRelationship>,
        urls: Arc<dyn CheckUrl>,
        accounts: Arc<dyn TryAccount>,
    ) -> Self {
        let (store, seal) = (|| store.clone(), || Arc::clone(seal));
        let lookups = UserLookups::new(store());
        let identities = identities::Needs { relationships: Arc::clone(&relationships), lookups: lookups.clone() };
        let providers = identity_providers::Needs { seal: seal(), issuers: relationships, auth_url: settings.auth_url.clone() };
        Self {
            groups: Groups::new(store(), seal(), settings.clone()),
            identities: Identities::new(store(), seal(), identities),
            identity_providers: IdentityProviders::new(store(), seal(), providers),
            external_group_role_mappings: ExternalGroupRoleMappings::new(store(), seal(), ()),
            roles: Roles::new(store(), seal(), ()),
            role_bindings: RoleBindings::new(store(), seal(), lookups),
            account_associations: AccountAssociations::new(store(), seal(), accounts),
            group_invites: GroupInvites::new(store(), seal(), ()),
            access_requests: AccessRequests::new(store(), seal(), ()),
            terms: Terms::new(store(), seal(), Arc::clone(&settings.terms)),
            registrations: Registrations::new(store()),
            repos: Repos::new(store(), seal(), settings.clone()),
            tags: Tags::new(store(), seal(), ()),
            overlays: Overlays::new(store(), seal(), ()),
            overlay_bindings: OverlayBindings::new(store(), seal(), ()),
            deployments: Deployments::new(store()),
            registry_settings: RegistriesSettings::new(store()),
            visibilities: Visibilities::new(store()),
            advisories: Advisories::new(store(), seal(), settings.clone()),
            advisory_imports: AdvisoryImports::new(store(), settings.clone()),
            publications: Publications::new(store(), seal()),
            subscriptions: Subscriptions::new(store(), seal(), urls),
            deliveries: Deliveries::new(store(), seal()),
            who_am_i: WhoAmI::new(store()),
        }
    }
}
