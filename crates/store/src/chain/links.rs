//! The end of the audit log's chain, as the writer goes on from it.

use std::sync::Arc;

use domain::{Error, Kind, Result, Rule};

use super::{
    Digest,
    entry::{Before, Content},
    keys::{Code, Key, KeyId, Keys},
};

/// Where the chain has come to within a group commit.
#[derive(Debug, Default)]
pub(crate) struct Links {
    keys: Option<Arc<Keys>>,
    /// Whether the log was empty when the keys came: its first entry begins the chain.
    is_new: bool,
    /// Before the requests of this group commit.
    stored: Option<Code>,
    /// Behind those that are kept.
    kept: Option<Code>,
    /// Behind the one that runs.
    own: Option<Code>,
    /// The key that the one that runs changes to.
    to: Option<KeyId>,
}

impl Links {
    /// Uses these keys from now on.
    pub(crate) fn use_keys(&mut self, keys: Arc<Keys>) {
        self.keys = Some(keys);
    }

    /// Has the next entry begin the chain, if there is none.
    pub(crate) fn start(&mut self) {
        self.is_new = true;
    }

    /// The keys in use.
    pub(crate) fn keys(&self) -> Option<Arc<Keys>> {
        self.keys.clone()
    }

    /// A group commit begins behind this code.
    pub(crate) fn begin(&mut self, stored: Option<&[u8]>) {
        self.stored = stored.map(Code::of_bytes);
        // It has begun: whoever takes its head away does not have it begin anew.
        self.is_new &= self.stored.is_none();
        (self.kept, self.own, self.to) = (self.stored, None, None);
    }

    /// The request that ran is kept.
    pub(crate) fn keep(&mut self) {
        self.kept = self.own.take().or(self.kept);
        self.to = None;
    }

    /// The request that ran is not kept.
    pub(crate) fn undo(&mut self) {
        (self.own, self.to) = (None, None);
    }

    /// The end of the chain behind all that is kept, if it is another one than before.
    pub(crate) fn moved(&self) -> Option<Code> {
        self.kept.filter(|kept| self.stored.as_ref() != Some(kept))
    }

    /// The end of the chain behind what has run.
    fn last(&self) -> Option<Code> {
        self.own.or(self.kept)
    }

    /// Changes to that key with the next entry.
    ///
    /// # Errors
    /// Failed precondition where the log has no codes, or this process not that key.
    pub(crate) fn change_to(&mut self, key: KeyId) -> Result<()> {
        if self.key()?.is_none() {
            let message = "the audit log has no codes yet: run `provost admin seal` first";
            return Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message));
        }
        if self.keys.as_ref().and_then(|keys| keys.live(key)).is_none() {
            return Err(no_keys());
        }
        self.to = Some(key);
        Ok(())
    }

    /// The key of the next entry. None in a database whose log has no codes, or as long as there are no keys for one that has none.
    ///
    /// # Errors
    /// Unavailable when the database uses a key that this process does not have.
    pub(crate) fn key(&self) -> Result<Option<&Key>> {
        match (self.last(), &self.keys) {
            (Some(last), keys) => {
                let key = self.to.unwrap_or(last.key);
                keys.as_ref().and_then(|keys| keys.live(key)).map(Some).ok_or_else(|| unknown(key))
            }
            (None, Some(keys)) if self.is_new => Ok(keys.current()),
            (None, _) => Ok(None),
        }
    }

    /// The key that rows get their codes with: that of the log, or the one in use where that has none.
    ///
    /// # Errors
    /// As [`Links::key`].
    pub(crate) fn row_key(&self) -> Result<Option<&Key>> {
        Ok(self.key()?.or_else(|| self.keys.as_ref()?.current()))
    }

    /// The code of the next entry, where the log has codes: it follows those `between`, which have none.
    ///
    /// # Errors
    /// As [`Links::key`].
    pub(crate) fn link(&mut self, content: &Content, between: Option<Digest>) -> Result<Option<Code>> {
        let before = Before::Link(self.last(), between);
        let code = self.key()?.map(|key| content.code(key, before));
        self.own = code.or(self.own);
        Ok(code)
    }

    /// The code of an entry that vouches for all before it, by the key in use.
    ///
    /// # Errors
    /// Failed precondition without keys.
    pub(crate) fn seal(&mut self, content: &Content, all: Digest) -> Result<Code> {
        let keys = self.keys.as_ref().ok_or_else(no_keys)?;
        // The one that this entry changes to; where the key was changed meanwhile, it is the one that the log uses.
        let named = self.to.or_else(|| Some(self.last()?.key));
        let key = named.and_then(|id| keys.live(id)).or_else(|| keys.current()).ok_or_else(no_keys)?;
        let code = content.code(key, Before::All(all));
        self.own = Some(code);
        Ok(code)
    }
}

