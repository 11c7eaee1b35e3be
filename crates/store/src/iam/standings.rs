//! What decides who may do what: how an identity stands, and what has changed about that.

use std::collections::{BTreeMap, HashMap};

use database::Row;
use domain::{CapabilitySet, Grant, Noun, Place, Result, Revision, Uidp};

pub use crate::position::Position;
use crate::{Reader, iam::roles};

/// What changes when anybody's rights or tokens do.
const NOUNS: &str = "('identity', 'role', 'signing_key', 'store')";
/// Over how many revisions the feed is read at once.
const SPAN: i64 = 10_000;
/// How many changes are told at once.
const CHANGES: usize = 1_000;
/// How many changes a write looks through: some milliseconds.
const LOOKED_THROUGH: i64 = 4_000;

/// How an identity stands in one state of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How often its relationship has changed: what its tokens are compared with.
    pub relationship_revision: i64,
    /// Everything that it holds, one grant for each binding.
    pub grants: Vec<Grant>,
    /// The roles that it is bound to, each once.
    pub roles: Vec<Uidp>,
}

/// The signing keys by their `kid`, each with the commit that last wrote it: other keys, or the same ones changed, are
/// another value.
pub type KeyMarks = BTreeMap<String, Revision>;

/// What decides about the tokens of an identity, all in one state of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// That state.
    pub at: Position,
    /// The signing keys.
    pub keys: KeyMarks,
    /// How the identity stands, if it exists.
    pub standing: Option<Standing>,
}

/// What happened since a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The state up to which this tells.
    pub at: Position,
    /// Whether there are later ones: much has happened, and is told in steps. Ask again from `at`.
    pub more: bool,
    /// What has changed about identities, their bindings included, about roles and about signing keys. `None` when one commit
    /// has changed too much to tell, a backup was restored, or the earlier state is not one of this server's: everything may
    /// have changed.
    pub changes: Option<Vec<(Noun, String)>>,
}

/// How the identity stands, which signing keys there are, and in which state of everything that is so. One query.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, identity: &Uidp) -> Result<Seen> {
    let sql = format!(
        "SELECT 'at', n, {}, '', '' FROM revision \
         UNION ALL SELECT 'key', revision, 0, kid, '' FROM signing_keys \
         UNION ALL SELECT 'identity', relationship_revision, 0, '', '' FROM identities WHERE uid = $1 \
         UNION ALL SELECT 'role', 0, 0, uid, capabilities FROM roles \
                   WHERE uid IN (SELECT role FROM role_bindings WHERE identity = $1) \
         UNION ALL SELECT 'binding', 0, 0, parent, role FROM role_bindings WHERE identity = $1",
        reader.server()
    );
    let (mut at, mut keys) = (Position::default(), KeyMarks::new());
    let (mut relationship, mut bindings) = (None, Vec::new());
    let mut roles: HashMap<Uidp, CapabilitySet> = HashMap::new();
    let read = |row: &Row<'_>| {
        match row.text(0)? {
            "at" => at = Position { revision: row.revision(1)?, server: row.int(2)? },
            "key" => drop(keys.insert(row.string(3)?, row.revision(1)?)),
            "identity" => relationship = Some(row.int(1)?),
            "role" => drop(roles.insert(row.uidp(3)?, roles::capabilities(row, 4)?)),
            _ => bindings.push((row.uidp(3)?, row.uidp(4)?)),
        }
        Ok(())
    };
    reader.query_map(&sql, &[identity.into()], read).await?;
    let grant =
        |(at, role): (Uidp, Uidp)| Grant { at: Place::At(at), capabilities: roles.get(&role).copied().unwrap_or_default() };
    let grants = bindings.into_iter().map(grant).collect();
    let standing =
        relationship.map(|relationship_revision| Standing { relationship_revision, grants, roles: roles.into_keys().collect() });
    Ok(Seen { at, keys, standing })
}

