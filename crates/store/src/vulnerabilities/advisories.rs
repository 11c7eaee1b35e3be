//! Advisories with their events, which are part of their rows, and the words that they are found by.

use std::collections::{BTreeMap, BTreeSet};

use database::{Fault, Index, Param, Row};
use domain::{
    Error, Kind, Noun, Result, Rule, Timestamp, Uidp,
    vulnerabilities::{Advisory, AdvisorySpec, AdvisoryView, DocumentFormat, EventType, Severity},
};

use super::{changed, check_few, imports, known};
use crate::{
    BoxFuture, CursorKey, Reader, Writer, counts,
    iam::groups,
    list::{Filter, ListQuery, Listed, Term, Words},
    rows,
    table::{self, Column, Columns, Declared, Entity, OrderIndexes, OwnOrder, Values, WithParent, bool, int, its_fields, text},
};

/// Which advisories to list. What is empty admits all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdvisoryFilter {
    /// Only those with one of these public ids.
    pub advisory_ids: Vec<String>,
    /// Only those with one of these older ids.
    pub legacy_ids: Vec<String>,
    /// Only those with one of these aliases.
    pub aliases: Vec<String>,
    /// Only those about artifacts of one of these names.
    pub artifact_names: Vec<String>,
    /// Only those about components of one of these names.
    pub component_names: Vec<String>,
    /// Only those about artifacts of one of these types.
    pub artifact_types: Vec<String>,
    /// Only those about artifacts for one of these architectures.
    pub artifact_architectures: Vec<String>,
    /// Only those about components of one of these types.
    pub component_types: Vec<String>,
    /// Only those about components at one of these places.
    pub component_locations: Vec<String>,
    /// Only those with an event by one of these authors.
    pub event_authors: Vec<String>,
    /// None of those with an event by one of these authors.
    pub not_event_authors: Vec<String>,
    /// Only those with an event that one of these reviewed.
    pub event_reviewers: Vec<String>,
    /// Only those with an event of one of these types: a bit for each, 0 for any.
    pub event_types: i64,
    /// Only those with an event in one of these states: a bit for each, 0 for any.
    pub review_states: i64,
    /// Only those of which the latest approved event is of this type.
    pub latest_event_type: Option<EventType>,
    /// Only those with this text in the artifact's or component's name or an alias, in upper or lower case.
    pub query: String,
    /// Only those that the public may see.
    pub published: bool,
    /// Only those that changed then or later.
    pub updated_since: Option<Timestamp>,
}

impl Filter for AdvisoryFilter {
    type Row = Advisory;

    fn terms(&self) -> Vec<Term> {
        let few = |column, values| given(values).map(|values| Term::few_of(column, values));
        let tested = |column, values| given(values).map(|values| Term::tested_of(column, values));
        let any_bit = |column, bits| (bits != 0).then(|| Term::any_bit(column, bits));
        let query = Some(&self.query).filter(|query| !query.is_empty());
        let terms = [
            given(&self.advisory_ids).map(|ids| Term::one_each("advisory_id", "advisory_id_key", ids)),
            few("legacy_id", &self.legacy_ids),
            words(ALIAS, &self.aliases).map(Term::few_words),
            few("artifact_name", &self.artifact_names),
            few("component_name", &self.component_names),
            self.latest_event_type.map(|kind| Term::one_of("latest_event_type", vec![kind.number()])),
            any_bit("event_types", self.event_types),
            any_bit("review_states", self.review_states),
            self.published.then(|| Term::is_true("published")),
            tested("artifact_type", &self.artifact_types),
            tested("artifact_architecture", &self.artifact_architectures),
            tested("component_type", &self.component_types),
            tested("component_location", &self.component_locations),
            words(AUTHOR, &self.event_authors).map(Term::tested_words),
            words(REVIEWER, &self.event_reviewers).map(Term::tested_words),
            words(AUTHOR, &self.not_event_authors).map(Term::no_words),
            query.map(|query| Term::contains("searched", query)),
            self.updated_since.map(|at| Term::since(UPDATED_AT, "org_updated_at", at)),
        ];
        terms.into_iter().flatten().collect()
    }
}

/// The values of a filter, if it is one.
fn given(values: &[String]) -> Option<Vec<String>> {
    (!values.is_empty()).then(|| values.to_vec())
}

/// A condition on words, if there is one.
fn words(kind: &'static str, any_of: &[String]) -> Option<Words> {
    given(any_of).map(|any_of| Words { table: "advisory_words", kind, any_of })
}

/// What is declared of advisories.
pub(crate) static DECLARED: Declared =
    Declared::new::<Advisory>("advisories", COLUMNS, &groups::DECLARED, WithParent::Goes(go_with)).ordered_by(&[
        OwnOrder {
            column: UPDATED_AT,
            is_text: false,
            indexes: Some(OrderIndexes { table: UPDATED_AT, parent: "parent_updated_at", org: "org_updated_at" }),
        },
        OwnOrder { column: WITHDRAWN_AT, is_text: false, indexes: None },
        OwnOrder { column: ALIASES, is_text: true, indexes: None },
    ]);

