//! Refresh tokens: what they look like, and how each follows from the one before.
//!
//! Published clients decode the whole text as standard base64 and read `exp` of the JSON inside. The rest is ours: which session the
//! token is of, what is secret in it, and an authentication code under a key of this installation, so that what somebody made up is
//! refused before anything is read.

use std::fmt;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use domain::{Error, Secret, Timestamp};
use serde::{Deserialize, Serialize};
use store::sessions::{Digest, Session};

use crate::keys::{MacKey, RootKey};

/// Longest refresh token in bytes; those that are made are half as long.
const MAX_LEN: usize = 512;
/// Hexadecimal digits of a session's identifier.
const SESSION_LEN: usize = 32;
const SECRET_LEN: usize = 32;

/// What is known of a refresh token that this installation has made.
#[derive(Clone)]
pub(crate) struct RefreshToken {
    /// Its session.
    pub(crate) session: String,
    /// Its `exp`, in whole seconds.
    pub(crate) expires_at: Timestamp,
    /// What only its owner knows.
    pub(super) secret: Secret<[u8; SECRET_LEN]>,
}

/// The JSON inside, in the order in which it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    exp: i64,
    sid: String,
    key: String,
    tag: String,
}

/// Makes and reads refresh tokens.
#[derive(Clone, Debug)]
pub(super) struct RefreshTokens {
    tag: MacKey,
    secret: MacKey,
    session: MacKey,
}

impl RefreshTokens {
    /// Refresh tokens of the installation with this root key.
    pub(super) fn new(root: &RootKey) -> Result<Self, Error> {
        let key = |of| root.derive_mac(&format!("sessions/{of}"));
        Ok(Self { tag: key("tag")?, secret: key("secret")?, session: key("session")? })
    }

    /// What is secret in the first token of a session.
    pub(super) fn first(&self, session: &str) -> Result<Secret<[u8; SECRET_LEN]>, Error> {
        self.derive(session, b"first")
    }

    /// What is secret in the successor of a token: the same one each time.
    pub(super) fn next(&self, token: &RefreshToken) -> Result<Secret<[u8; SECRET_LEN]>, Error> {
        self.derive(&token.session, token.secret.expose())
    }

    /// What the database knows of a token with this secret: a code of it, and of everything that its session gives. Whoever writes the
    /// database cannot have it stand for another user, or for longer or for more.
    pub(super) fn digest(&self, session: &Session, secret: &Secret<[u8; SECRET_LEN]>) -> Result<Digest, Error> {
        let Session { uid, identity, relationship_revision, provider, client, upstream, email, audiences, .. } = session;
        let (narrowing, created_at) = (&session.narrowing, session.created_at.0);
        let who = (uid, identity, relationship_revision, provider, client, upstream, email);
        let what = (audiences, &narrowing.scopes, &narrowing.capabilities, created_at);
        let given = serde_json::to_vec(&(who, what)).map_err(Error::internal)?;
        let code = self.session.sign(&[secret.expose(), &given[..]].concat());
        code.as_ref().try_into().map_err(Error::internal)
    }

    /// Identifiers of sessions have one length, so different pairs are different texts.
    fn derive(&self, session: &str, from: &[u8]) -> Result<Secret<[u8; SECRET_LEN]>, Error> {
        let tag = self.secret.sign(&[session.as_bytes(), from].concat());
        tag.as_ref().try_into().map(Secret::new).map_err(Error::internal)
    }

    /// The token as its owner gets it.
    pub(super) fn write(&self, token: &RefreshToken) -> Result<Secret<String>, Error> {
        let written = Written {
            exp: token.expires_at.seconds(),
            sid: token.session.clone(),
            key: URL_SAFE_NO_PAD.encode(token.secret.expose()),
            tag: URL_SAFE_NO_PAD.encode(self.tag.sign(&signed(token))),
        };
        Ok(Secret::new(STANDARD.encode(serde_json::to_vec(&written).map_err(Error::internal)?)))
    }

    /// The token that this text is, if this installation has made it. Every token has one spelling.
    pub(super) fn read(&self, text: &str) -> Option<RefreshToken> {
        let text = Some(text).filter(|text| text.len() <= MAX_LEN)?;
        let Written { exp, sid, key, tag } = serde_json::from_slice(&STANDARD.decode(text).ok()?).ok()?;
        let is_session = sid.len() == SESSION_LEN && sid.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let secret: [u8; SECRET_LEN] = URL_SAFE_NO_PAD.decode(key).ok()?.try_into().ok()?;
        let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
        // No time beyond what a clock can tell: it becomes milliseconds.
        let expires_at = Timestamp::from_seconds(exp);
        let token = RefreshToken { session: sid, expires_at, secret: Secret::new(secret) };
        let is_ours = is_session && expires_at.seconds() == exp && self.tag.verify(&signed(&token), &tag);
        Some(token).filter(|token| is_ours && self.write(token).is_ok_and(|spelt| spelt.expose() == text))
    }
}

