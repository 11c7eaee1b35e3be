//! What `provost admin` and a running server say to each other: one request line, then any number of lines about the work
//! under way, then one line with the outcome. Every line is one JSON value.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, bootstrap};

/// What `provost admin` asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Request {
    /// An operator token that lives this long. Answers the token.
    Token {
        /// Seconds from now.
        ttl_seconds: u64,
    },
    /// An organization and its owner. Answers a [`bootstrap::Made`].
    Bootstrap(bootstrap::Wish),
    /// The signing keys. Answers a list of [`super::keys::Key`].
    Keys,
    /// What is logged, and a change of it. Answers a [`Filters`](crate::logging::Filters).
    LogLevel {
        /// What to log from now on; nothing changes without.
        filter: Option<String>,
        /// Seconds until everything is as before; forever without.
        seconds: Option<u64>,
    },
    /// A new signing key. Answers as [`Request::Keys`].
    RotateKeys {
        /// Ends the old keys and their tokens instead of letting them run out.
        at_once: bool,
    },
    /// A backup, in pieces. Answers a [`super::backup::Contents`].
    Backup,
    /// Whether everything agrees with everything else. Answers a [`super::check::Checked`].
    Check {
        /// The end of the audit log as somebody has kept it, which has to be in the log.
        kept_head: Option<String>,
    },
    /// Vouching for everything as it is found. Answers a [`super::seal::Sealed`].
    Seal,
    /// Another key-encryption key. Answers a [`super::rekey::Rekeyed`].
    Rekey {
        /// Only makes it, and accepts it.
        prepare: bool,
    },
}

/// A line of the server's answer. [`Line::Done`] and [`Line::Failed`] are the last of their answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// Nothing new; the work goes on.
    Waiting,
    /// How far the work has come.
    Progress(Progress),
    /// A piece of a long result, in base64 (RFC 4648 section 4).
    Piece(String),
    /// The result.
    Done(Value),
    /// Why there is none.
    Failed(Failure),
}

/// How far a long work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps done.
    pub done: u64,
    /// Steps in all.
    pub total: u64,
}

/// What a long work tells before its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// How far it has come.
    Progress(Progress),
    /// A piece of its result.
    Piece(Vec<u8>),
}

impl From<Update> for Line {
    fn from(update: Update) -> Self {
        match update {
            Update::Progress(progress) => Self::Progress(progress),
            Update::Piece(bytes) => Self::Piece(STANDARD.encode(bytes)),
        }
    }
}

/// What a line means to the one who asked.
#[derive(Debug)]
pub enum Told {
    /// The work goes on.
    Waiting,
    /// The work got on.
    Update(Update),
    /// The work is over.
    Outcome(Result<Value, Failure>),
}

impl Line {
    /// The meaning of the line; `None` when it cannot be read.
    pub(super) fn read(text: &str) -> Option<Told> {
        Some(match serde_json::from_str(text).ok()? {
            Self::Waiting => Told::Waiting,
            Self::Progress(progress) => Told::Update(Update::Progress(progress)),
            Self::Piece(text) => Told::Update(Update::Piece(STANDARD.decode(text).ok()?)),
            Self::Done(value) => Told::Outcome(Ok(value)),
            Self::Failed(failure) => Told::Outcome(Err(failure)),
        })
    }
}
