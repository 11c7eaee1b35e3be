//! The roles that come with every installation.

use domain::{CapabilitySet, Uidp, iam::role::built_in_uid};

/// A role that comes with the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltInRole {
    /// Its name; its identifier follows from it.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    includes: &'static [&'static str],
    adds: &'static [&'static str],
}

impl BuiltInRole {
    /// The identifier, the same in every installation.
    #[must_use]
    pub fn uid(&self) -> Uidp {
        built_in_uid(self.name)
    }

    /// Everything its holders may do: what it adds and what the roles that it includes have.
    #[must_use]
    pub fn capabilities(&self) -> CapabilitySet {
        let own = CapabilitySet::from_names(self.adds.iter().copied());
        let included = self.includes.iter().filter_map(|name| find(name));
        included.fold(own, |all, role| all.union(&role.capabilities()))
    }
}

/// The built-in role of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static BuiltInRole> {
    ROLES.iter().find(|role| role.name == name)
}

/// Every built-in role, the widest first.
pub const ROLES: &[BuiltInRole] = &[
    BuiltInRole {
        name: "owner",
        description: "Owner Role (built-in)",
        includes: &["editor", "registry.push", "apk.push", "advisories.admin"],
        adds: &[
            "groups.update",
            "groups.delete",
            "group_invites.create",
            "group_invites.delete",
            "roles.create",
            "roles.update",
            "roles.delete",
            "role_bindings.create",
            "role_bindings.update",
            "role_bindings.delete",
            "account_associations.create",
            "account_associations.update",
            "account_associations.delete",
            "identity.create",
            "identity.update",
            "identity.delete",
            "identity_providers.create",
            "identity_providers.update",
            "identity_providers.delete",
            "identity_providers.scim.manage",
            "vuln_report.create",
            "vuln.create",
            "registry.deployments.create",
            "registry.deployments.update",
            "registry.entitlements.images.add",
            "registry.entitlements.images.remove",
            "registry.entitlements.images.swap",
            "libraries.entitlements.create",
            "libraries.entitlements.delete",
            "libraries.python.list",
            "libraries.python.create",
            "libraries.java.list",
            "libraries.java.create",
            "libraries.javascript.list",
            "libraries.javascript.create",
            "libraries.dotnet.list",
            "libraries.dotnet.create",
            "libraries.go.list",
            "libraries.go.create",
            "libraries.cache.invalidate",
            "libraries.aws_marketplace.subscriptions.create",
            "libraries.aws_marketplace.subscriptions.update",
            "libraries.request_groups.submit",
            "libraries.remote_registries.create",
            "libraries.remote_registries.delete",
            "policies.policy.create",
            "policies.policy.update",
            "policies.policy.delete",
            "policies.binding.create",
            "policies.binding.update",
            "policies.binding.delete",
            "policies.override.create",
            "policies.override.delete",
            "repo.check_policies",
            "terms.accept",
            "guardener.association.manage",
            "mcp.tool.call",
            "skills.publish",
            "skills.entitlements.create",
            "skills.entitlements.delete",
            "skills.harden.read",
            "skills.harden.write",
            "skills.harden.cancel",
            "libraries.policy.create",
            "libraries.policy.update",
            "libraries.policy.delete",
            "libraries.policy.binding.create",
            "libraries.policy.binding.update",
            "libraries.policy.binding.delete",
        ],
    },
    BuiltInRole {
        name: "editor",
        description: "Editor Role (built-in)",
        includes: &["viewer", "registry.editor"],
        adds: &[
            "subscriptions.create",
            "subscriptions.update",
            "subscriptions.delete",
            "libraries.request_groups.create",
            "libraries.request_groups.update",
            "libraries.request_groups.delete",
            "libraries.request_groups.items.update",
        ],
    },
    BuiltInRole {
        name: "viewer",
        description: "Viewer Role (built-in)",
        includes: &["console_viewer", "registry.pull", "apk.pull"],
        adds: &["terms.list", "guardener.dfc.convert", "guardener.association.list", "guardener.actions.migrate"],
    },
    BuiltInRole {
        name: "console_viewer",
        description: "Console Viewer Role (built-in)",
        includes: &[],
        adds: &[
            "groups.list",
            "group_invites.list",
            "roles.list",
            "role_bindings.list",
            "record_signatures.list",
            "sboms.list",
            "vuln_reports.list",
            "account_associations.list",
            "identity.list",
            "identity_providers.list",
            "subscriptions.list",
            "repo.list",
            "manifest.list",
            "tag.list",
            "manifest.metadata.list",
            "referrers.list",
            "apk.list",
            "version.list",
            "vuln_report.list",
            "build_report.list",
            "registry.entitlements.list",
            "registry.settings.list",
            "registry.overlays.list",
            "libraries.entitlements.list",
            "libraries.artifacts.list",
            "libraries.cache.list",
            "libraries.aws_marketplace.subscriptions.list",
            "libraries.request_groups.list",
            "libraries.remote_registries.list",
            "advisories.list",
            "registry.deployments.list",
            "policies.policy.list",
            "policies.binding.list",
            "policies.decision.list",
            "policies.override.list",
            "packages.entitlements.list",
            "guardener.entitlement.list",
            "guardener.scan.list",
            "guardener.scan.get",
            "skills.entitlements.list",
            "skills.list",
            "libraries.policy.list",
            "libraries.policy.binding.list",
            "libraries.policy.block_event.list",
            "actions.list",
        ],
    },
    BuiltInRole {
        name: "registry.pull",
        description: "Registry Pull Role (built-in)",
        includes: &[],
        adds: &[
            "groups.list",
            "record_signatures.list",
            "sboms.list",
            "vuln_reports.list",
            "repo.blobs.get",
            "repo.list",
            "manifest.list",
            "tag.list",
            "manifest.metadata.list",
            "referrers.list",
        ],
    },
    BuiltInRole {
        name: "registry.push",
        description: "Registry Push Role (built-in)",
        includes: &["registry.pull"],
        adds: &[
            "groups.create",
            "repo.create",
            "repo.update",
            "repo.delete",
            "manifest.create",
            "manifest.update",
            "manifest.delete",
            "tag.create",
            "tag.update",
            "tag.delete",
        ],
    },
    BuiltInRole {
        name: "registry.editor",
        description: "Registry Editor Role (built-in)",
        includes: &["registry.pull"],
        adds: &["repo.create", "repo.update", "repo.delete", "registry.overlays.list", "registry.overlays.edit"],
    },
    BuiltInRole {
        name: "registry.pull_token_creator",
        description: "Registry Pull Token Creator Role (built-in)",
        includes: &["registry.pull", "apk.pull"],
        adds: &["roles.list", "role_bindings.create", "identity.create"],
    },
    BuiltInRole {
        name: "apk.pull",
        description: "APK Pull Role (built-in)",
        includes: &[],
        adds: &["groups.list", "apk.list", "apk.blobs.get"],
    },
    BuiltInRole {
        name: "apk.push",
        description: "APK Push Role (built-in)",
        includes: &["apk.pull"],
        adds: &["apk.create", "apk.delete"],
    },
    BuiltInRole {
        name: "advisories.viewer",
        description: "Advisories Viewer Role (built-in)",
        includes: &[],
        adds: &["advisories.list"],
    },
    BuiltInRole {
        name: "advisories.creator",
        description: "Advisories Creator Role (built-in)",
        includes: &["advisories.viewer"],
        adds: &["advisories.create", "advisories.update"],
    },
    BuiltInRole {
        name: "advisories.approver",
        description: "Advisories Approver Role (built-in)",
        includes: &["advisories.creator"],
        adds: &["advisories.approve"],
    },
    BuiltInRole {
        name: "advisories.admin",
        description: "Advisories Admin Role (built-in)",
        includes: &["advisories.approver"],
        adds: &["advisories.delete"],
    },
];

#[cfg(test)]
mod tests {
    use domain::Capability;

    use super::*;

    #[test]
    fn every_name_in_the_table_exists() {
        for role in ROLES {
            assert!(role.adds.iter().all(|name| Capability::from_name(name).is_some()), "{}", role.name);
            assert!(role.includes.iter().all(|name| find(name).is_some()), "{}", role.name);
        }
    }

    /// The whole table as a reviewer reads it: a change of any role's rights shows here.
    #[test]
    fn the_roles_are_these() {
        let table: Vec<_> =
            ROLES.iter().map(|role| format!("{} {} {}", role.name, role.uid(), role.capabilities().names().join(" "))).collect();
        insta::assert_snapshot!(table.join("\n"));
    }
}
