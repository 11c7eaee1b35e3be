//! What can be found by name, and how each is listed.

use client::Client;
use contract::{
    chainguard::platform::{
        common::UidpFilter,
        events::v2beta1::{ListSubscriptionsRequest, Subscription, rpc as events},
        iam::v2beta1::{
            ExternalGroupRoleMapping, GroupInvite, ListExternalGroupRoleMappingsRequest, ListGroupInvitesRequest,
            ListGroupsRequest, ListIdentitiesRequest, ListIdentityProvidersRequest, ListRoleBindingsRequest, ListRolesRequest,
            RoleBinding, rpc as iam,
        },
        registry::v2beta1::{ListOverlayBindingsRequest, ListOverlaysRequest, ListReposRequest, OverlayBinding, rpc as registry},
        vulnerabilities::v2beta1::{ListAdvisoriesRequest, rpc as vulnerabilities},
    },
    provost::iam::v1::{AccessRequest, ListAccessRequestsRequest, rpc as own},
};

use super::Found;
use crate::{
    exit::{Exit, Failure},
    listing::{first, only, roots},
    output::Show,
};

/// A kind of thing that commands name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Organization,
    Folder,
    /// An organization or a folder.
    Group,
    Identity,
    IdentityProvider,
    GroupMapping,
    Role,
    RoleBinding,
    GroupInvite,
    AccessRequest,
    Repo,
    Overlay,
    OverlayBinding,
    Subscription,
    Advisory,
}

