//! The settings of the server: file, variables, flags, and what is wrong with them.

use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use crate::{
    engine,
    support::{PROVOST, Ran, Server, User, finish},
};

mod check;

/// A folder with a configuration file, and a user who works there.
struct Place {
    user: User,
}

impl Place {
    fn with(toml: &str) -> Self {
        let user = User::nowhere();
        let place = Self { user };
        place.write("provost.toml", toml, 0o644);
        place
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        let path = self.user.home.path().join(name);
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("modes");
    }

    fn run(&self, variables: &[(&str, &str)], line: &[&str]) -> Ran {
        let mut command = self.user.command(PROVOST);
        command.env("PROVOST_CONFIG", "provost.toml").envs(variables.iter().copied()).args(line);
        finish(&mut command, "")
    }

    /// What `config view` says about `key`: value, origin and default.
    fn view(&self, variables: &[(&str, &str)], flags: &[&str], key: &str) -> [String; 3] {
        let ran = self.run(variables, &[&["config", "view", "-o", "json"], flags].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let items = told.pointer("/items").and_then(serde_json::Value::as_array).expect("items");
        let text = |line: &serde_json::Value, name| line.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
        let line = items.iter().find(|line| text(line, "key").as_deref() == Some(key)).expect("the key");
        ["value", "from", "default"].map(|name| text(line, name).expect("a text"))
    }

    /// What a server that is started here says.
    fn refused(&self, variables: &[(&str, &str)]) -> String {
        let ran = self.run(variables, &["serve", "--dev", "--listen", "127.0.0.1:0"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        ran.stderr
    }
}

#[test]
fn a_flag_outranks_a_variable_and_a_variable_the_file() {
    let place = Place::with("base-url = \"https://file.example\"\n\n[limits]\nbody-size = \"1MiB\"\n");
    let variable = [("PROVOST_BASE_URL", "https://variable.example")];
    let flag = ["--base-url", "https://flag.example"];
    let none = "(none; required outside dev mode)";
    assert_eq!(place.view(&[], &[], "base-url"), ["https://file.example", "provost.toml:1", none]);
    assert_eq!(place.view(&variable, &[], "base-url"), ["https://variable.example", "PROVOST_BASE_URL", none]);
    assert_eq!(place.view(&variable, &flag, "base-url"), ["https://flag.example", "--base-url", none]);
    assert_eq!(place.view(&[], &[], "limits.body-size"), ["1MiB", "provost.toml:4", "4MiB"]);
    assert_eq!(place.view(&[], &[], "limits.drain"), ["25s", "default", "25s"]);
}

#[test]
fn dev_mode_has_defaults_of_its_own_and_a_switch_can_be_off() {
    let place = Place::with("dev = true\n");
    assert_eq!(place.view(&[], &[], "metrics-listen"), ["off", "default", "off"]);
    assert_eq!(place.view(&[], &["--dev=false"], "dev"), ["false", "--dev", "false"]);
    assert_eq!(place.view(&[], &["--dev=false"], "metrics-listen"), ["127.0.0.1:9464", "default", "127.0.0.1:9464"]);
}

#[test]
fn only_differences_are_shown_when_asked_for() {
    let place = Place::with("listen = [\"127.0.0.1:1\", \"[::1]:1\"]\n[log]\nformat = \"text\"\n");
    let ran = place.run(&[("PROVOST_LIMITS_DRAIN", "5s")], &["config", "view", "--diff"]);
    insta::assert_snapshot!(ran.stdout, @r"
    KEY          | VALUE                | FROM                 | DEFAULT
    -------------+----------------------+----------------------+---------------
    listen       | 127.0.0.1:1, [::1]:1 | provost.toml:1       | 127.0.0.1:8080
    limits.drain | 5s                   | PROVOST_LIMITS_DRAIN | 25s
    ");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let place = Place::with(concat!(
        "lisen = \"127.0.0.1:1\"\n",
        "base-url = \"\"\n",
        "dev = \"yes\"\n",
        "body-size = \"1MiB\"\n",
        "log = \"json\"\n",
        "[limit]\n",
        "[limits]\n",
        "connections = \"many\"\n",
        "streams-per-connection = 0\n",
        "drain = \"fast\"\n",
        "[[identity-providers]]\n",
        "issuers = \"https://a.example\"\n",
    ));
    insta::assert_snapshot!(place.refused(&[
        ("PROVOST_LISTENS", "x"),
        ("PROVOST_LIMITS_URL_SIZE", "1"),
        ("PROVOST_PORT", "tcp")
    ]));
}

#[test]
fn what_is_no_toml_is_refused_with_its_line() {
    let twice = Place::with("data = \"a\"\n\ndata = \"b\"\n").refused(&[]);
    assert!(twice.starts_with("error: provost.toml:3: ") && twice.contains("duplicate key"), "{twice}");
    let open = Place::with("\ndata = \"a\n").refused(&[]);
    assert!(open.starts_with("error: provost.toml:2: "), "{open}");
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let ran = User::nowhere().run(&["serve", "--config", "none.toml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot read the configuration file none.toml"), "{}", ran.stderr);
}

#[test]
fn the_server_and_the_operators_commands_read_the_same_file() {
    let data = TempDir::new().expect("a folder");
    let place = Place::with(&format!("data = {:?}\n", data.path()));
    drop(Server::start(data.path()));
    let variables = engine::variables(data.path());
    let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let ran = place.run(&variables, &["admin", "token", "--ttl", "1m"]);
    assert_eq!((ran.code, ran.stdout.trim().split('.').count()), (0, 3), "{}", ran.stderr);
}

#[test]
fn secrets_come_from_files_and_are_never_shown() {
    let url = "postgres://provost:hunter2@db.example/provost";
    let place = Place::with("[database]\nurl-file = \"secret\"\n");
    place.write("secret", &format!("{url}\n"), 0o600);
    assert_eq!(place.view(&[], &[], "database.url-file"), ["secret", "provost.toml:2", "(none)"]);
    let variable = [("PROVOST_DATABASE", url)];
    assert_eq!(place.view(&variable, &[], "database.url"), ["[secret]", "PROVOST_DATABASE", "(SQLite, in the data folder)"]);
    assert_eq!(place.view(&variable, &[], "database.url-file"), ["(none)", "default", "(none)"], "outranked");

    let both = place.refused(&[("PROVOST_DATABASE", url), ("PROVOST_DATABASE_URL_FILE", "secret")]);
    assert_eq!(both, "error: PROVOST_DATABASE_URL_FILE: and database.url cannot both be given\n");
    place.write("secret", "postgres://hunter2", 0o600);
    let wrong = place.refused(&[]);
    assert!(
        wrong.starts_with("error: provost.toml:2: database.url-file: the database URL ") && !wrong.contains("hunter2"),
        "{wrong}"
    );
    place.write("secret", url, 0o644);
    let shared = place.refused(&[]);
    assert_eq!(shared, "error: provost.toml:2: database.url-file: secret can be read by others; run `chmod o= secret`\n");
}

#[test]
fn a_file_with_a_secret_in_it_is_private() {
    let place = Place::with("");
    place.write("provost.toml", "[database]\nurl = \"postgres://u:hunter2@db.example/provost\"\n", 0o644);
    let shared = place.refused(&[]);
    assert!(
        shared.starts_with("error: provost.toml:2: database.url: is a secret, and provost.toml can be read by others"),
        "{shared}"
    );
    place.write("provost.toml", "[database]\nurl = \"postgres://u:hunter2@db.example/provost\"\n", 0o640);
    let [value, ..] = place.view(&[], &[], "database.url");
    assert_eq!(value, "[secret]");
}

#[test]
fn a_credential_of_the_service_is_the_file_unless_another_is_named() {
    let place = Place::with("");
    place.write("database-url", "postgres://u:hunter2@db.example/provost\n", 0o440);
    let folder = place.user.home.path().to_str().expect("a path").to_owned();
    let variables = [("CREDENTIALS_DIRECTORY", folder.as_str())];
    let origin = |flags: &[&str]| {
        let [_, origin, _] = place.view(&variables, flags, "database.url-file");
        origin
    };
    assert_eq!(origin(&[]), "credential database-url");
    let other = ["--database", "postgres://u@other.example/provost"];
    assert_eq!(origin(&other), "default");
}
