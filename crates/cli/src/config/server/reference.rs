//! docs/operate/configuration.md, written from the table.

use std::fmt::Write as _;

use super::{Default, Key, Kind, file, table, variables};

/// The reference of all settings of the server, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = introduction();
    for section in table::SECTIONS {
        let heading = match section.name {
            "" => "At the top".to_owned(),
            name => format!("{}: `[{name}]`", section.heading),
        };
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## {heading}\n");
        for key in section.keys {
            text.push_str(&entry(key));
        }
    }
    text.push_str(EXAMPLE);
    text
}

fn introduction() -> String {
    INTRODUCTION.replace("VARIABLE", variables::CONFIG).replace("FILE_BY_DEFAULT", file::DEFAULT)
}

const INTRODUCTION: &str = "\
# Configuration

Written by `cargo xtask gen` from the table in `crates/cli/src/config/server`; do not edit.

Every setting of the server has one name in three forms: a key in `provost.toml`, a variable, and a flag of `provost serve`. A flag
outranks a variable, a variable the file, and the file the default. The commands that work on the data themselves
(`provost admin …`) read the same file and variables.

The file is the one that `--config FILE` or `VARIABLE` names, else `FILE_BY_DEFAULT` if it exists. It is
[TOML](https://toml.io). A key or section that does not exist, a key that is there twice, a value of the wrong type and an empty
value are errors that name the line; all of them are told at once. A variable that looks like a misspelt one is an error as well.

Lists have commas between their parts in variables and flags. Times are whole numbers with `ms`, `s`, `m`, `h` or `d`, sizes with
`B`, `KiB`, `MiB` or `GiB`. Paths are relative to the working folder of the process.

```sh
provost config init         # a file with every key commented out, to begin with
provost config view         # what holds, and where it comes from
provost config view --diff  # what differs from the defaults
provost config check        # tries everything that a server would use; exit code 1 when something fails
```

View and check take the flags of `provost serve`. Run the check as the server's user: it writes and removes a file in the data folder,
and changes nothing else.
";

fn entry(key: &Key) -> String {
    let name = key.path.rsplit('.').next().unwrap_or(key.path);
    let default = match key.default {
        Default::Is("") => "none".to_owned(),
        Default::Is(text) => format!("`{text}`"),
        Default::InDev(other, in_dev) => format!("`{other}`, in dev mode `{in_dev}`"),
        Default::None(what) => what.to_owned(),
    };
    let other = key.other_variable.map(|name| format!(", or else `{name}`")).unwrap_or_default();
    let secret = if key.secret { " It is never shown." } else { "" };
    let credential = key.credential.map(|name| {
        format!(" Of the credentials of a systemd service, `{name}` is this file (`LoadCredential={name}:PATH`); everything else outranks it.")
    });
    let more = if key.more.is_empty() { String::new() } else { format!(" {}", key.more) };
    format!(
        "\n### `{name}`\n\n\
         {}; default: {default}.\n\n\
         {}.{more}{secret}{}\n\n\
         `{}`{other} · `--{}`\n",
        looks(key),
        key.summary,
        credential.unwrap_or_default(),
        key.variable,
        key.flag,
    )
}

fn looks(key: &Key) -> String {
    let what = match (key.kind, key.value) {
        (Kind::Switch, _) => "`true` or `false`",
        (Kind::Count, _) => "Whole number",
        (Kind::Text, "TIME") => "Time",
        (Kind::Text, "SIZE") => "Size",
        (Kind::Text, "ADDRESS:PORT") => "Address and port",
        (Kind::Text, "URL") => "URL",
        (Kind::Text, "FILE") => "Path of a file",
        (Kind::Text, "FOLDER") => "Path of a folder",
        (Kind::Text, _) => "Text",
        (Kind::List | Kind::Providers | Kind::Terms, _) => "List",
    };
    what.to_owned()
}

const EXAMPLE: &str = r#"
## Example

```toml
listen = "0.0.0.0:8080"
data = "/var/lib/provost"
base-url = "https://provost.example"
trusted-proxies = ["10.0.0.0/8"]

[[identity-providers]]
issuer = "https://login.example"
audiences = ["provost"]

[[terms]]
id = "tos.v1"
label = "Terms of service"
url = "https://provost.example/tos"
methods = ["chainguard.platform.registry.v2beta1.ReposService/CreateRepo"]

[limits]
body-size = "8MiB"

[log]
format = "json"
```
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_valid() {
        let (_, rest) = EXAMPLE.split_once("```toml\n").expect("an example");
        let (toml, _) = rest.split_once("```").expect("its end");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("provost.toml");
        std::fs::write(&path, toml).expect("written");
        let mut problems = super::super::Problems::default();
        let entries = file::read(Some(&path), &mut problems).expect("readable");
        assert_eq!((entries.len(), problems.0), (8, Vec::new()));
    }
}
