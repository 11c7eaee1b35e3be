//! Contexts: servers that the user has given names to, so that commands need not be told which one is meant. They lie in
//! `<config>/provost/contexts.json`, for their owner alone.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder},
    io::{self, ErrorKind},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    draft::Draft,
    env,
    exit::{Exit, Failure},
};

/// Everything in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contexts {
    /// The one that commands use; none where it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<String>,
    #[serde(default)]
    pub(crate) contexts: BTreeMap<String, Context>,
}

/// A server, and what is usually meant there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Context {
    /// The URL of its API.
    pub(crate) api: String,
    /// Its token issuer; the API's URL where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) issuer: Option<String>,
    /// The audience of tokens for it; the API's URL where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) audience: Option<String>,
    /// The organization that a command works in when it needs a `--parent` and none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) organization: Option<String>,
}

impl Contexts {
    /// The user's contexts; none where there is no file, or no place for one.
    ///
    /// # Errors
    /// Usage when the file cannot be read or is no such file.
    pub(crate) fn load() -> Result<Self, Failure> {
        path().map_or_else(|| Ok(Self::default()), |path| Self::read(&path))
    }

    /// Keeps them; whoever reads meanwhile sees the old ones or the new ones.
    ///
    /// # Errors
    /// When there is no place for them, or it cannot be written.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        let path = path()
            .ok_or_else(|| Failure::failed("there is no place for contexts: neither XDG_CONFIG_HOME nor HOME names a folder"))?;
        self.write(&path).map_err(|error| Failure::failed(format!("cannot write {}: {error}", path.display())))
    }

    /// The context of this name.
    ///
    /// # Errors
    /// Not found, with the names that there are.
    pub(crate) fn named(&self, name: &str) -> Result<&Context, Failure> {
        self.contexts.get(name).ok_or_else(|| {
            let names: Vec<_> = self.contexts.keys().map(String::as_str).collect();
            let hint = if names.is_empty() {
                "there is none yet: provost context add NAME --api URL".to_owned()
            } else {
                format!("the contexts are {}", names.join(", "))
            };
            Failure::new(Exit::NotFound, format!("there is no context {name:?}")).hint(hint)
        })
    }

    /// The name of a context of the API at `api`.
    pub(crate) fn of_api(&self, api: &str) -> Option<&str> {
        self.contexts.iter().find(|(_, context)| context.api == api).map(|(name, _)| name.as_str())
    }

    /// Adds a context. The first one is used from now on.
    ///
    /// # Errors
    /// Conflict when the name is taken.
    pub(crate) fn add(&mut self, name: &str, context: Context) -> Result<(), Failure> {
        if self.contexts.contains_key(name) {
            let taken = Failure::new(Exit::Conflict, format!("there is a context {name:?} already"));
            return Err(taken.hint(format!("choose another name, or remove it first: provost context remove {name}")));
        }
        self.contexts.insert(name.to_owned(), context);
        if self.contexts.len() == 1 {
            self.current = Some(name.to_owned());
        }
        Ok(())
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |what: String| {
            Failure::usage(format!("{}: {what}", path.display())).hint("correct the file, or remove it: it holds contexts alone")
        };
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(wrong(format!("cannot be read: {error}"))),
        }
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut draft = Draft::begin(path)?;
        draft.write(format!("{}\n", serde_json::to_string_pretty(self)?).as_bytes())?;
        draft.finish().map(drop)
    }
}

/// Where the contexts lie or would lie.
fn path() -> Option<PathBuf> {
    Some(env::config_dir()?.join("provost").join("contexts.json"))
}

/// Reads the name of a context: it is typed on command lines, and names nothing else.
pub(crate) fn name(text: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if (1..=64).contains(&text.len()) && text.chars().all(is_word) && !text.starts_with(['-', '.']) {
        Ok(text.to_owned())
    } else {
        Err("must be 1 to 64 letters, digits, dots, dashes and underscores, and begin with none of dot and dash".to_owned())
    }
}

/// The name that a context of the API at `api` gets when nobody chooses one: its host.
pub(crate) fn usual_name(api: &str) -> Option<String> {
    let url = Url::parse(api).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']).replace(':', "-");
    name(&url.port().map_or(host.clone(), |port| format!("{host}-{port}"))).ok()
}

/// Checks that `api` can be the URL of a server.
///
/// # Errors
/// Usage when it cannot.
pub(crate) fn check_api(api: &str) -> Result<(), Failure> {
    match Url::parse(api) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            Err(Failure::usage("the URL of a server has no user and no password: tokens say who you are"))
        }
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(()),
        _ => Err(Failure::usage(format!("{api:?} is not the URL of a server: write http://HOST:PORT or https://HOST"))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn context(api: &str) -> Context {
        Context { api: api.to_owned(), issuer: None, audience: None, organization: None }
    }

    #[test]
    fn they_are_kept_for_their_owner_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("provost/contexts.json");
        assert_eq!(Contexts::read(&path).expect("none"), Contexts::default());
        let mut contexts = Contexts::default();
        contexts.add("one", context("http://a")).expect("added");
        contexts.add("two", Context { organization: Some("acme".to_owned()), ..context("http://b") }).expect("added");
        assert!(contexts.add("one", context("http://c")).is_err());
        contexts.write(&path).expect("written");
        assert_eq!(Contexts::read(&path).expect("read"), contexts);
        assert_eq!((contexts.current.as_deref(), contexts.of_api("http://b")), (Some("one"), Some("two")));
        let mode = |path: &Path| fs::metadata(path).expect("exists").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder.path().join("provost"))), (0o600, 0o700));
        fs::write(&path, "{\"contexts\": {\"x\": {\"apy\": \"http://a\"}}}").expect("written");
        let told = Contexts::read(&path).expect_err("no such field").message;
        assert!(told.contains("contexts.json: unknown field `apy`"), "{told}");
    }

    #[test]
    fn names_are_words() {
        for good in ["prod", "a", "eu-1.example", "A_b"] {
            assert!(name(good).is_ok(), "{good}");
        }
        for bad in ["", "-x", ".x", "a b", "a/b", "é", &"x".repeat(65)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hosts_are_usual_names() {
        assert_eq!(usual_name("https://console.example.com").as_deref(), Some("console.example.com"));
        assert_eq!(usual_name("http://127.0.0.1:8080").as_deref(), Some("127.0.0.1-8080"));
        assert_eq!(usual_name("http://[::1]:80"), None, "it would begin with a dash");
        assert_eq!(usual_name("nonsense"), None);
    }

    #[test]
    fn only_urls_of_servers_are_apis() {
        for good in ["http://127.0.0.1:8080", "https://a.example"] {
            assert!(check_api(good).is_ok(), "{good}");
        }
        for bad in ["", "localhost:8080", "ftp://a", "http://", "a.example"] {
            assert!(check_api(bad).is_err(), "{bad}");
        }
    }
}
