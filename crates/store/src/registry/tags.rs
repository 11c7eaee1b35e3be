//! Tags, and the history of what they stood for.

use database::{Fault, Row};
use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    error::Detail,
    registry::{Digest, Tag, TagForms, TagName, TagSpec},
};

use crate::{
    BoxFuture, Reader, Writer, counts,
    list::{self, Filter, ListQuery, Listed, Term},
    registry::repos,
    table::{self, Column, Columns, Declared, Entity, EventGroup, Stamp, Values, WithParent, bool, int, text},
};

/// Most tags that go with their repository: they go in one write, and all other writes wait for that.
pub const GO_TOGETHER: u64 = 5_000;
/// Most digests in the histories of tags that go with their repository, for the same reason.
pub const DIGESTS_TOGETHER: i64 = 50_000;
/// Most digests in the history of a tag; the newest are kept.
pub const DIGESTS: i64 = 1_000;

/// Which tags to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagFilter {
    /// Only those with this name.
    pub name: Option<String>,
    /// Only those that stand for this digest.
    pub digest: Option<String>,
    /// Only those that were made or changed then or later.
    pub updated_since: Option<Timestamp>,
    /// Only those whose names have no forms but these; `None` for all.
    pub forms: Option<TagForms>,
}

impl Filter for TagFilter {
    fn terms(&self) -> Vec<Term> {
        let digest = self.digest.iter().map(|digest| Term::few("digest", digest));
        let name = self.name.iter().map(|name| Term::few("name", name));
        let since = self.updated_since.map(|at| Term::since("updated_at", "org_updated_at", at));
        let forms = self.forms.map(|forms| match forms.within().map(i64::from).collect::<Vec<_>>()[..] {
            [only] => Term::many("forms", only),
            ref several => Term::one_of("forms", several.to_vec()),
        });
        digest.chain(name).chain(since).chain(forms).collect()
    }
}

/// What is declared of tags.
pub(crate) static DECLARED: Declared =
    Declared::new::<Tag>(Noun::Tag, "tags", COLUMNS, &repos::DECLARED, WithParent::Goes(go_with))
        .with_events_of(EventGroup::Organization);

const COLUMNS: &[Column] = &[text("name"), text("digest"), bool("deprecated"), text("bundles"), int("forms").for_conditions()];

impl Entity for Tag {
    fn declared() -> &'static Declared {
        &DECLARED
    }

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: TagSpec {
                name: TagName::trusted(columns.string()?),
                digest: columns.opt_string()?.map(Digest::trusted),
                deprecated: columns.bool()?,
                bundles: columns.json()?,
            },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let TagSpec { name, digest, deprecated, bundles } = &self.spec;
        values.add(name.as_str()).add(digest.as_ref().map(Digest::as_str)).add(*deprecated).json(bundles)?;
        values.add(i64::from(name.forms().bits()));
        Ok(())
    }

    fn uid(&self) -> &Uidp {
        &self.uid
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    fn stamp(&self) -> Stamp {
        Stamp { created_at: self.created_at, updated_at: self.updated_at, revision: self.revision }
    }

    fn stamped(self, Stamp { created_at, updated_at, revision }: Stamp) -> Self {
        Self { created_at, updated_at, revision, ..self }
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            Fault::Unique(constraint) if constraint == "tags_parent_name_key" => {
                let TagSpec { name, .. } = &self.spec;
                let message = format!("a tag named {name} exists in repo {}; choose another name", self.uid.parent_text());
                Error::new(Kind::AlreadyExists, Rule::NameTaken, message)
                    .with(Detail::Resource { noun: Noun::Tag, uid: name.to_string() })
                    .because(constraint)
            }
            other => other.into(),
        }
    }
}

/// The tag, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Tag>> {
    table::get(reader, uid).await
}

/// The tag of that name in the repository, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find(reader: &mut Reader, repo: &Uidp, name: &str) -> Result<Option<Tag>> {
    let sql = format!("SELECT {} FROM tags WHERE parent = $1 AND name = $2", DECLARED.statements().columns);
    reader.query_one(&sql, &[repo.into(), name.into()], |row| Tag::read(&mut Columns::of(row, 0))).await
}

