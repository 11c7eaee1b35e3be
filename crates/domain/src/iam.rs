//! The nouns of identity and access management.

pub mod access_request;
pub mod account_association;
pub mod external_group_role_mapping;
pub mod group;
pub mod group_invite;
pub mod identity;
pub mod identity_metadata;
pub mod identity_provider;
pub mod registration;
pub mod resource_limits;
pub mod role;
pub mod role_binding;
pub mod scim;
pub mod terms;

pub use access_request::AccessRequest;
pub use account_association::{
    AccountAssociation, AccountAssociationSpec, AccountStatus, AzureTenant, CloudAccount, CloudProvider, GitHubInstallation,
    GoogleProject, NotReady, ServiceBinding, ServiceBindings,
};
pub use external_group_role_mapping::{ExternalGroupRoleMapping, ExternalGroupRoleMappingSpec};
pub use group::{Group, GroupSpec, OrgKind, OrgStatus};
pub use group_invite::{GroupInvite, GroupInviteSpec, GroupInviteView, InviteCheck};
pub use identity::{
    AwsIdentity, ClaimMatch, Identity, IdentitySpec, Matcher, Relationship, RelationshipType, ServicePrincipal, StaticKeys,
};
pub use identity_metadata::{IdentityMetadata, IdentityMetadataSpec};
pub use identity_provider::{CorrelationRule, IdentityProvider, IdentityProviderSpec, Oidc, ScimTold};
pub use resource_limits::ResourceLimits;
pub use role::{Role, RoleSpec};
pub use role_binding::{RoleBinding, RoleBindingSpec, RoleBindingView};
pub use scim::{CredentialState, PreviousToken, Scim, ScimDigest};
pub use terms::{TermsAcceptance, TermsAccepted, TermsDocument};

crate::revision::versioned! {
    Group: self;
    Identity: self;
    IdentityProvider: self;
    ExternalGroupRoleMapping: self;
    Role: self;
    RoleBinding: self;
    RoleBindingView: self.binding;
    AccountAssociation: self;
    GroupInvite: self;
    GroupInviteView: self.invite;
    AccessRequest: self;
    IdentityMetadata: self;
}
