//! Requests that are applied at most once: their claims and their answers, kept for 24 hours.
//!
//! The claim is written in the transaction of the request, the answer after it. In between the request counts as running;
//! an answer that has not arrived soon after never will (the server stopped, or the answer may not be stored).

use database::{Connection, Row};
use domain::{
    Ctx, Error, Kind, Result, Rule, Timestamp,
    ctx::IdempotencyClaim,
    error::{Detail, Violation},
    ports::Replay,
};

use crate::Reader;

/// How long a claim lives.
const LIFETIME_SECONDS: i64 = 24 * 60 * 60;
/// How long after the claim the answer may still arrive.
const ANSWER_SECONDS: i64 = 30;
/// Expired claims that each new one clears away, so that the table never outgrows a day.
const PURGE: i64 = 8;

/// What is stored for a claim.
struct Claimed {
    request: Vec<u8>,
    answer: Option<Replay>,
    created_at: Timestamp,
}

/// What is known about the claim: nothing, or the answer to the first request.
///
/// # Errors
/// Invalid argument when the key belongs to another request; aborted while the first request is under way, and when its
/// answer is lost.
pub async fn find(reader: &mut Reader, claim: &IdempotencyClaim, now: Timestamp) -> Result<Option<Replay>> {
    match claimed(reader, claim, now).await? {
        None => Ok(None),
        Some(known) if known.request != claim.request => Err(reused()),
        Some(Claimed { answer: Some(answer), .. }) => Ok(Some(answer)),
        Some(known) => Err(unanswered(known.created_at, now)),
    }
}

/// Refuses a request whose claim is taken, as the write itself would: for what is judged before the write, which must not
/// answer a repetition by what its first time has changed.
///
/// # Errors
/// As [`find`], and aborted when the first request was answered since the gate looked.
pub async fn check_unclaimed(reader: &mut Reader, ctx: &Ctx) -> Result<()> {
    let Some(claim) = &ctx.idempotency else { return Ok(()) };
    match find(reader, claim, ctx.now).await? {
        Some(_) => Err(running()),
        None => Ok(()),
    }
}

/// Takes the claim for the write under way.
pub(crate) async fn claim(reader: &mut Reader, claim: &IdempotencyClaim, now: Timestamp) -> Result<()> {
    let expired = now.plus_seconds(-LIFETIME_SECONDS);
    reader
        .connection
        .send(
            "DELETE FROM idempotency WHERE claim = $1 AND created_at <= $2 OR claim IN \
         (SELECT claim FROM idempotency WHERE created_at <= $2 ORDER BY created_at LIMIT $3)",
            &[claim.key.as_slice().into(), expired.into(), PURGE.into()],
        )
        .await?;
    let taken = reader
        .connection
        .execute(
            "INSERT INTO idempotency (claim, request, created_at) VALUES ($1, $2, $3) ON CONFLICT (claim) DO NOTHING",
            &[claim.key.as_slice().into(), claim.request.as_slice().into(), now.into()],
        )
        .await?;
    if taken > 0 {
        return Ok(());
    }
    match find(reader, claim, now).await? {
        // It was answered since the gate looked.
        Some(_) => Err(running()),
        None => Err(Error::internal("an idempotency claim is taken and not there")),
    }
}

/// Keeps the answer to a request that has claimed.
pub(crate) async fn save(connection: &mut Connection, claim: &IdempotencyClaim, answer: &Replay) -> Result<()> {
    connection
        .send(
            "UPDATE idempotency SET message = $3, etag = $4 WHERE claim = $1 AND request = $2 AND message IS NULL",
            &[
                claim.key.as_slice().into(),
                claim.request.as_slice().into(),
                answer.message.as_slice().into(),
                answer.etag.as_ref().into(),
            ],
        )
        .await
}

async fn claimed(reader: &mut Reader, claim: &IdempotencyClaim, now: Timestamp) -> Result<Option<Claimed>> {
    reader
        .query_one(
            "SELECT request, message, etag, created_at FROM idempotency WHERE claim = $1 AND created_at > $2",
            &[claim.key.as_slice().into(), now.plus_seconds(-LIFETIME_SECONDS).into()],
            read,
        )
        .await
}

fn read(row: &Row<'_>) -> Result<Claimed> {
    let etag = row.opt_string(2)?;
    let answer = row.opt_bytes(1)?.map(|message| Replay { message: message.to_vec(), etag });
    Ok(Claimed { request: row.bytes(0)?.to_vec(), answer, created_at: row.time(3)? })
}

fn reused() -> Error {
    let description = "the idempotency key was used for another request in the last 24 hours; choose a new key";
    let violation = Violation { field: "idempotency-key".to_owned(), description: description.to_owned() };
    Error::fields(Rule::IdempotencyKeyReused, vec![violation])
}

fn running() -> Error {
    Error::new(
        Kind::Aborted,
        Rule::IdempotentRequestRunning,
        "a request with this idempotency key is under way; retry in a moment to get its answer",
    )
    .with(Detail::RetryAfter(std::time::Duration::from_secs(1)))
}

fn unanswered(claimed_at: Timestamp, now: Timestamp) -> Error {
    if now < claimed_at.plus_seconds(ANSWER_SECONDS) {
        return running();
    }
    Error::new(
        Kind::Aborted,
        Rule::IdempotentAnswerLost,
        "the request with this idempotency key was applied, but its answer is not kept; read the resource instead",
    )
}
