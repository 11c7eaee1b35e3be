//! What a server notes in its data folder for the next start and for `provost admin`: its base URL.

use std::{
    fs::{self, DirBuilder},
    io::{self, ErrorKind, Write},
    os::unix::fs::DirBuilderExt,
    path::Path,
};

use serde::{Deserialize, Serialize};
use sts::jws::TokenAlgorithm;

use super::{Settings, StartError, settings::Urls};

/// The contents of `DATA/server.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The base URL of the server that last ran on this data.
    pub base_url: String,
    /// Its issuer URL, if it was another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_url: Option<String>,
    /// Its registry's host, if it was another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_host: Option<String>,
    /// What it signed tokens with, if it was another than the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_algorithm: Option<TokenAlgorithm>,
}

impl Record {
    /// What a server under these settings notes when it is known as `base_url`.
    #[must_use]
    pub fn of(settings: &Settings, base_url: &str) -> Self {
        let (auth_url, registry_host) = (settings.auth_url.clone(), settings.registry_host.clone());
        Self { base_url: base_url.to_owned(), auth_url, registry_host, token_algorithm: settings.token_algorithm }
    }

    /// Under which names the server is known: what the settings say, else what the last server noted.
    #[must_use]
    pub fn urls(self, settings: &Settings) -> Urls {
        let noted = Settings {
            base_url: Some(self.base_url),
            auth_url: self.auth_url,
            registry_host: self.registry_host,
            token_algorithm: self.token_algorithm,
            ..Settings::default()
        };
        let given = settings.clone();
        Settings {
            base_url: given.base_url.or(noted.base_url),
            auth_url: given.auth_url.or(noted.auth_url),
            registry_host: given.registry_host.or(noted.registry_host),
            token_algorithm: given.token_algorithm.or(noted.token_algorithm),
            ..Settings::default()
        }
        .urls_at(([127, 0, 0, 1], 0).into())
    }

    const FILE: &str = "server.json";

    /// What the last server noted; `None` when none ever ran.
    ///
    /// # Errors
    /// When the file is there but cannot be read.
    pub fn read(data: &Path) -> Result<Option<Self>, StartError> {
        let path = data.join(Self::FILE);
        let failed =
            |error: &(dyn std::error::Error + 'static)| StartError::while_doing(format!("cannot read {}", path.display()), error);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| failed(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Notes it, in a folder that is made for its owner alone if there is none. Readers see the old text or the new one. The
    /// caller holds the store's lock, so nobody else writes.
    ///
    /// # Errors
    /// When the data folder cannot be written.
    pub fn write(&self, data: &Path) -> Result<(), StartError> {
        let path = data.join(Self::FILE);
        let draft = path.with_extension("json.new");
        let failed = |error: &(dyn std::error::Error + 'static)| {
            StartError::while_doing(format!("cannot write {}", path.display()), error)
        };
        let text = serde_json::to_string(self).map_err(|error| failed(&error))?;
        private_folder(data)
            .and_then(|()| write_new(&draft, &(text + "\n")))
            .and_then(|()| fs::rename(&draft, &path))
            .map_err(|error| failed(&error))
    }
}

/// Servers whose database is elsewhere have nobody who makes it.
fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file that is made here: what a crash left is replaced, and a link that lies there is not followed.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read_again() {
        let data = tempfile::tempdir().expect("a folder");
        assert_eq!(Record::read(data.path()).expect("readable"), None);
        let record = Record::of(&Settings::default(), "http://127.0.0.1:1");
        record.write(data.path()).expect("writable");
        assert_eq!(Record::read(data.path()).expect("readable"), Some(record));
        fs::write(data.path().join(Record::FILE), "{").expect("writable");
        assert!(Record::read(data.path()).is_err_and(|error| error.to_string().contains("cannot read")));
    }
    #[test]
    fn links_in_the_folder_are_not_followed() {
        let data = tempfile::tempdir().expect("a folder");
        let other = data.path().join("other");
        fs::write(&other, "keep").expect("writable");
        std::os::unix::fs::symlink(&other, data.path().join("server.json.new")).expect("a link");
        let record = Record::of(&Settings::default(), "http://127.0.0.1:1");
        record.write(data.path()).expect("writable");
        assert_eq!(fs::read_to_string(&other).expect("readable"), "keep");
        assert_eq!(Record::read(data.path()).expect("readable"), Some(record));
    }
}