const COLUMNS: &[Column] = &[
    text("advisory_id").for_conditions().left_alone(),
    text("artifact_name"),
    text("artifact_type"),
    text("artifact_architecture"),
    text("component_name"),
    text("component_location"),
    text("component_type"),
    text(ALIASES),
    text("author"),
    text("legacy_id"),
    text("events"),
    int(WITHDRAWN_AT),
    text("searched").for_conditions(),
    int("event_types").for_conditions(),
    int("review_states").for_conditions(),
    int("latest_event_type").for_conditions(),
    int("fixed_at").for_conditions(),
    bool("published").for_conditions(),
];

/// The order of lists by when an advisory last changed.
pub const UPDATED_AT: &str = "updated_at";
/// The order of lists by when an advisory was withdrawn; what stands comes before all that was.
pub const WITHDRAWN_AT: &str = "withdrawn_at";
/// The order of lists by aliases, in byte order.
pub const ALIASES: &str = "aliases";

/// The kinds of words.
const ALIAS: &str = "alias";
const AUTHOR: &str = "author";
const REVIEWER: &str = "reviewer";

impl Entity for Advisory {
    const NOUN: Noun = Noun::Advisory;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: AdvisorySpec {
                artifact_name: columns.string()?,
                artifact_type: columns.string()?,
                artifact_architecture: columns.string()?,
                component_name: columns.opt_string()?,
                component_location: columns.opt_string()?,
                component_type: columns.opt_string()?,
                aliases: columns.json()?,
                author: columns.string()?,
                legacy_id: columns.opt_string()?,
            },
            events: columns.json()?,
            withdrawn_at: columns.time_unless_0()?,
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let AdvisorySpec {
            artifact_name,
            artifact_type,
            artifact_architecture,
            component_name,
            component_location,
            component_type,
            aliases,
            author,
            legacy_id,
        } = &self.spec;
        values.add(self.public_id().to_string()).add(artifact_name).add(artifact_type).add(artifact_architecture);
        values.add(component_name.as_ref()).add(component_location.as_ref()).add(component_type.as_ref());
        values.json(aliases)?.add(author).add(legacy_id.as_ref()).json(&self.events)?;
        values.add(self.withdrawn_at.unwrap_or_default()).add(self.spec.searched());
        values.add(self.event_types()).add(self.review_states());
        values.add(self.latest_event_type().map_or(0, EventType::number)).add(self.fixed_at().unwrap_or_default());
        values.add(self.is_published());
        Ok(())
    }

    fn own_key(&self, column: &'static str) -> CursorKey {
        match column {
            UPDATED_AT => CursorKey::Time(self.updated_at),
            WITHDRAWN_AT => CursorKey::Time(self.withdrawn_at.unwrap_or_default()),
            _ => CursorKey::Name(database::json(&self.spec.aliases).unwrap_or_default()),
        }
    }

    async fn after_insert(&self, tx: &mut Writer) -> Result<()> {
        for (kind, word) in words_of(self) {
            add_word(tx, self, kind, word).await?;
        }
        changed::touch(tx, self.uid.root_text()).await
    }

    async fn after_update(&self, tx: &mut Writer, from: &Self) -> Result<()> {
        let (old, new) = (words_of(from), words_of(self));
        for (kind, word) in old.difference(&new) {
            let sql = "DELETE FROM advisory_words WHERE kind = $1 AND word = $2 AND of_uid = $3";
            tx.send(sql, &[(*kind).into(), (*word).into(), (&self.uid).into()]).await?;
        }
        for (kind, word) in new.difference(&old) {
            add_word(tx, self, kind, word).await?;
        }
        changed::touch(tx, self.uid.root_text()).await
    }

    async fn before_delete(tx: &mut Writer, uid: &Uidp) -> Result<()> {
        tx.send("DELETE FROM advisory_words WHERE of_uid = $1", &[uid.into()]).await
    }

    fn refused(&self, fault: Fault) -> Error {
        match fault {
            // Of a million advisories none has the public id of another, most likely; whoever meets that one has another identifier
            // the next time.
            Fault::Unique(constraint) if constraint == "advisories_advisory_id_key" => {
                let message = format!("the public id {} is taken; try again", self.public_id());
                Error::new(Kind::Aborted, Rule::Contended, message).because(constraint)
            }
            other => other.into(),
        }
    }
}

/// The words that an advisory is found by.
fn words_of(advisory: &Advisory) -> BTreeSet<(&'static str, &str)> {
    let aliases = advisory.spec.aliases.iter().map(|alias| (ALIAS, alias.as_str()));
    let authors = advisory.events.iter().map(|event| (AUTHOR, event.author.as_str()));
    let reviewers = advisory.events.iter().map(|event| (REVIEWER, event.reviewer.as_str()));
    aliases.chain(authors).chain(reviewers).filter(|(_, word)| !word.is_empty()).collect()
}

