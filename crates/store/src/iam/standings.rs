//! What decides who may do what: how an identity stands, and what has changed about that.

use std::collections::{BTreeMap, HashMap};

use domain::{CapabilitySet, Grant, Noun, Place, Result, Revision, Uidp};

use crate::{Reader, engine::Row, iam::roles};

/// What changes when anybody's rights or tokens do.
const NOUNS: &str = "('identity', 'role', 'signing_key', 'store')";
/// Over how many revisions the feed is read.
const SPAN: i64 = 10_000;
/// How many changes are worth telling one by one.
const CHANGES: usize = 1_000;

/// A state of everything: that after a commit, at one server of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// A number that the server gave itself when it started. Another one may have lost what this one has acknowledged.
    pub server: i64,
    /// The commit.
    pub revision: Revision,
}

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
    /// The state now.
    pub at: Position,
    /// What has changed about identities, their bindings included, about roles and about signing keys. `None` when it is too
    /// much to tell, a backup was restored, or the earlier state is not one of this server's: everything may have changed.
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

/// What has changed since `known`. One query, whose answer is small.
///
/// # Errors
/// Internal when the storage fails.
pub async fn news(reader: &mut Reader, known: Position) -> Result<News> {
    // Who has missed more than the span reads nothing of it. The bounds do not depend on a row, so that no plan can mean
    // to read the whole feed, whatever an engine knows of its length.
    let sql = format!(
        "SELECT r.n, {}, c.noun, c.uid FROM revision r LEFT JOIN changes c \
         ON c.revision > (SELECT CASE WHEN n - $1 > {SPAN} THEN n ELSE $1 END FROM revision) \
         AND c.revision <= (SELECT n FROM revision) AND c.noun IN {NOUNS} LIMIT {}",
        reader.server(),
        CHANGES + 1
    );
    let (mut at, mut changes) = (Position::default(), Vec::new());
    let read = |row: &Row<'_>| {
        at = Position { revision: row.revision(0)?, server: row.int(1)? };
        if row.opt_text(2)?.is_some() {
            changes.push((row.word(2)?, row.string(3)?));
        }
        Ok(())
    };
    reader.query_map(&sql, &[known.revision.into()], read).await?;
    let told = at.server == known.server
        && (known.revision.0..=known.revision.0.saturating_add(SPAN)).contains(&at.revision.0)
        && changes.len() <= CHANGES
        && !changes.iter().any(|(noun, _)| *noun == Noun::Store);
    Ok(News { at, changes: told.then_some(changes) })
}

/// The state that the reader sees.
///
/// # Errors
/// Internal when the storage fails.
pub async fn position(reader: &mut Reader) -> Result<Position> {
    let sql = format!("SELECT n, {} FROM revision", reader.server());
    let found = reader.query_one(&sql, &[], |row| Ok(Position { revision: row.revision(0)?, server: row.int(1)? })).await?;
    found.ok_or_else(|| domain::Error::internal("the store has lost its revision"))
}
