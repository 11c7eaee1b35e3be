//! Tokens on disk, in the layout that published clients share: `<cache>/chainguard/<audience with / as ->/oidc-token`, and beside it
//! `refresh-token` for who has a session.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use client::Token;

use crate::{env, exit::Failure, interrupt};

/// The cached tokens of one audience.
#[derive(Clone, Debug)]
pub(crate) struct TokenCache {
    dir: PathBuf,
}

impl TokenCache {
    const FILE: &str = "oidc-token";
    const REFRESH: &str = "refresh-token";

    /// The user's cache for `audience`.
    pub(crate) fn of(audience: &str) -> Result<Self, Failure> {
        let cache = env::cache_dir().ok_or_else(|| {
            Failure::failed("there is no place for tokens: neither XDG_CACHE_HOME nor HOME is set")
                .hint("set PROVOST_TOKEN instead")
        })?;
        Ok(Self::below(&cache, audience))
    }

    fn below(cache: &Path, audience: &str) -> Self {
        // An audience of dots alone would name a folder above; no published client makes one.
        let folder = match audience.replace('/', "-") {
            dots if dots.chars().all(|c| c == '.') => format!("{dots}-"),
            folder => folder,
        };
        Self { dir: cache.join("chainguard").join(folder) }
    }

    /// Where the token lies or would lie.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(Self::FILE)
    }

    /// The cached token, expired or not.
    pub(crate) fn read(&self) -> Result<Option<Token>, Failure> {
        self.read_file(Self::FILE)
    }

    /// The refresh token beside it.
    pub(crate) fn read_refresh(&self) -> Result<Option<Token>, Failure> {
        self.read_file(Self::REFRESH)
    }

    fn read_file(&self, file: &str) -> Result<Option<Token>, Failure> {
        match fs::read_to_string(self.dir.join(file)) {
            Ok(text) => Ok(Some(Token::new(text)).filter(|token| !token.expose().is_empty())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("read", &error)),
        }
    }

    /// Keeps `token`, and beside it the refresh token or none: one of before is another login's. Whoever reads sees the old ones or the new
    /// ones, each whole.
    pub(crate) fn write(&self, token: &Token, refresh: Option<&Token>) -> Result<(), Failure> {
        match refresh {
            // First: without it the session is lost, and the old access token does no harm.
            Some(refresh) => self.replace(Self::REFRESH, refresh).map_err(|error| self.failed("write", &error))?,
            None => drop(self.forget(Self::REFRESH)?),
        }
        self.replace(Self::FILE, token).map_err(|error| self.failed("write", &error))
    }

    fn replace(&self, file: &str, token: &Token) -> std::io::Result<()> {
        let _no_draft_is_left = interrupt::whole();
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
        fs::set_permissions(&self.dir, fs::Permissions::from_mode(0o700))?;
        let draft = self.dir.join(format!(".{file}.{}", std::process::id()));
        let mut written = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        let on_disk = written.write_all(token.expose().as_bytes()).and_then(|()| written.sync_all());
        let moved = on_disk.and_then(|()| fs::rename(&draft, self.dir.join(file)));
        if moved.is_err() {
            // The draft holds a token; nothing more can be done when it cannot be removed either.
            let _ = fs::remove_file(&draft);
        }
        moved
    }

    /// Forgets the token and a refresh token beside it. Answers whether there was one.
    pub(crate) fn remove(&self) -> Result<bool, Failure> {
        let access = self.forget(Self::FILE)?;
        Ok(self.forget(Self::REFRESH)? || access)
    }

    /// Forgets the refresh token alone. Answers whether there was one.
    pub(crate) fn remove_refresh(&self) -> Result<bool, Failure> {
        self.forget(Self::REFRESH)
    }

    fn forget(&self, file: &str) -> Result<bool, Failure> {
        match fs::remove_file(self.dir.join(file)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.failed("remove", &error)),
        }
    }

    fn failed(&self, verb: &str, error: &std::io::Error) -> Failure {
        Failure::failed(format!("cannot {verb} the token in {}: {error}", self.dir.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_published_one() {
        let cache = TokenCache::below(Path::new("/c"), "http://127.0.0.1:8080");
        assert_eq!(cache.path(), Path::new("/c/chainguard/http:--127.0.0.1:8080/oidc-token"));
        assert_eq!(TokenCache::below(Path::new("/c"), "..").path(), Path::new("/c/chainguard/..-/oidc-token"));
    }

    #[test]
    fn tokens_are_private_replaced_and_removed() {
        let temp = tempfile::tempdir().expect("a folder");
        let cache = TokenCache::below(temp.path(), "aud");
        assert!(cache.read().expect("readable").is_none() && !cache.remove().expect("removable"));
        for text in ["one", "two"] {
            let refresh = Token::new(format!("{text} to renew"));
            cache.write(&Token::new(text), Some(&refresh)).expect("written");
            assert_eq!(cache.read().expect("readable"), Some(Token::new(text)));
            assert_eq!(cache.read_refresh().expect("readable"), Some(refresh));
        }
        let mode = |path: &Path| fs::metadata(path).expect("exists").permissions().mode() & 0o777;
        assert_eq!((mode(&cache.dir), mode(&cache.path()), mode(&cache.dir.join("refresh-token"))), (0o700, 0o600, 0o600));
        assert_eq!(fs::read_dir(&cache.dir).expect("a folder").count(), 2, "no draft is left");
        cache.write(&Token::new("of another login"), None).expect("written");
        assert_eq!(cache.read_refresh().expect("readable"), None);
        assert!(cache.remove().expect("removable") && cache.read().expect("readable").is_none());
    }
}