async fn add_word(tx: &mut Writer, advisory: &Advisory, kind: &str, word: &str) -> Result<()> {
    let sql = "INSERT INTO advisory_words (kind, word, of_uid) VALUES ($1, $2, $3)";
    tx.send(sql, &[kind.into(), word.into(), (&advisory.uid).into()]).await
}

/// Removes the advisories of a group that goes, and their words.
fn go_with<'a>(tx: &'a mut Writer, group: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        check_few(tx, Noun::Advisory, group, "advisories").await?;
        imports::go_with(tx, group).await?;
        let words = "DELETE FROM advisory_words WHERE of_uid IN (SELECT uid FROM advisories WHERE parent = $1)";
        tx.send(words, &[group.into()]).await?;
        table::remove::<Advisory>(tx, "parent", group).await?;
        changed::go_with(tx, group).await
    })
}

/// The advisory with how bad its vulnerability is, if it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get_view(reader: &mut Reader, uid: &Uidp) -> Result<Option<AdvisoryView>> {
    let Some(advisory) = rows::get(reader, uid).await? else { return Ok(None) };
    Ok(views(reader, vec![advisory]).await?.pop())
}

/// A page of advisories with how bad their vulnerabilities are.
///
/// # Errors
/// Invalid argument when the query asks for what no list offers; internal when the storage fails.
pub async fn list_views<F: Filter<Row = Advisory>>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<AdvisoryView>> {
    let Listed { items, next, total, skipped } = rows::list(reader, query).await?;
    Ok(Listed { items: views(reader, items).await?, next, total, skipped })
}

/// Adds how bad the vulnerabilities of the advisories are, as far as the organization of each knows.
///
/// # Errors
/// Internal when the storage fails.
pub async fn views(reader: &mut Reader, advisories: Vec<Advisory>) -> Result<Vec<AdvisoryView>> {
    let mut names = BTreeMap::<Uidp, BTreeSet<String>>::new();
    for advisory in &advisories {
        names.entry(advisory.uid.root()).or_default().extend(advisory.spec.aliases.iter().cloned());
    }
    let mut known = BTreeMap::new();
    for (org, names) in names {
        let found = known::severities(reader, &org, &names).await?;
        known.insert(org, found);
    }
    let view = |advisory: Advisory| {
        let of_org = known.get(&advisory.uid.root());
        let ratings = advisory.spec.aliases.iter().filter_map(|alias| of_org?.get(alias)).flatten();
        let severities: BTreeSet<Severity> = ratings.cloned().collect();
        AdvisoryView { advisory, severities: severities.into_iter().collect() }
    };
    Ok(advisories.into_iter().map(view).collect())
}

/// Advisories of a group behind this identifier, so many at most, and whether each came in this format.
///
/// # Errors
/// Internal when the storage fails.
pub async fn behind(
    reader: &mut Reader,
    parent: &Uidp,
    uid: &str,
    format: DocumentFormat,
    most: usize,
) -> Result<Vec<(Advisory, bool)>> {
    let columns = &DECLARED.statements().columns;
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM advisory_parts p WHERE p.advisory = advisories.uid AND p.format = $3), {columns} \
         FROM advisories WHERE parent = $1 AND uid > $2 ORDER BY uid LIMIT $4"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let params = [parent.into(), uid.into(), format.as_str().into(), most.into()];
    reader.query_map(&sql, &params, |row| Ok((Advisory::read(&mut Columns::of(row, 1))?, row.bool(0)?))).await
}

/// A vulnerability that an artifact has no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedVulnerability {
    /// The advisory that says so.
    pub advisory: Uidp,
    /// Its aliases.
    pub aliases: Vec<String>,
    /// When it was fixed.
    pub fixed_at: Timestamp,
}

/// What published advisories of these groups say that is fixed in an artifact, by identifier: so many at most.
///
/// # Errors
/// Internal when the storage fails.
pub async fn fixed(reader: &mut Reader, groups: &[Uidp], artifact: &str, most: usize) -> Result<Vec<FixedVulnerability>> {
    let places = counts::placeholders(3, groups.len());
    let walk = reader.walk(Index::Named(DECLARED.table, "artifact_name"));
    let sql = format!(
        "SELECT uid, aliases, fixed_at FROM advisories{walk} WHERE artifact_name = $1 AND fixed_at > 0 AND published \
         AND parent IN ({places}) ORDER BY uid LIMIT $2"
    );
    let mut params: Vec<Param<'_>> = vec![artifact.into(), i64::try_from(most).unwrap_or(i64::MAX).into()];
    params.extend(groups.iter().map(Param::from));
    let read = |row: &Row<'_>| {
        let (advisory, aliases) = (row.uidp(0)?, row.json(1)?);
        Ok(FixedVulnerability { advisory, aliases, fixed_at: row.time(2)? })
    };
    reader.at_length(true);
    let found = reader.query_map(&sql, &params, read).await;
    reader.at_length(false);
    found
}
