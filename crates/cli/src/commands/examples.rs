//! Examples: in the help, the manual pages and the reference.

use clap::Command;

/// The examples of one command.
type Examples = (&'static str, &'static [(&'static str, &'static str)]);

/// By command: what for, and the line. Every line is parsed in a test.
const EXAMPLES: &[Examples] = &[
    ("serve", &[("Try it out, on this machine alone", "provost serve --dev")]),
    (
        "auth login",
        &[
            ("With the token that a CI job was given", "provost auth login --identity UID --identity-token token.jwt"),
            ("In dev mode, as the owner", "provost dev id-token --subject admin | provost auth login --identity-token -"),
        ],
    ),
    (
        "auth exchange",
        &[(
            "In a CI job, without keeping anything",
            "export PROVOST_TOKEN=$(provost auth exchange --identity UID --identity-token token.jwt)",
        )],
    ),
    (
        "context add",
        &[(
            "Work in one organization of a server",
            "provost context add prod --api https://provost.example.com --organization acme",
        )],
    ),
    (
        "auth token",
        &[("Call the API by hand", "curl -H \"Authorization: Bearer $(provost auth token)\" $PROVOST_API/iam/v2beta1/groups")],
    ),
    ("auth register", &[("Join an organization", "provost auth register --identity-token token.jwt --invite-code CODE")]),
    (
        "auth pull-token create",
        &[("For a machine, for a month", "provost auth pull-token create --parent acme --name builder -o json | jq -r .token")],
    ),
    ("advisories list", &[("What is known of a vulnerability", "provost advisories list --alias CVE-2024-3094")]),
    (
        "advisories create",
        &[(
            "A package",
            "provost advisories create --parent acme --artifact-name openssl --artifact-type apk --aliases CVE-2024-4741",
        )],
    ),
    (
        "advisories import",
        &[("A database of vulnerabilities", "provost advisories import osv.tar.gz --parent acme -o json | jq .rejections")],
    ),
    ("advisories export", &[("For scanners", "provost advisories export --parent acme --format openvex --out vex/")]),
    (
        "advisories events create",
        &[(
            "A version without it is out",
            "provost advisories events create CGA-2345-6789-cfgh --type fixed --fixed-version 3.3.1-r0",
        )],
    ),
    ("auth status", &[("Who am I, for a script", "provost auth status -o id")]),
    ("iam organizations list", &[("With all their folders", "provost iam organizations list -o tree")]),
    (
        "iam folders list",
        &[
            ("Everything below an organization", "provost iam folders list acme -o tree"),
            ("The ten youngest", "provost iam folders list --order-by created_at:desc --limit 10"),
        ],
    ),
    ("iam folders create", &[("A folder in a folder", "provost iam folders create ci --parent acme/team-a")]),
    (
        "iam folders update",
        &[(
            "Only if its entity tag is still the one that `describe -o json` showed",
            "provost iam folders update team-a -d Anvils --if-match 5f",
        )],
    ),
    (
        "iam folders delete",
        &[
            ("Without being asked", "provost iam folders delete acme/team-a/ci -y"),
            ("Whether that would work", "provost iam folders delete acme/team-a/ci --dry-run"),
        ],
    ),
    (
        "iam identities list",
        &[
            ("With every column", "provost iam identities list -o wide"),
            ("For a spreadsheet", "provost iam identities list --parent acme -o csv > identities.csv"),
        ],
    ),
    (
        "iam identities create",
        &[(
            "The builds of one repository",
            "provost iam identities create ci --parent acme/team-a --identity-issuer https://issuer.example --subject-pattern 'repo:acme/api:.*' --role registry.push",
        )],
    ),
    (
        "iam identity-providers create",
        &[(
            "With PKCE, everybody a viewer",
            "provost iam identity-providers create login --parent acme --default-role viewer --oidc-issuer https://login.example --oidc-client-id provost --oidc-pkce-enabled --oidc-groups-claim groups",
        )],
    ),
    (
        "iam identity-providers group-mappings create",
        &[(
            "Developers may push",
            "provost iam identity-providers group-mappings create --identity-provider login --external-group-id developers --role registry.push",
        )],
    ),
    (
        "iam identity-providers group-mappings delete",
        &[("All of them", "provost iam identity-providers group-mappings delete --all --identity-provider login -y")],
    ),
    (
        "iam identity-providers scim token generate",
        &[("For a script", "provost iam identity-providers scim token generate login -o json | jq -r .token")],
    ),
    (
        "iam roles create",
        &[("May look, not touch", "provost iam roles create looker --parent acme --capabilities groups.list,repo.list")],
    ),
    ("iam roles update", &[("One capability more", "provost iam roles update looker --add-capabilities tag.list")]),
    ("iam roles capabilities list", &[("What can be done to repos", "provost iam roles capabilities list --resources repo,tag")]),
    (
        "iam role-bindings create",
        &[(
            "Let it push below one folder",
            "provost iam role-bindings create --identity ci --role registry.push --parent acme/team-a",
        )],
    ),
    ("iam role-bindings list", &[("Who may do what, where", "provost iam role-bindings list --parent acme -o tree")]),
    (
        "iam invites create",
        &[("Once, for one person", "provost iam invites create acme --role viewer --email ana@example.com --single-use")],
    ),
    ("iam access-requests grant", &[("Let somebody in who asks", "provost iam access-requests grant UID --role viewer")]),
    ("iam users remove", &[("Somebody who leaves", "provost iam users remove ana@example.com --parent acme")]),
    (
        "iam account-associations check",
        &[("Whether AWS lets this server in, and if not, why", "provost iam account-associations check aws acme -o json")],
    ),
    (
        "iam account-associations set aws",
        &[("The account of a team", "provost iam account-associations set aws acme/team-a --account 123456789012")],
    ),
    ("iam terms accept", &[("For everybody in it", "provost iam terms accept acme --documents skills-tos.v1 -y")]),
    ("images repos list", &[("Only the names", "provost images repos list -o json | jq -r '.items[].name'")]),
    ("images repos delete", &[("Whether it is there or not", "provost images repos delete acme/api --allow-missing -y")]),
    (
        "images tags list",
        &[("Every one, the youngest first", "provost images tags list acme/api --all --order-by created_at:desc")],
    ),
    (
        "images overlays create",
        &[("Tools for debugging", "provost images overlays create debug --parent acme --packages curl,strace")],
    ),
    (
        "images overlays bindings create",
        &[("In one tag", "provost images overlays bindings create --overlay debug --repo acme/api --tags 1.2-debug")],
    ),
    (
        "iam organizations limits set",
        &[("As many folders and repos", "provost iam organizations limits set acme groups=50 repos=200")],
    ),
    ("images visibility set", &[("For everybody", "provost images visibility set public --repo acme/api -y")]),
    ("events subscriptions status", &[("Whether events arrive", "provost events subscriptions status SUBSCRIPTION_UID")]),
    ("events dead-letters list", &[("What the sink did not take", "provost events dead-letters list SUBSCRIPTION_UID")]),
    ("events dead-letters replay", &[("All of them", "provost events dead-letters replay SUBSCRIPTION_UID")]),
    (
        "events subscriptions create",
        &[(
            "Whatever happens in an organization",
            "provost events subscriptions create https://hooks.example.com/provost --parent acme",
        )],
    ),
    ("admin token", &[("Act as the operator for five minutes", "export PROVOST_TOKEN=$(provost admin token --ttl 5m)")]),
    ("dev id-token", &[("A workload with a claim", "provost dev id-token --subject build:team-a --claim env=test")]),
    ("bench", &[("What misses its budget", "provost bench --quick --json | jq '.[] | select(.verdict == \"short\")'")]),
    (
        "completions",
        &[
            ("In this bash", "source <(provost completions bash)"),
            ("For every zsh to come", "provost completions zsh > ~/.zfunc/_provost"),
        ],
    ),
    (
        "man",
        &[("Read one", "provost man iam folders list | man -l -"), ("Install all", "provost man --out ~/.local/share/man/man1")],
    ),
];

