//! What holds for a repository's custom overlay.

use domain::{
    Violations,
    registry::{Accounts, Certificates, CustomOverlay, ImageContents},
};

use crate::texts::{LONG, SHORT, block, each, map, optional, required};

/// Most packages.
const PACKAGES: usize = 500;
/// Most environment variables and most annotations.
const PAIRS: usize = 100;
/// Longest accepted value of a variable or annotation in bytes.
const VALUE: usize = 4 * 1024;
/// Most entries of the other lists.
const ENTRIES: usize = 100;
/// Largest key or certificate in bytes.
const PEM: usize = 32 * 1024;

/// Judges an overlay.
pub(super) fn check(overlay: &CustomOverlay, violations: &mut Violations) {
    map("custom_overlay.environment", &overlay.environment, PAIRS, VALUE, violations, |key| {
        if key.starts_with("CHAINGUARD_") {
            Some("environment must not set variables that begin with CHAINGUARD_".to_owned())
        } else if key.contains('=') {
            Some("environment must not have names with an equals sign".to_owned())
        } else {
            None
        }
    });
    map("custom_overlay.annotations", &overlay.annotations, PAIRS, VALUE, violations, |key| {
        let reserved = ["dev.chainguard.", "org.opencontainers."].into_iter().find(|prefix| key.starts_with(prefix))?;
        Some(format!("annotations must not set keys that begin with {reserved}"))
    });
    if let Some(contents) = &overlay.contents {
        check_contents(contents, violations);
    }
    if let Some(accounts) = &overlay.accounts {
        check_accounts(accounts, violations);
    }
    if let Some(certificates) = &overlay.certificates {
        check_certificates(certificates, violations);
    }
}

fn check_contents(contents: &ImageContents, violations: &mut Violations) {
    let at = |field: &str| format!("custom_overlay.contents.{field}");
    check_packages(&at("packages"), &contents.packages, violations);
    each(&at("runtime_repositories"), &contents.runtime_repositories, ENTRIES, violations, |field, url, violations| {
        required(field, url, LONG, violations);
    });
    each(&at("runtime_keyring"), &contents.runtime_keyring, ENTRIES, violations, |field, key, violations| {
        check_file_name(&format!("{field}.name"), &key.name, violations);
        block(&format!("{field}.content"), &key.content, PEM, violations);
    });
}

/// Judges the names of packages.
pub(crate) fn check_packages(field: &str, packages: &[String], violations: &mut Violations) {
    each(field, packages, PACKAGES, violations, |field, package, violations| required(field, package, SHORT, violations));
}

fn check_accounts(accounts: &Accounts, violations: &mut Violations) {
    let at = |field: &str| format!("custom_overlay.accounts.{field}");
    optional(&at("run_as"), &accounts.run_as, SHORT, violations);
    each(&at("users"), &accounts.users, ENTRIES, violations, |field, user, violations| {
        required(&format!("{field}.username"), &user.username, SHORT, violations);
        for (name, text) in [("group_name", &user.group_name), ("shell", &user.shell), ("home_dir", &user.home_dir)] {
            optional(&format!("{field}.{name}"), text, SHORT, violations);
        }
        check_id(&format!("{field}.uid"), user.uid, violations);
        check_id(&format!("{field}.gid"), user.gid, violations);
    });
    each(&at("groups"), &accounts.groups, ENTRIES, violations, |field, group, violations| {
        required(&format!("{field}.groupname"), &group.groupname, SHORT, violations);
        check_id(&format!("{field}.gid"), group.gid, violations);
        each(&format!("{field}.members"), &group.members, ENTRIES, violations, |field, member, violations| {
            required(field, member, SHORT, violations);
        });
    });
}

fn check_certificates(certificates: &Certificates, violations: &mut Violations) {
    let at = |field: &str| format!("custom_overlay.certificates.{field}");
    each(&at("additional"), &certificates.additional, ENTRIES, violations, |field, entry, violations| {
        check_file_name(&format!("{field}.name"), &entry.name, violations);
        block(&format!("{field}.content"), &entry.content, PEM, violations);
    });
    each(&at("providers"), &certificates.providers, ENTRIES, violations, |field, provider, violations| {
        required(field, provider, SHORT, violations);
    });
}

/// A name that stays inside its folder whatever is done with it.
fn check_file_name(field: &str, name: &str, violations: &mut Violations) {
    required(field, name, SHORT, violations);
    if name.starts_with('.') || name.contains(['/', '\\', ':']) {
        violations.add(field, "name must be a file name: no slash, backslash or colon, and no dot in front");
    }
}

fn check_id(field: &str, id: i32, violations: &mut Violations) {
    if id < 0 {
        violations.add(field, format!("{} must not be negative", crate::texts::label(field)));
    }
}