/// What has changed since `known`, or the first of it: over 10,000 revisions or 1,000 changes at once, whichever are fewer.
/// One query, whose answer is small.
///
/// # Errors
/// Unavailable when a pooler has come to share the connection with others; internal when the storage fails.
pub async fn news(reader: &mut Reader, known: Position) -> Result<News> {
    // The bounds do not depend on a row, so that no plan can mean to read the whole feed, whatever an engine knows of its length.
    let sql = format!(
        "SELECT r.n, {}, {}, c.revision, c.noun, c.uid, \
         (SELECT floor FROM retention) FROM revision r LEFT JOIN \
         (SELECT revision, noun, uid FROM changes WHERE revision > $1 AND revision <= $2 AND noun IN {NOUNS} \
          ORDER BY revision, ordinal LIMIT {}) c ON c.revision > 0 ORDER BY c.revision",
        reader.server(),
        reader.process(),
        CHANGES + 1
    );
    let (mut now, mut process, mut changes) = (Position::default(), 0, Vec::new());
    let mut floor = None;
    let read = |row: &Row<'_>| {
        floor = row.opt_int(6)?.map(Revision);
        now = Position { revision: row.revision(0)?, server: row.int(1)? };
        process = row.int(2)?;
        if row.opt_text(4)?.is_some() {
            changes.push((row.revision(3)?, row.word(4)?, row.string(5)?));
        }
        Ok(())
    };
    let span = Revision(known.revision.0.saturating_add(SPAN));
    reader.query_map(&sql, &[known.revision.into(), span.into()], read).await?;
    // Every node asks this all the time, also one that only reads.
    reader.check_process(process)?;
    let is_restored = changes.iter().any(|(_, noun, _)| *noun == Noun::Store);
    if now.server != known.server
        || now.revision < known.revision
        || floor.is_some_and(|floor| known.revision < floor)
        || is_restored
    {
        return Ok(News { at: now, more: false, changes: None });
    }
    let mut upto = now.revision.min(span);
    // With more than are told at once, the last of them may be one of several of its commit.
    if let Some((last, ..)) = changes.get(CHANGES) {
        upto = Revision(last.0 - 1);
        changes.retain(|(revision, ..)| *revision <= upto);
        if changes.is_empty() {
            return Ok(News { at: now, more: false, changes: None });
        }
    }
    let at = Position { revision: upto, ..now };
    let changes = changes.into_iter().map(|(_, noun, uid)| (noun, uid)).collect();
    Ok(News { at, more: upto < now.revision, changes: Some(changes) })
}

/// Whether the identity, its bindings or a role that it is bound to may have changed since a state, so that it holds something else
/// than then: also when more has changed since than is looked through, whatever that is. A writer sees what it and others of the
/// same commit have changed as well.
///
/// # Errors
/// Internal when the storage fails.
pub async fn may_have_changed(reader: &mut Reader, identity: &Uidp, since: Position) -> Result<bool> {
    let changed = "WHEN 'identity' THEN CASE c.uid WHEN $2 THEN 1 END \
                   WHEN 'role' THEN CASE WHEN c.uid IN (SELECT role FROM role_bindings WHERE identity = $2) THEN 1 END";
    any_change(reader, changed, identity, since).await
}

/// Whether the role may have been given, to anybody at any place by a binding, an identity provider or a mapping of outside groups, or
/// offered by an invite, since a state: also when more has changed since than is looked through, whatever that is. A writer sees what it
/// and others of the same commit have changed as well.
///
/// # Errors
/// Internal when the storage fails.
pub async fn may_be_given_since(reader: &mut Reader, role: &Uidp, since: Position) -> Result<bool> {
    // One probe for each binding that changed, and never a look at all bindings of the role, of which there may be thousands.
    let changed = "WHEN 'role_binding' THEN (SELECT 1 FROM role_bindings b WHERE b.uid = c.uid AND b.role = $2) \
                   WHEN 'identity_provider' THEN \
                   (SELECT 1 FROM identity_providers p WHERE p.uid = c.uid AND p.default_role = $2) \
                   WHEN 'external_group_role_mapping' THEN \
                   (SELECT 1 FROM external_group_role_mappings m WHERE m.uid = c.uid AND m.role = $2) \
                   WHEN 'group_invite' THEN (SELECT 1 FROM group_invites i WHERE i.uid = c.uid AND i.role = $2)";
    any_change(reader, changed, role, since).await
}

/// Whether a change since that state is one of `changed` of what `$2` names there, or more has changed than is looked through.
async fn any_change(reader: &mut Reader, changed: &str, of: &Uidp, since: Position) -> Result<bool> {
    // All changes are seen or there are too many, so that none of their orders, nor a plan that sorts, is asked for.
    let sql = format!(
        "SELECT {}, count(*), count(CASE c.noun WHEN 'store' THEN 1 {changed} END) \
         FROM (SELECT noun, uid FROM changes WHERE revision > $1 LIMIT {}) c",
        reader.server(),
        LOOKED_THROUGH + 1
    );
    let read = |row: &Row<'_>| {
        // Another server may have given the same numbers to other commits.
        Ok(row.int(0)? != since.server || row.int(1)? > LOOKED_THROUGH || row.int(2)? > 0)
    };
    let found = reader.query_one(&sql, &[since.revision.into(), of.into()], read).await?;
    found.ok_or_else(|| domain::Error::internal("a count has no answer"))
}

/// The state that the reader sees.
///
/// # Errors
/// Internal when the storage fails.
pub async fn position(reader: &mut Reader) -> Result<Position> {
    reader.position().await
}