/// The examples of the command at `path`, such as `iam folders list`.
pub(crate) fn of(path: &str) -> &'static [(&'static str, &'static str)] {
    EXAMPLES.iter().find(|(command, _)| *command == path).map_or(&[], |(_, examples)| *examples)
}

/// Adds the examples to the help of every command of `tree`.
pub(crate) fn add(tree: Command) -> Command {
    at(tree, &[])
}

fn at(command: Command, path: &[&str]) -> Command {
    let lines: Vec<_> = of(&path.join(" ")).iter().map(|(what, line)| format!("  # {what}\n  {line}")).collect();
    let command = if lines.is_empty() { command } else { command.after_help(format!("Examples:\n{}", lines.join("\n"))) };
    // Every one is touched, because those that are move to the end.
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.iter().fold(command, |command, name| command.mut_subcommand(name, |sub| at(sub, &[path, &[name]].concat())))
}

#[cfg(test)]
mod tests {
    use crate::line;

    use super::*;

    /// The words of the calls of this program in a line of shell.
    fn calls(line: &str) -> Vec<Vec<String>> {
        let inner = line.replace("$(", "| ").replace("<(", "| ").replace(')', "|").replace(['"', '\''], "");
        let parts = inner.split('|').map(|part| part.split('>').next().unwrap_or_default().trim().to_owned());
        let words = parts.map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        words.filter(|words| words.first().is_some_and(|word| word == "provost")).collect()
    }

    #[test]
    fn every_example_is_a_command_that_there_is() {
        for (path, examples) in EXAMPLES {
            for (what, line) in *examples {
                let calls = calls(line);
                assert!(!calls.is_empty(), "{line}");
                for call in calls {
                    line::command().try_get_matches_from(&call).unwrap_or_else(|error| panic!("{what}: {line}\n{error}"));
                }
                assert!(line.contains(&format!("provost {path}")), "{path}: {line}");
            }
        }
    }
}