/// A page of tags.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list(reader: &mut Reader, query: &ListQuery<TagFilter>) -> Result<Listed<Tag>> {
    list::page(reader, query).await
}

/// Adds a tag, and to the history what it stands for; answers it as stored.
///
/// # Errors
/// Not found when its repository does not exist; already exists when that has one of this name; internal when the storage fails.
pub async fn insert(tx: &mut Writer, tag: &Tag) -> Result<Tag> {
    let tag = table::insert(tx, tag.clone()).await?;
    remember(tx, &tag).await?;
    Ok(tag)
}

/// Changes a tag as the write has read it to another value, and adds to the history what it stands for if that is new; answers
/// it as stored.
///
/// # Errors
/// Already exists when its repository has another of that name; internal when the storage fails.
pub async fn update(tx: &mut Writer, from: &Tag, to: &Tag) -> Result<Tag> {
    let to = table::update(tx, from, to.clone()).await?;
    if to.spec.digest != from.spec.digest {
        remember(tx, &to).await?;
    }
    Ok(to)
}

/// Removes a tag with its history. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
    tx.send("DELETE FROM tag_history WHERE tag = $1", &[uid.into()]).await?;
    Ok(table::delete::<Tag>(tx, uid).await?.is_some())
}

/// What the tag has stood for lately and since when, the oldest first: [`DIGESTS`] at most.
///
/// # Errors
/// Internal when the storage fails.
pub async fn history(reader: &mut Reader, uid: &Uidp) -> Result<Vec<(Timestamp, Digest)>> {
    let sql = "SELECT at, digest FROM tag_history WHERE tag = $1 ORDER BY revision";
    let read = |row: &Row<'_>| Ok((row.time(0)?, Digest::trusted(row.string(1)?)));
    reader.query_map(sql, &[uid.into()], read).await
}

/// Writes down what a tag stands for now, in place of the oldest where there are too many.
async fn remember(tx: &mut Writer, tag: &Tag) -> Result<()> {
    let Some(digest) = &tag.spec.digest else { return Ok(()) };
    let repo = tag.uid.parent_text();
    tx.send(
        "DELETE FROM tag_history WHERE tag = $1 AND revision <= \
         (SELECT revision FROM tag_history WHERE tag = $1 ORDER BY revision DESC LIMIT 1 OFFSET $2)",
        &[(&tag.uid).into(), (DIGESTS - 1).into()],
    )
    .await?;
    tx.send(
        "INSERT INTO tag_history (tag, revision, parent, name, digest, at) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            (&tag.uid).into(),
            tag.revision.into(),
            repo.into(),
            tag.spec.name.as_str().into(),
            digest.as_str().into(),
            tag.updated_at.into(),
        ],
    )
    .await
}

/// Removes the tags of a repository that goes, and their history.
fn go_with<'a>(tx: &'a mut Writer, repo: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        if counts::children(tx, Noun::Tag, repo.as_str()).await? > GO_TOGETHER {
            let more = format!("more than {GO_TOGETHER} tags; delete some of them first");
            return Err(Error::not_empty(Noun::Repo, repo.as_str(), &more));
        }
        let digests = "SELECT count(*) FROM (SELECT 1 FROM tag_history WHERE parent = $1 LIMIT $2) AS these";
        let digests = tx.query_one(digests, &[repo.into(), (DIGESTS_TOGETHER + 1).into()], |row| row.int(0)).await?;
        if digests.is_some_and(|digests| digests > DIGESTS_TOGETHER) {
            let more = format!("tags that had more than {DIGESTS_TOGETHER} digests; delete some of them first");
            return Err(Error::not_empty(Noun::Repo, repo.as_str(), &more));
        }
        table::remove::<Tag>(tx, "parent", repo).await?;
        tx.send("DELETE FROM tag_history WHERE parent = $1", &[repo.into()]).await
    })
}
