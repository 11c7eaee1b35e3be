//! What is the same for all nouns but for a word, in one table.

use self::Noun::{Accounts, Binding, Group, Identity, Invite, Mapping, Overlay, OverlayBinding, Provider, Repo, Role, Tag};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Noun {
    Group,
    Identity,
    Role,
    Binding,
    Provider,
    Mapping,
    Invite,
    /// The association of a group with its accounts, which goes by the UID of the group.
    Accounts,
    Repo,
    Tag,
    Overlay,
    OverlayBinding,
}

/// What is known of a noun.
pub(crate) struct Declared {
    pub(crate) noun: Noun,
    /// One and several of them, as methods call them.
    pub(crate) one: &'static str,
    pub(crate) many: &'static str,
    pub(crate) lives_in: Noun,
    /// Whether a group stays while one of them is left in it; others go with it.
    pub(crate) keeps_group: bool,
    /// What limits call them; `None` where there are none.
    pub(crate) limited: Option<&'static str>,
    /// What it takes to list, create, update and delete them; what never changes is not updated.
    pub(crate) list: &'static [&'static str],
    pub(crate) create: &'static [&'static str],
    pub(crate) update: &'static [&'static str],
    pub(crate) delete: &'static [&'static str],
    /// What callers set.
    pub(crate) fields: &'static [&'static str],
    /// What lists are filtered by, and which field or property of a thing each is about.
    pub(crate) filters: &'static [(&'static str, &'static str)],
}

impl Noun {
    pub(crate) const ALL: [Self; 12] =
        [Group, Identity, Role, Binding, Provider, Mapping, Invite, Accounts, Repo, Tag, Overlay, OverlayBinding];

    pub(crate) fn declared(self) -> &'static Declared {
        TABLE.iter().find(|declared| declared.noun == self).expect("every noun is declared")
    }

    /// Whether it has a name to be found and ordered by.
    pub(crate) fn has_name(self) -> bool {
        self.declared().fields.contains(&"name")
    }

    /// Whether one that is there can be made another.
    pub(crate) fn changes(self) -> bool {
        !self.declared().update.is_empty()
    }
}

const NAME: (&str, &str) = ("name", "name");

const TABLE: &[Declared] = &[
    Declared {
        noun: Group,
        one: "Group",
        many: "Groups",
        lives_in: Group,
        keeps_group: true,
        limited: Some("groups"),
        list: &["groups.list"],
        create: &["groups.create"],
        update: &["groups.update"],
        delete: &["groups.delete"],
        fields: &["name", "description", "verified", "kind"],
        filters: &[NAME],
    },
    Declared {
        noun: Identity,
        one: "Identity",
        many: "Identities",
        lives_in: Group,
        keeps_group: true,
        limited: Some("identities"),
        list: &["identity.list"],
        create: &["identity.create"],
        update: &["identity.update"],
        delete: &["identity.delete"],
        fields: &["name", "description", "claim_match.issuer", "claim_match.subject", "service_principal"],
        filters: &[NAME, ("relationship_type", "relationship_type")],
    },
    Declared {
        noun: Role,
        one: "Role",
        many: "Roles",
        lives_in: Group,
        keeps_group: true,
        limited: Some("roles"),
        list: &["roles.list"],
        create: &["roles.create"],
        update: &["roles.update"],
        delete: &["roles.delete"],
        fields: &["name", "description", "capabilities"],
        filters: &[NAME],
    },
    Declared {
        noun: Binding,
        one: "RoleBinding",
        many: "RoleBindings",
        lives_in: Group,
        keeps_group: false,
        limited: Some("role_bindings"),
        list: &["role_bindings.list"],
        create: &["role_bindings.create"],
        update: &["role_bindings.update"],
        delete: &["role_bindings.delete"],
        fields: &["identity_uid", "role_uid"],
        filters: &[("identity", "identity_uid"), ("group", "parent"), ("role", "role_uid")],
    },
    Declared {
        noun: Provider,
        one: "IdentityProvider",
        many: "IdentityProviders",
        lives_in: Group,
        keeps_group: true,
        limited: Some("identity_providers"),
        list: &["identity_providers.list"],
        create: &["identity_providers.create", "role_bindings.create"],
        update: &["identity_providers.update", "role_bindings.create"],
        delete: &["identity_providers.delete"],
        fields: &[
            "name",
            "description",
            "default_role",
            "oidc.issuer",
            "oidc.client_id",
            "oidc.client_secret",
            "oidc.groups_claim",
            "oidc.correlation_rule",
            "oidc.pkce_enabled",
        ],
        filters: &[NAME],
    },
    Declared {
        noun: Mapping,
        one: "ExternalGroupRoleMapping",
        many: "ExternalGroupRoleMappings",
        lives_in: Provider,
        keeps_group: false,
        limited: None,
        list: &["identity_providers.list"],
        create: &["identity_providers.create", "role_bindings.create"],
        update: &[],
        delete: &["identity_providers.delete"],
        fields: &["external_group_id", "role_uid", "scope"],
        filters: &[("identity_provider_uid", "parent")],
    },
    Declared {
        noun: Invite,
        one: "GroupInvite",
        many: "GroupInvites",
        lives_in: Group,
        keeps_group: false,
        limited: None,
        list: &["group_invites.list"],
        create: &["group_invites.create", "role_bindings.create"],
        update: &[],
        delete: &["group_invites.delete"],
        fields: &["role_uid", "email", "ttl", "single_use"],
        filters: &[],
    },
    Declared {
        noun: Accounts,
        one: "AccountAssociation",
        many: "AccountAssociations",
        lives_in: Group,
        keeps_group: false,
        limited: None,
        list: &["account_associations.list"],
        create: &["account_associations.create"],
        update: &["account_associations.update"],
        delete: &["account_associations.delete"],
        fields: &["name", "description", "amazon.account", "chainguard.service_bindings"],
        filters: &[NAME],
    },
    Declared {
        noun: Repo,
        one: "Repo",
        many: "Repos",
        lives_in: Group,
        keeps_group: true,
        limited: Some("repos"),
        list: &["repo.list"],
        create: &["repo.create"],
        update: &["repo.update"],
        delete: &["repo.delete"],
        fields: &["name", "description", "catalog_tier", "active_tags"],
        filters: &[NAME],
    },
    Declared {
        noun: Tag,
        one: "Tag",
        many: "Tags",
        lives_in: Repo,
        keeps_group: false,
        limited: None,
        list: &["tag.list"],
        create: &["tag.create"],
        // It is made again.
        update: &[],
        delete: &["tag.delete"],
        fields: &["name", "digest", "deprecated"],
        filters: &[NAME],
    },
    Declared {
        noun: Overlay,
        one: "Overlay",
        many: "Overlays",
        lives_in: Group,
        keeps_group: true,
        limited: Some("overlays"),
        list: &["registry.overlays.list"],
        create: &["registry.overlays.edit"],
        update: &[],
        delete: &["registry.overlays.edit"],
        fields: &["name", "config.contents.packages"],
        filters: &[NAME],
    },
    Declared {
        noun: OverlayBinding,
        one: "OverlayBinding",
        many: "OverlayBindings",
        lives_in: Repo,
        keeps_group: false,
        limited: None,
        list: &["registry.overlays.list"],
        create: &["registry.overlays.edit"],
        update: &[],
        delete: &["registry.overlays.edit"],
        fields: &["overlay", "tags"],
        filters: &[("overlay", "overlay")],
    },
];
