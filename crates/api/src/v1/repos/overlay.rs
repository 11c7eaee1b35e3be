//! What is added to images of a repository, between the wire and the domain. The use case judges it.

use contract::chainguard::platform::registry::{
    CustomOverlay as Wire, ImageContents as WireContents,
    apko_config::{
        Accounts as WireAccounts,
        accounts::{Group as WireGroup, User as WireUser},
    },
    custom_overlay::{Certificates as WireCertificates, certificates::AdditionalEntry as WireCertificate},
    image_contents::RuntimeKeyringEntry as WireKey,
};
use domain::{
    Violations,
    registry::{Account, AccountGroup, Accounts, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry},
};

/// An overlay for an answer.
pub(super) fn to_wire(overlay: &CustomOverlay) -> Wire {
    let key = |key: &KeyringEntry| WireKey { name: key.name.clone(), content: key.content.clone() };
    let certificate = |entry: &CertificateEntry| WireCertificate { name: entry.name.clone(), content: entry.content.clone() };
    Wire {
        contents: overlay.contents.as_ref().map(|contents| WireContents {
            packages: contents.packages.clone(),
            runtime_repositories: contents.runtime_repositories.clone(),
            runtime_keyring: contents.runtime_keyring.iter().map(key).collect(),
        }),
        environment: overlay.environment.clone().into_iter().collect(),
        annotations: overlay.annotations.clone().into_iter().collect(),
        accounts: overlay.accounts.as_ref().map(accounts_to_wire),
        certificates: overlay.certificates.as_ref().map(|certificates| WireCertificates {
            additional: certificates.additional.iter().map(certificate).collect(),
            providers: certificates.providers.clone(),
        }),
    }
}

/// What a request says; a violation for every number that is out of range.
pub(super) fn from_wire(overlay: Wire, violations: &mut Violations) -> CustomOverlay {
    let key = |WireKey { name, content }| KeyringEntry { name, content };
    let certificate = |WireCertificate { name, content }| CertificateEntry { name, content };
    CustomOverlay {
        contents: overlay.contents.map(|contents| ImageContents {
            packages: contents.packages,
            runtime_repositories: contents.runtime_repositories,
            runtime_keyring: contents.runtime_keyring.into_iter().map(key).collect(),
        }),
        environment: overlay.environment.into_iter().collect(),
        annotations: overlay.annotations.into_iter().collect(),
        accounts: overlay.accounts.map(|accounts| accounts_from_wire(accounts, violations)),
        certificates: overlay.certificates.map(|certificates| Certificates {
            additional: certificates.additional.into_iter().map(certificate).collect(),
            providers: certificates.providers,
        }),
    }
}

/// A user's group that is not given, and group 0, are one.
fn accounts_to_wire(accounts: &Accounts) -> WireAccounts {
    let user = |user: &Account| WireUser {
        uid: user.uid.unsigned_abs(),
        user_name: user.username.clone(),
        gid: Some(user.gid.unsigned_abs()).filter(|gid| *gid != 0),
        group_name: user.group_name.clone(),
        shell: user.shell.clone(),
        home_dir: user.home_dir.clone(),
    };
    let group = |group: &AccountGroup| WireGroup {
        gid: group.gid.unsigned_abs(),
        group_name: group.groupname.clone(),
        members: group.members.clone(),
    };
    WireAccounts {
        run_as: accounts.run_as.clone(),
        users: accounts.users.iter().map(user).collect(),
        groups: accounts.groups.iter().map(group).collect(),
    }
}

fn accounts_from_wire(accounts: WireAccounts, violations: &mut Violations) -> Accounts {
    let place = "custom_overlay.accounts";
    let mut number = |field: String, number: u32| {
        i32::try_from(number).unwrap_or_else(|_| {
            let name = crate::field::last(&field);
            violations.add(field.as_str(), format!("{name} must be at most {}", i32::MAX));
            0
        })
    };
    let user = |(i, user): (usize, WireUser)| Account {
        uid: number(format!("{place}.users[{i}].uid"), user.uid),
        gid: number(format!("{place}.users[{i}].gid"), user.gid.unwrap_or_default()),
        username: user.user_name,
        group_name: user.group_name,
        shell: user.shell,
        home_dir: user.home_dir,
    };
    let users = accounts.users.into_iter().enumerate().map(user).collect();
    let group = |(i, group): (usize, WireGroup)| AccountGroup {
        gid: number(format!("{place}.groups[{i}].gid"), group.gid),
        groupname: group.group_name,
        members: group.members,
    };
    let groups = accounts.groups.into_iter().enumerate().map(group).collect();
    Accounts { run_as: accounts.run_as, users, groups }
}
