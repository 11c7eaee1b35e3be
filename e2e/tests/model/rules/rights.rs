//! Who may do what where.

use std::collections::BTreeSet;

use crate::model::{
    answer::{Refusal, refused},
    history::Caller,
    state::{State, within},
};

/// A capability by its name in tokens and by that in roles.
pub(crate) type Capability = (&'static str, &'static str);

/// The last two do nothing here but be given away.
pub(crate) const CAPABILITIES: &[Capability] = &[
    ("groups.create", "CAP_IAM_GROUPS_CREATE"),
    ("groups.update", "CAP_IAM_GROUPS_UPDATE"),
    ("groups.list", "CAP_IAM_GROUPS_LIST"),
    ("groups.delete", "CAP_IAM_GROUPS_DELETE"),
    ("identity.create", "CAP_IAM_IDENTITY_CREATE"),
    ("identity.update", "CAP_IAM_IDENTITY_UPDATE"),
    ("identity.list", "CAP_IAM_IDENTITY_LIST"),
    ("identity.delete", "CAP_IAM_IDENTITY_DELETE"),
    ("roles.create", "CAP_IAM_ROLES_CREATE"),
    ("roles.update", "CAP_IAM_ROLES_UPDATE"),
    ("roles.list", "CAP_IAM_ROLES_LIST"),
    ("roles.delete", "CAP_IAM_ROLES_DELETE"),
    ("role_bindings.create", "CAP_IAM_ROLE_BINDINGS_CREATE"),
    ("role_bindings.update", "CAP_IAM_ROLE_BINDINGS_UPDATE"),
    ("role_bindings.list", "CAP_IAM_ROLE_BINDINGS_LIST"),
    ("role_bindings.delete", "CAP_IAM_ROLE_BINDINGS_DELETE"),
    ("identity_providers.create", "CAP_IAM_IDENTITY_PROVIDERS_CREATE"),
    ("identity_providers.update", "CAP_IAM_IDENTITY_PROVIDERS_UPDATE"),
    ("identity_providers.list", "CAP_IAM_IDENTITY_PROVIDERS_LIST"),
    ("identity_providers.delete", "CAP_IAM_IDENTITY_PROVIDERS_DELETE"),
    ("group_invites.create", "CAP_IAM_GROUP_INVITES_CREATE"),
    ("group_invites.list", "CAP_IAM_GROUP_INVITES_LIST"),
    ("group_invites.delete", "CAP_IAM_GROUP_INVITES_DELETE"),
    ("account_associations.create", "CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE"),
    ("account_associations.update", "CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE"),
    ("account_associations.list", "CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST"),
    ("account_associations.delete", "CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE"),
    ("registry.overlays.edit", "CAP_REGISTRY_OVERLAYS_EDIT"),
    ("registry.overlays.list", "CAP_REGISTRY_OVERLAYS_LIST"),
    ("repo.create", "CAP_REPO_CREATE"),
    ("repo.update", "CAP_REPO_UPDATE"),
    ("repo.list", "CAP_REPO_LIST"),
    ("repo.delete", "CAP_REPO_DELETE"),
    ("tag.create", "CAP_TAG_CREATE"),
    ("tag.update", "CAP_TAG_UPDATE"),
    ("tag.list", "CAP_TAG_LIST"),
    ("tag.delete", "CAP_TAG_DELETE"),
    ("internal", "CAP_INTERNAL"),
    ("repo.internal.admin", "CAP_REPO_INTERNAL_ADMIN"),
];

/// The name in roles of a capability that has this name in tokens.
pub(super) fn need(dotted: &str) -> &'static str {
    let found = CAPABILITIES.iter().find(|(name, _)| *name == dotted);
    found.map(|(_, name)| *name).expect("the model knows the capability")
}

/// What a caller may do, as everything stands now.
pub(super) struct Rights {
    /// `None` for operators.
    pub(super) identity: Option<String>,
    /// What is held at a place and everywhere below it; `None` for everything, everywhere.
    held: Option<Vec<(String, BTreeSet<String>)>>,
    scopes: Option<Vec<String>>,
    kept: Option<BTreeSet<String>>,
}

impl Rights {
    /// Whether the caller has the capabilities at a place.
    pub(super) fn hold_all(&self, capabilities: &[&str], place: &str) -> bool {
        capabilities.iter().all(|capability| self.hold(need(capability), place))
    }

    /// Whether the caller has the capability at a place: through a binding there or above, if the token kept it, at a place
    /// that the token kept.
    fn hold(&self, capability: &str, place: &str) -> bool {
        let held = self
            .held
            .as_ref()
            .is_none_or(|held| held.iter().any(|(at, capabilities)| within(place, at) && capabilities.contains(capability)));
        let in_scope = self.scopes.as_ref().is_none_or(|scopes| scopes.iter().any(|scope| within(place, scope)));
        held && in_scope && self.kept.as_ref().is_none_or(|kept| kept.contains(capability))
    }

    pub(super) fn require(&self, capabilities: &[&str], place: &str) -> Result<(), Refusal> {
        if self.hold_all(capabilities, place) { Ok(()) } else { refused("PERMISSION_DENIED", "CAPABILITY_MISSING") }
    }

    /// Nobody gives what they do not hold.
    pub(super) fn may_give(&self, capabilities: &BTreeSet<String>, place: &str) -> Result<(), Refusal> {
        let holds_all = capabilities.iter().all(|capability| self.hold(capability, place));
        if holds_all { Ok(()) } else { refused("PERMISSION_DENIED", "ESCALATION") }
    }

    pub(super) fn require_operator(&self) -> Result<(), Refusal> {
        if self.identity.is_none() { Ok(()) } else { refused("PERMISSION_DENIED", "OPERATORS_ONLY") }
    }

    /// Whether the token may do less than its identity.
    pub(super) fn is_narrowed(&self) -> bool {
        self.scopes.is_some() || self.kept.is_some()
    }

    /// Whoever makes an organization comes to own it, so a token that gave away places may not, nor one without the
    /// capability to create groups.
    pub(super) fn require_organizations(&self) -> Result<(), Refusal> {
        let may_create = self.kept.as_ref().is_none_or(|kept| kept.contains(need("groups.create")));
        if self.scopes.is_none() && may_create { Ok(()) } else { refused("PERMISSION_DENIED", "CAPABILITY_MISSING") }
    }
}

impl State {
    /// What the caller may do, if its token is good.
    pub(super) fn rights(&self, caller: Caller) -> Result<Rights, Refusal> {
        let token = self.judge(caller)?;
        let held = token.identity.as_ref().map(|identity| {
            let own = self.bindings().filter(|(_, of, _)| *of == identity);
            own.map(|(at, _, role)| (at.to_owned(), self.capabilities(role))).collect()
        });
        Ok(Rights { identity: token.identity.clone(), held, scopes: token.scopes.clone(), kept: token.capabilities.clone() })
    }
}
