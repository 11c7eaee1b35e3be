//! The audit log: who did what, and what was refused.

use std::{net::IpAddr, sync::Arc};

use database::{Connection, Param, Row, json};
use domain::{Actor, Ctx, Error, Noun, Op, Result, Revision, Timestamp, Upstream};

use crate::{Reader, chain::Code};

/// What [`read`] reads, in its order.
pub(crate) const COLUMNS: &str = "at, revision, actor, upstream, token_id, method, request_id, peer, noun, subject, op, outcome";

/// The outcome of what succeeded; anything else is the name of a [`domain::Rule`].
pub const OK: &str = "OK";
/// The outcome of what was only tried, as its caller has asked, where that tells something about others.
pub const REHEARSED: &str = "REHEARSED";

/// One entry. Every write has one; exchanges and refused calls get theirs through [`crate::Later`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// The commit, when something was written.
    pub revision: Option<Revision>,
    /// The UID of the identity that acted, `anonymous`, or `system:` and the server's task.
    pub actor: String,
    /// The upstream token that the identity presented.
    pub upstream: Option<Upstream>,
    /// The API token, by its `jti`.
    pub token_id: Option<String>,
    /// The method, or the server's task.
    pub method: String,
    /// The request's name in logs and answers.
    pub request_id: Arc<str>,
    /// The address of the client.
    pub peer: Option<IpAddr>,
    /// What kind of resource it was about.
    pub noun: Option<Noun>,
    /// Which resource, or at which place a call was refused.
    pub subject: Option<String>,
    /// What happened to it.
    pub op: Option<Op>,
    /// [`OK`], [`REHEARSED`], or the rule that refused it.
    pub outcome: String,
}

impl AuditEntry {
    /// A success of this call that is about nothing in particular.
    #[must_use]
    pub fn of(ctx: &Ctx) -> Self {
        Self {
            at: ctx.now,
            revision: None,
            actor: actor_text(&ctx.actor),
            upstream: upstream(&ctx.actor).cloned(),
            token_id: match &ctx.actor {
                // Operators at the machine act without a token.
                Actor::Caller(caller) => Some(caller.token_id.clone()).filter(|id| !id.is_empty()),
                Actor::Anonymous | Actor::System(_) => None,
            },
            method: ctx.method.to_owned(),
            request_id: Arc::clone(&ctx.request_id),
            peer: ctx.peer,
            noun: None,
            subject: None,
            op: None,
            outcome: OK.to_owned(),
        }
    }

    /// A refusal of this call, at `place` if it is known.
    #[must_use]
    pub fn refused(ctx: &Ctx, place: Option<&str>, error: &Error) -> Self {
        Self { subject: place.map(str::to_owned), outcome: error.rule().as_str().to_owned(), ..Self::of(ctx) }
    }

    /// Its row: the values of [`COLUMNS`].
    pub(crate) fn values(&self) -> Result<[Param<'_>; 12]> {
        Ok([
            self.at.into(),
            self.revision.into(),
            (&self.actor).into(),
            self.upstream.as_ref().map(json).transpose()?.into(),
            self.token_id.as_ref().into(),
            (&self.method).into(),
            (&*self.request_id).into(),
            self.peer.map(|peer| peer.to_string()).into(),
            self.noun.map(Noun::as_str).into(),
            // The place of a refused call may be any text, and must not keep the entry from being written.
            self.subject.as_ref().map(|subject| subject.replace('\0', "\u{fffd}")).into(),
            self.op.map(Op::as_str).into(),
            (&self.outcome).into(),
        ])
    }

    pub(crate) fn target(&mut self, target: Option<(Noun, String, Op)>) {
        if let Some((noun, uid, op)) = target {
            (self.noun, self.subject, self.op) = (Some(noun), Some(uid), Some(op));
        }
    }
}

pub(crate) fn actor_text(actor: &Actor) -> String {
    match actor {
        Actor::Anonymous => "anonymous".to_owned(),
        Actor::System(task) => format!("system:{task}"),
        Actor::Caller(caller) => caller.identity.to_string(),
    }
}

pub(crate) fn upstream(actor: &Actor) -> Option<&Upstream> {
    match actor {
        Actor::Caller(caller) => caller.upstream.as_ref(),
        Actor::Anonymous | Actor::System(_) => None,
    }
}

/// Adds the entry with these values, and its code if it has one.
pub(crate) async fn append(connection: &mut Connection, values: [Param<'_>; 12], code: Option<Code>) -> Result<()> {
    let sql = "INSERT INTO audit (at, revision, actor, upstream, token_id, method, request_id, peer, noun, subject, op, outcome, code) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    let code: Param<'_> = code.map_or(Param::Null, |code| Param::Bytes(code.to_bytes().into()));
    let values: Vec<_> = values.into_iter().chain([code]).collect();
    connection.send(sql, &values).await
}

/// The newest entries, the newest first, at most `limit`.
///
/// # Errors
/// Internal when the storage fails.
pub async fn newest(reader: &mut Reader, limit: u32) -> Result<Vec<AuditEntry>> {
    reader.query_map(&format!("SELECT {COLUMNS} FROM audit ORDER BY id DESC LIMIT $1"), &[i64::from(limit).into()], read).await
}

pub(crate) fn read(row: &Row<'_>) -> Result<AuditEntry> {
    Ok(AuditEntry {
        at: row.time(0)?,
        revision: row.opt_int(1)?.map(Revision),
        actor: row.string(2)?,
        upstream: row.opt_json(3)?,
        token_id: row.opt_string(4)?,
        method: row.string(5)?,
        request_id: row.text(6)?.into(),
        peer: row.opt_text(7)?.map(str::parse).transpose().map_err(Error::internal)?,
        noun: row.opt_word(8)?,
        subject: row.opt_string(9)?,
        op: row.opt_word(10)?,
        outcome: row.string(11)?,
    })
}