/// What the authentication code is of. Every part has a length of its own.
fn signed(token: &RefreshToken) -> Vec<u8> {
    [&token.expires_at.seconds().to_be_bytes()[..], token.session.as_bytes(), token.secret.expose()].concat()
}

impl fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefreshToken")
            .field("session", &self.session)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn tokens(byte: u8) -> RefreshTokens {
        RefreshTokens::new(&RootKey::from_bytes(&Secret::new([byte; 32]))).expect("keys")
    }

    fn token(session: u128, seconds: i64, secret: [u8; 32]) -> RefreshToken {
        RefreshToken {
            session: format!("{session:032x}"),
            expires_at: Timestamp::from_seconds(seconds),
            secret: Secret::new(secret),
        }
    }

    fn decoded(text: &str) -> Value {
        serde_json::from_slice(&STANDARD.decode(text).expect("base64")).expect("JSON")
    }

    #[test]
    fn clients_find_its_end_in_it() {
        let text = tokens(1).write(&token(7, 1_800_000_000, [9; 32])).expect("written");
        assert_eq!(decoded(text.expose())["exp"], 1_800_000_000);
        assert!(text.expose().len() <= MAX_LEN / 2 + 64, "{}", text.expose().len());
    }

    #[test]
    fn what_is_spelt_otherwise_is_refused() {
        let good = tokens(1).write(&token(7, 1_800_000_000, [9; 32])).expect("written");
        let good = good.expose();
        let read = |text: &str| tokens(1).read(text).is_some();
        assert!(read(good));
        assert!(!read(&format!("{good}=")) && !read(good.trim_end_matches('=')) && !read(&format!(" {good}")));
        let mut more = decoded(good);
        more["more"] = json!(1);
        let inside = decoded(good);
        let reordered = ["sid", "exp", "key", "tag"].map(|name| format!("\"{name}\":{}", inside[name])).join(",");
        for other in [more.to_string(), format!("{{{reordered}}}")] {
            assert!(!read(&STANDARD.encode(&other)), "{other}");
        }
        let spaced = STANDARD.decode(good).map(|json| String::from_utf8(json).expect("a text").replacen(',', ", ", 1));
        assert!(!read(&STANDARD.encode(spaced.expect("base64"))));
        let long = STANDARD.encode(format!("{}{}", " ".repeat(MAX_LEN), "{}"));
        assert!(!read(&long));
    }

    #[test]
    fn a_successor_is_always_the_same_and_of_its_session() {
        let (tokens, first) = (tokens(1), token(7, 1, [9; 32]));
        let next = |token: &RefreshToken| *tokens.next(token).expect("derived").expose();
        assert_eq!(next(&first), next(&first.clone()));
        assert_ne!(next(&first), next(&token(8, 1, [9; 32])));
        assert_ne!(next(&first), next(&token(7, 1, next(&first))));
        let of_session = |session: &str| *tokens.first(session).expect("derived").expose();
        assert_ne!(of_session(&first.session), of_session(&token(8, 1, [0; 32]).session));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(session: u128, seconds in 0i64..4_000_000_000, secret: [u8; 32]) {
            let made = token(session, seconds, secret);
            let text = tokens(1).write(&made).expect("written");
            let read = tokens(1).read(text.expose()).expect("it is ours");
            prop_assert_eq!((read.session, read.expires_at, *read.secret.expose()), (made.session, made.expires_at, secret));
            prop_assert!(tokens(2).read(text.expose()).is_none(), "another installation's");
        }

        #[test]
        fn what_is_altered_is_refused(session: u128, secret: [u8; 32], at in 0usize..400, with in "[A-Za-z0-9+/=]") {
            let text = tokens(1).write(&token(session, 1_800_000_000, secret)).expect("written").expose().clone();
            let at = at % text.len();
            let altered = [&text[..at], &with, &text[at + 1..]].concat();
            prop_assert_eq!(tokens(1).read(&altered).is_some(), altered == text);
        }

        #[test]
        fn nothing_makes_the_reader_panic(text in "\\PC{0,64}", exp: i64, sid in "\\PC{0,40}", key in "[A-Za-z0-9_-]{0,50}") {
            let tokens = tokens(1);
            prop_assert!(tokens.read(&text).is_none());
            let made_up = json!({"exp": exp, "sid": sid, "key": key, "tag": key}).to_string();
            prop_assert!(tokens.read(&STANDARD.encode(made_up)).is_none());
        }
    }
}