impl Kind {
    /// What people call it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Folder => "folder",
            Self::Group => "group",
            Self::Identity => "identity",
            Self::IdentityProvider => "identity provider",
            Self::GroupMapping => "group mapping",
            Self::Role => "role",
            Self::RoleBinding => "role binding",
            Self::GroupInvite => "invite",
            Self::AccessRequest => "access request",
            Self::Repo => "repo",
            Self::Overlay => "overlay",
            Self::OverlayBinding => "overlay binding",
            Self::Subscription => "subscription",
            Self::Advisory => "advisory",
        }
    }

    /// The commands about it.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Organization => "iam organizations",
            Self::Folder | Self::Group => "iam folders",
            Self::Identity => "iam identities",
            Self::IdentityProvider => "iam identity-providers",
            Self::GroupMapping => "iam identity-providers group-mappings",
            Self::Role => "iam roles",
            Self::RoleBinding => "iam role-bindings",
            Self::GroupInvite => "iam invites",
            Self::AccessRequest => "iam access-requests",
            Self::Repo => "images repos",
            Self::Overlay => "images overlays",
            Self::OverlayBinding => "images overlays bindings",
            Self::Subscription => "events subscriptions",
            Self::Advisory => "advisories",
        }
    }

    /// Whether it has a name of its own.
    pub(super) fn has_names(self) -> bool {
        use Kind::{AccessRequest, GroupInvite, GroupMapping, OverlayBinding, RoleBinding, Subscription};
        !matches!(self, AccessRequest | GroupInvite | GroupMapping | OverlayBinding | RoleBinding | Subscription)
    }

    /// Everything of that name that the caller sees.
    pub(super) async fn named(self, client: &Client, name: &str) -> Result<Vec<Found>, Failure> {
        // An empty filter selects everything, but nothing has an empty name.
        if name.is_empty() { Ok(Vec::new()) } else { self.list(client, name, None, usize::MAX).await }
    }

    /// Everything that the caller sees, but no more than `most`.
    pub(super) async fn all(self, client: &Client, most: usize) -> Result<Vec<Found>, Failure> {
        self.list(client, "", None, most).await
    }

    /// The name of the one at `uid`; `None` when the caller does not see it.
    pub(super) async fn name_of(self, client: &Client, uid: &str) -> Result<Option<String>, Failure> {
        match self.list(client, "", Some(only(vec![uid.to_owned()])), 1).await {
            Err(failure) if failure.exit == Exit::Denied || failure.exit == Exit::Usage => Ok(None),
            found => Ok(found?.pop().and_then(|found| found.name)),
        }
    }

    async fn list(self, client: &Client, name: &str, uidp: Option<UidpFilter>, most: usize) -> Result<Vec<Found>, Failure> {
        let name = name.to_owned();
        let found = |uid: String, name: String| Found { uid, name: Some(name) };
        Ok(match self {
            Self::Organization | Self::Folder | Self::Group => {
                let uidp = if self == Self::Organization && uidp.is_none() { Some(roots()) } else { uidp };
                let request = ListGroupsRequest { name, uidp, ..ListGroupsRequest::default() };
                let groups = first::<iam::ListGroups>(client, request, most).await?.into_iter();
                let wanted = groups.filter(|group| self != Self::Folder || group.uid.contains('/'));
                wanted.map(|group| found(group.uid, group.name)).collect()
            }
            Self::Identity => {
                let request = ListIdentitiesRequest { name, uidp, ..ListIdentitiesRequest::default() };
                let identities = first::<iam::ListIdentities>(client, request, most).await?.into_iter();
                identities.map(|identity| found(identity.uid, identity.name)).collect()
            }
            Self::IdentityProvider => {
                let request = ListIdentityProvidersRequest { name, uidp, ..ListIdentityProvidersRequest::default() };
                let providers = first::<iam::ListIdentityProviders>(client, request, most).await?.into_iter();
                providers.map(|provider| found(provider.uid, provider.name)).collect()
            }
            Self::GroupMapping => {
                let request = ListExternalGroupRoleMappingsRequest { uidp, ..ListExternalGroupRoleMappingsRequest::default() };
                let mappings = first::<iam::ListExternalGroupRoleMappings>(client, request, most).await?.into_iter();
                mappings.map(|mapping: ExternalGroupRoleMapping| found(mapping.uid.clone(), mapping.label())).collect()
            }
            Self::Role => {
                let request = ListRolesRequest { name, uidp, ..ListRolesRequest::default() };
                let roles = first::<iam::ListRoles>(client, request, most).await?.into_iter();
                roles.map(|role| found(role.uid, role.name)).collect()
            }
            Self::RoleBinding => {
                let request = ListRoleBindingsRequest { uidp, ..ListRoleBindingsRequest::default() };
                let bindings = first::<iam::ListRoleBindings>(client, request, most).await?.into_iter();
                bindings.map(|binding: RoleBinding| found(binding.uid.clone(), binding.label())).collect()
            }
            Self::GroupInvite => {
                let request = ListGroupInvitesRequest { uidp, ..ListGroupInvitesRequest::default() };
                let invites = first::<iam::ListGroupInvites>(client, request, most).await?.into_iter();
                invites.map(|invite: GroupInvite| found(invite.uid.clone(), invite.label())).collect()
            }
            Self::AccessRequest => {
                let request = ListAccessRequestsRequest { uidp, ..ListAccessRequestsRequest::default() };
                let requests = first::<own::ListAccessRequests>(client, request, most).await?.into_iter();
                requests.map(|request: AccessRequest| found(request.uid.clone(), request.label())).collect()
            }
            Self::Overlay => {
                let request = ListOverlaysRequest { name, uidp, ..ListOverlaysRequest::default() };
                let overlays = first::<registry::ListOverlays>(client, request, most).await?.into_iter();
                overlays.map(|overlay| found(overlay.uid, overlay.name)).collect()
            }
            Self::OverlayBinding => {
                let request = ListOverlayBindingsRequest { uidp, ..ListOverlayBindingsRequest::default() };
                let bindings = first::<registry::ListOverlayBindings>(client, request, most).await?.into_iter();
                bindings.map(|binding: OverlayBinding| found(binding.uid.clone(), binding.label())).collect()
            }
            Self::Repo => {
                let name = Some(name).filter(|name| !name.is_empty());
                let request = ListReposRequest { name, uidp, ..ListReposRequest::default() };
                let repos = first::<registry::ListRepos>(client, request, most).await?.into_iter();
                repos.map(|repo| found(repo.uid, repo.name)).collect()
            }
            Self::Subscription => {
                let request = ListSubscriptionsRequest { uidp, ..ListSubscriptionsRequest::default() };
                let subscriptions = first::<events::ListSubscriptions>(client, request, most).await?.into_iter();
                subscriptions.map(|subscription: Subscription| found(subscription.uid.clone(), subscription.label())).collect()
            }
            Self::Advisory => {
                let advisory_ids = Some(name).filter(|id| !id.is_empty()).into_iter().collect();
                let request = ListAdvisoriesRequest { advisory_ids, uidp, ..ListAdvisoriesRequest::default() };
                let advisories = first::<vulnerabilities::ListAdvisories>(client, request, most).await?.into_iter();
                advisories.map(|advisory| found(advisory.uid, advisory.advisory_id)).collect()
            }
        })
    }
}
