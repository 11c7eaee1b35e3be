//! The audit log as a whole, for an entry that vouches for all before it.

use std::sync::Arc;

use aws_lc_rs::digest::{Context, SHA256};
use domain::{Error, Kind, Result, Rule};

use super::{
    log::{Log, Logged},
    too_much,
};
use crate::{
    Reader,
    chain::{Before, Code, Digest, Keys, REKEY, SEAL, TRIM, finish},
    floor::{Floor, floor},
};

/// The entries of the log, hashed from the first to the last that was read.
#[derive(Clone)]
pub(crate) struct Whole {
    log: Log,
    hash: Context,
    entries: u64,
    /// How far old entries had gone: when that changes, others are read.
    floor: Floor,
    judge: Option<Judge>,
}

impl Whole {
    /// The log as everybody reads it, from its first entry on.
    pub(crate) async fn of(reader: &mut Reader) -> Result<Self> {
        let floor = floor(reader).await?;
        Ok(Self::from_first(Log::without(floor.number), floor))
    }

    /// The log as everybody will read it when those that are marked with `number` have gone.
    pub(crate) async fn without(reader: &mut Reader, number: i64) -> Result<Self> {
        Ok(Self::from_first(Log::without(number), floor(reader).await?))
    }

    fn from_first(log: Log, floor: Floor) -> Self {
        Self { log, hash: Context::new(&SHA256), entries: 0, floor, judge: None }
    }

    /// Judges each entry from now on by these keys. What the reader sees was compared, is read to its end, and stays as it is.
    pub(crate) async fn judged(mut self, reader: &mut Reader, keys: Arc<Keys>) -> Result<Self> {
        self.read_to_the_end(reader).await?;
        let last = reader.head().await?.map(|head| head.code);
        self.judge = Some(Judge { keys, last, between: None });
        Ok(self)
    }

    /// How many entries were read.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// The SHA-256 of all of them.
    pub(crate) fn digest(self) -> Digest {
        finish(self.hash.finish())
    }

    pub(super) async fn read_to_the_end(&mut self, reader: &mut Reader) -> Result<()> {
        reader.take_time().await?;
        while self.read_page(reader).await? > 0 {}
        Ok(())
    }

    /// Reads on to the end, where that are fewer than `most` entries and what was read before is what others read now.
    ///
    /// # Errors
    /// Aborted where it is not; failed precondition when one is not as it was written.
    pub(super) async fn read_late(&mut self, reader: &mut Reader, most: u64) -> Result<()> {
        if floor(reader).await? != self.floor {
            return Err(too_much());
        }
        let before = self.entries;
        while self.read_page(reader).await? > 0 {
            if self.entries - before >= most {
                return Err(too_much());
            }
        }
        Ok(())
    }

    /// How many entries the next page has; none at the end.
    async fn read_page(&mut self, reader: &mut Reader) -> Result<u64> {
        let page = self.log.page(reader).await?;
        for logged in &page {
            if let Some(judge) = &mut self.judge {
                judge.judge(logged)?;
            }
            logged.content.hash(&mut self.hash);
        }
        self.entries += page.len() as u64;
        Ok(page.len() as u64)
    }
}

/// Goes from code to code.
#[derive(Clone)]
struct Judge {
    keys: Arc<Keys>,
    last: Option<Code>,
    /// The entries behind that, which have none.
    between: Option<Context>,
}

impl Judge {
    fn judge(&mut self, logged: &Logged) -> Result<()> {
        let Some(code) = logged.code else {
            logged.content.hash(self.between.get_or_insert_with(|| Context::new(&SHA256)));
            return Ok(());
        };
        if [SEAL, TRIM, REKEY].contains(&&*logged.method) {
            // Somebody else has judged everything, and with what it has come to one begins anew.
            return Err(too_much());
        }
        let before = Before::Link(self.last, self.between.take().map(|hash| finish(hash.finish())));
        self.last = Some(code);
        if self.keys.any(code.key).is_some_and(|key| logged.content.code(key, before) == code) {
            return Ok(());
        }
        let message = format!("the audit log was changed by other hands at entry {}: run `provost admin check`", logged.id);
        Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message))
    }
}
