//! What is added to images of a repository, between the wire and the domain. Only what is required is judged here.

use contract::{
    Message,
    chainguard::platform::registry::v2beta1::{
        CustomOverlay as Wire,
        custom_overlay::{
            Accounts as WireAccounts, Certificates as WireCertificates, ImageContents as WireContents,
            accounts::{Group as WireGroup, User as WireUser},
            certificates::AdditionalEntry as WireCertificate,
            image_contents::RuntimeKeyringEntry as WireKey,
        },
    },
};
use domain::{
    Violations,
    registry::{Account, AccountGroup, Accounts, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry},
};

use crate::field;

/// An overlay for an answer.
pub(super) fn to_wire(overlay: &CustomOverlay) -> Wire {
    Wire {
        contents: overlay.contents.as_ref().map(contents_to_wire),
        environment: overlay.environment.clone().into_iter().collect(),
        annotations: overlay.annotations.clone().into_iter().collect(),
        accounts: overlay.accounts.as_ref().map(accounts_to_wire),
        certificates: overlay.certificates.as_ref().map(certificates_to_wire),
    }
}

/// What a request says; a violation for every required field that is absent.
pub(super) fn from_wire(overlay: Wire, violations: &mut Violations) -> CustomOverlay {
    field::required_in("custom_overlay.", &overlay, violations);
    CustomOverlay {
        contents: overlay.contents.map(|contents| contents_from_wire(contents, violations)),
        environment: overlay.environment.into_iter().collect(),
        annotations: overlay.annotations.into_iter().collect(),
        accounts: overlay.accounts.map(|accounts| accounts_from_wire(accounts, violations)),
        certificates: overlay.certificates.map(|certificates| certificates_from_wire(certificates, violations)),
    }
}

/// Reads the entries of a list, each judged at its own place.
fn entries<W: Message, T>(place: &str, entries: Vec<W>, violations: &mut Violations, read: impl Fn(W) -> T) -> Vec<T> {
    let judged = entries.into_iter().enumerate().map(|(i, entry)| {
        field::required_in(&format!("{place}[{i}]."), &entry, violations);
        read(entry)
    });
    judged.collect()
}

fn contents_to_wire(contents: &ImageContents) -> WireContents {
    let key = |key: &KeyringEntry| WireKey { name: key.name.clone(), content: key.content.clone() };
    WireContents {
        packages: contents.packages.clone(),
        runtime_repositories: contents.runtime_repositories.clone(),
        runtime_keyring: contents.runtime_keyring.iter().map(key).collect(),
    }
}

fn contents_from_wire(contents: WireContents, violations: &mut Violations) -> ImageContents {
    let place = "custom_overlay.contents.";
    field::required_in(place, &contents, violations);
    let key = |WireKey { name, content }| KeyringEntry { name, content };
    ImageContents {
        packages: contents.packages,
        runtime_repositories: contents.runtime_repositories,
        runtime_keyring: entries(&format!("{place}runtime_keyring"), contents.runtime_keyring, violations, key),
    }
}

fn accounts_to_wire(accounts: &Accounts) -> WireAccounts {
    let user = |user: &Account| WireUser {
        username: user.username.clone(),
        uid: user.uid,
        gid: user.gid,
        group_name: user.group_name.clone(),
        shell: user.shell.clone(),
        home_dir: user.home_dir.clone(),
    };
    let group =
        |group: &AccountGroup| WireGroup { groupname: group.groupname.clone(), gid: group.gid, members: group.members.clone() };
    WireAccounts {
        run_as: accounts.run_as.clone(),
        users: accounts.users.iter().map(user).collect(),
        groups: accounts.groups.iter().map(group).collect(),
    }
}

fn accounts_from_wire(accounts: WireAccounts, violations: &mut Violations) -> Accounts {
    let place = "custom_overlay.accounts.";
    field::required_in(place, &accounts, violations);
    let user = |user: WireUser| Account {
        username: user.username,
        uid: user.uid,
        gid: user.gid,
        group_name: user.group_name,
        shell: user.shell,
        home_dir: user.home_dir,
    };
    let group = |WireGroup { groupname, gid, members }| AccountGroup { groupname, gid, members };
    Accounts {
        run_as: accounts.run_as,
        users: entries(&format!("{place}users"), accounts.users, violations, user),
        groups: entries(&format!("{place}groups"), accounts.groups, violations, group),
    }
}

fn certificates_to_wire(certificates: &Certificates) -> WireCertificates {
    let entry = |entry: &CertificateEntry| WireCertificate { name: entry.name.clone(), content: entry.content.clone() };
    WireCertificates {
        additional: certificates.additional.iter().map(entry).collect(),
        providers: certificates.providers.clone(),
    }
}

fn certificates_from_wire(certificates: WireCertificates, violations: &mut Violations) -> Certificates {
    let place = "custom_overlay.certificates.";
    field::required_in(place, &certificates, violations);
    let entry = |WireCertificate { name, content }| CertificateEntry { name, content };
    Certificates {
        additional: entries(&format!("{place}additional"), certificates.additional, violations, entry),
        providers: certificates.providers,
    }
}
