//! What a caller holds, where the gate cannot ask: hand-checked places, and the rule that nobody hands out more than
//! they hold.

use access::{Decision, decide};
use domain::{Capability, CapabilitySet, Ctx, Error, Grant, Place, Result, Rule, Uidp};

/// The capability that this program calls by name.
///
/// # Errors
/// Internal when the contract has none of this name.
pub(crate) fn named(name: &'static str) -> Result<Capability> {
    Capability::from_name(name).ok_or_else(|| Error::internal(format!("the contract has no capability {name}")))
}

/// Refuses callers who lack `needed` at `at`, whether or not anything is there.
///
/// # Errors
/// Permission denied naming what is missing.
pub(crate) fn require(ctx: &Ctx, needed: &'static str, at: &Uidp) -> Result<()> {
    let needed: CapabilitySet = [named(needed)?].into_iter().collect();
    match decide(&ctx.grants, &needed, at) {
        Decision::Allow => Ok(()),
        Decision::Deny { missing } => {
            Err(Error::denied(Rule::CapabilityMissing, format!("permission denied: this needs {} at {at}", names(&missing))))
        }
    }
}

/// Refuses callers who would hand out `given` at `at` without holding all of it there themselves.
///
/// # Errors
/// Permission denied naming what they would hand out and do not hold.
pub(crate) fn require_grantable(ctx: &Ctx, given: &CapabilitySet, at: &Uidp) -> Result<()> {
    match decide(&ctx.grants, given, at) {
        Decision::Allow => Ok(()),
        Decision::Deny { missing } => Err(escalation(ctx, &missing, at)),
    }
}

/// Refuses callers who would take over `grants` without holding, at each of their places, all that is held there.
///
/// # Errors
/// Permission denied naming the first place where something is missing.
pub(crate) fn require_all_of(ctx: &Ctx, grants: &[Grant]) -> Result<()> {
    grants.iter().try_for_each(|grant| match &grant.at {
        Place::At(at) => require_grantable(ctx, &grant.capabilities, at),
        Place::Everywhere if ctx.grants.everywhere().is_some() => Ok(()),
        Place::Everywhere => Err(elsewhere()),
    })
}

/// Refuses callers who are not operators of the server; `what` says what only they may do.
///
/// # Errors
/// Permission denied.
pub(crate) fn require_operator(ctx: &Ctx, what: &str) -> Result<()> {
    if ctx.is_operator() {
        return Ok(());
    }
    Err(Error::denied(Rule::OperatorsOnly, format!("only operators of this server may {what}")))
}

/// Names the place to callers who hold something there, and what is missing.
fn escalation(ctx: &Ctx, missing: &CapabilitySet, at: &Uidp) -> Error {
    if ctx.grants.covering(at).is_none() {
        return elsewhere();
    }
    let message = format!("nobody can give what they do not hold: {} at {at}", names(missing));
    Error::denied(Rule::Escalation, message)
}

/// Nobody learns here what is held at places that are none of theirs, nor which these are.
fn elsewhere() -> Error {
    let message = "nobody can give what they do not hold: capabilities at a place where you hold nothing";
    Error::denied(Rule::Escalation, message)
}

/// The names for a message; long lists end in a count.
fn names(set: &CapabilitySet) -> String {
    const SHOWN: usize = 5;
    let names = set.names();
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