fn unknown(key: KeyId) -> Error {
    let message = "the key-encryption key was changed, and this server does not have the new key file: copy it from a server that has it, or ask another one";
    Error::new(Kind::Unavailable, Rule::Unavailable, message).because(format!("the audit log goes on with key {key}"))
}

fn no_keys() -> Error {
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, "this needs the key file")
}

#[cfg(test)]
mod tests {
    use domain::Secret;

    use super::*;

    fn keys(bytes: [u8; 2]) -> Arc<Keys> {
        let [one, next] = bytes.map(|byte| Key::new(KeyId([byte; 8]), &Secret::new([byte; 32])));
        Arc::new(Keys::new(one, Some(next), Vec::new()))
    }

    fn links(is_new: bool) -> Links {
        let mut links = Links::default();
        links.use_keys(keys([1, 2]));
        if is_new {
            links.start();
        }
        links
    }

    #[test]
    fn the_chain_goes_on_behind_what_is_kept() {
        let (mut links, content) = (links(true), Content::default());
        links.begin(None);
        let first = links.link(&content, None).expect("a key").expect("a code");
        links.undo();
        assert_eq!(links.moved(), None);
        assert_eq!(links.link(&content, None).expect("a key"), Some(first), "what is undone leaves nothing");
        links.keep();
        let second = links.link(&content, None).expect("a key").expect("a code");
        assert_ne!(first, second);
        links.keep();
        assert_eq!(links.moved(), Some(second));
        links.begin(Some(&second.to_bytes()));
        assert_eq!(links.moved(), None);
    }

    #[test]
    fn a_log_without_codes_gets_none_by_itself() {
        let mut links = links(false);
        links.begin(None);
        assert_eq!(links.link(&Content::default(), None).expect("no code"), None);
        assert!(links.change_to(KeyId([2; 8])).is_err());
        links.seal(&Content::default(), Digest::default()).expect("sealed");
        assert!(links.link(&Content::default(), None).expect("a key").is_some());
    }

    #[test]
    fn a_log_of_another_key_takes_nothing() {
        let (mut links, content) = (links(true), Content::default());
        links.begin(None);
        links.link(&content, None).expect("a key");
        links.change_to(KeyId([2; 8])).expect("the next key");
        links.undo();
        assert_eq!(links.key().expect("a key").map(Key::id), Some(KeyId([1; 8])));
        links.link(&content, None).expect("a key");
        links.keep();
        links.change_to(KeyId([3; 8])).expect_err("no key of this process");
        links.change_to(KeyId([2; 8])).expect("the next key");
        assert_eq!(links.link(&content, None).expect("a key").map(|code| code.key), Some(KeyId([2; 8])));
        links.keep();
        let head = links.moved().expect("a head").to_bytes();
        links.use_keys(keys([1, 3]));
        links.begin(Some(&head));
        assert_eq!(links.link(&content, None).expect_err("another key").kind(), Kind::Unavailable);
        links.begin(Some(b"garbage"));
        assert_eq!(links.link(&content, None).expect_err("no code").kind(), Kind::Unavailable);
    }
}
