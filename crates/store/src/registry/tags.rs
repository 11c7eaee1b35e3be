//! Tags, and the history of what they stood for.

use database::Row;
use domain::{
    Error, Noun, Result, Timestamp, Uidp,
    registry::{Digest, Tag, TagForms, TagName, TagSpec},
};

use crate::{
    BoxFuture, Reader, Writer, counts,
    list::{Filter, Term},
    registry::repos,
    table::{self, Column, Columns, Declared, Entity, EventGroup, Values, WithParent, bool, int, its_fields, text},
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
    type Row = Tag;

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
pub(crate) static DECLARED: Declared = Declared::new::<Tag>("tags", COLUMNS, &repos::DECLARED, WithParent::Goes(go_with))
    .with_unique_names()
    .with_events_of(EventGroup::Organization);

const COLUMNS: &[Column] = &[text("name"), text("digest"), bool("deprecated"), text("bundles"), int("forms").for_conditions()];

impl Entity for Tag {
    const NOUN: Noun = Noun::Tag;

    its_fields!();

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

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    async fn after_insert(&self, tx: &mut Writer) -> Result<()> {
        remember(tx, self).await
    }

    async fn after_update(&self, tx: &mut Writer, from: &Self) -> Result<()> {
        if self.spec.digest == from.spec.digest { Ok(()) } else { remember(tx, self).await }
    }

    async fn before_delete(tx: &mut Writer, uid: &Uidp) -> Result<()> {
        tx.send("DELETE FROM tag_history WHERE tag = $1", &[uid.into()]).await
    }
}

/// The tag of that name in the repository, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find(reader: &mut Reader, repo: &Uidp, name: &str) -> Result<Option<Tag>> {
    let sql = format!("SELECT {} FROM tags WHERE parent = $1 AND name = $2", DECLARED.statements().columns);
    reader.query_one(&sql, &[repo.into(), name.into()], |row| Tag::read(&mut Columns::of(row, 0))).await
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

/// The tags of a repository in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many there are.
    pub count: u64,
    /// The one that was made or changed last.
    pub latest: Option<Tag>,
}

/// The tags of the repository whose names have no forms but these, in short. It takes one row for each form, and as many entries of an
/// index as there are tags, unless all forms count.
///
/// # Errors
/// Internal when the storage fails.
pub async fn summary(reader: &mut Reader, repo: &Uidp, forms: TagForms) -> Result<Summary> {
    reader.at_length(true);
    let found = summed_up(reader, repo, forms).await;
    reader.at_length(false);
    found
}

async fn summed_up(reader: &mut Reader, repo: &Uidp, forms: TagForms) -> Result<Summary> {
    let columns = &DECLARED.statements().columns;
    let newest =
        format!("SELECT {columns} FROM tags WHERE parent = $1 AND forms = $2 ORDER BY updated_at DESC, uid DESC LIMIT 1");
    let count = "SELECT count(*) FROM tags WHERE parent = $1 AND forms = $2";
    let mut summary = Summary { count: 0, latest: None };
    if forms == TagForms::ALL {
        summary.count = counts::children(reader, Noun::Tag, repo.as_str()).await?;
    }
    for bits in forms.within() {
        let of = [repo.into(), i64::from(bits).into()];
        if forms != TagForms::ALL {
            let counted = reader.query_one(count, &of, |row| row.int(0)).await?;
            summary.count += counted.and_then(|n| u64::try_from(n).ok()).unwrap_or_default();
        }
        let found = reader.query_one(&newest, &of, |row| Tag::read(&mut Columns::of(row, 0))).await?;
        let is_later =
            |tag: &Tag| summary.latest.as_ref().is_none_or(|known| (known.updated_at, &known.uid) < (tag.updated_at, &tag.uid));
        if let Some(tag) = found.filter(is_later) {
            summary.latest = Some(tag);
        }
    }
    Ok(summary)
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
