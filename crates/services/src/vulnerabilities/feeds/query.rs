//! Questions about packages and versions, answered from the records of a feed without making it.

use std::collections::BTreeSet;

use domain::{Error, Kind, Result, Rule, Uidp};
use formats::osv::{Looked, spellings};
use store::{
    Reader,
    vulnerabilities::{
        advisories,
        feeds::{self, By, Candidate},
    },
};
use tokio::task::spawn_blocking;

use super::{
    Feeds,
    published::{self, Record},
};

/// The most questions that are asked together.
const QUESTIONS: usize = 1_000;
/// Advisories that are looked at together.
const PAGE: usize = 20;
/// Advisories that are looked at for one request, and bytes of their records: then the rest is asked for by page tokens.
const LOOKED_AT: usize = 1_000;
const BYTES: usize = 16 << 20;
/// Bytes of records in one answer.
const ANSWER: usize = 4 << 20;

/// A question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What is looked for.
    pub looked: Looked,
    /// Behind which advisory; empty for the first page.
    pub page_token: String,
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// When it was changed, as it says.
    pub modified: String,
    /// The record.
    pub content: Vec<u8>,
}

/// A page of answers to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The records.
    pub found: Vec<Found>,
    /// Where the next page begins, if there may be more.
    pub next_page_token: Option<String>,
}

/// What a request may still make the server look at.
#[derive(Debug)]
struct Left {
    advisories: usize,
    bytes: usize,
    answer: usize,
}

impl Left {
    fn is_none(&self) -> bool {
        self.advisories == 0 || self.bytes == 0 || self.answer == 0
    }
}

impl Feeds {
    /// The record with this id, as it is published of the group.
    ///
    /// # Errors
    /// Not found when none is.
    pub async fn record(&self, group: &Uidp, id: &str) -> Result<Vec<u8>> {
        let mut reader = self.store.reader().await?;
        let mut behind = String::new();
        loop {
            let mut candidates = feeds::candidates(&mut reader, group, By::Record(id), &behind, PAGE).await?;
            if candidates.is_empty() {
                candidates = feeds::candidates(&mut reader, group, By::PublicId(id), &behind, 1).await?;
            }
            let Some(last) = candidates.last() else {
                let message = format!("no record {} is published here", domain::text::excerpt(id));
                return Err(Error::new(Kind::NotFound, Rule::NoSuchPath, message));
            };
            behind = last.advisory.uid.to_string();
            // In folders as in the archives: the first one that has it.
            candidates.sort_by(|one, other| one.record.cmp(&other.record));
            for candidate in candidates {
                if let Some(record) = published(&mut reader, candidate).await?
                    && record.id == id
                {
                    return Ok(record.content);
                }
            }
        }
    }

    /// A page of records that say that what is looked for is affected, for each of the questions. What would take too long is left to
    /// page tokens.
    ///
    /// # Errors
    /// Invalid argument for too many questions, for one that names nothing, and for a page token of elsewhere.
    pub async fn matches(&self, group: &Uidp, questions: Vec<Question>) -> Result<Vec<Matches>> {
        if questions.len() > QUESTIONS {
            return Err(Error::field("queries", format!("queries must have at most {QUESTIONS} entries")));
        }
        for (index, question) in questions.iter().enumerate() {
            check(group, question).map_err(|why| Error::field(format!("queries[{index}]"), why))?;
        }
        let mut left = Left { advisories: LOOKED_AT, bytes: BYTES, answer: ANSWER };
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            answers.push(self.answer(group, question, &mut left).await?);
        }
        Ok(answers)
    }

    async fn answer(&self, group: &Uidp, question: Question, left: &mut Left) -> Result<Matches> {
        let Question { looked, page_token: mut behind } = question;
        let names = match looked.ecosystem.as_deref() {
            None | Some("PyPI" | "NuGet") => spellings(&looked.name),
            Some(_) => vec![looked.name.clone()],
        };
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        loop {
            if left.is_none() {
                let next = if behind.is_empty() { group.to_string() } else { behind };
                return Ok(Matches { found, next_page_token: Some(next) });
            }
            let mut records = Vec::new();
            // Each page has a snapshot of its own, so that none is held while others have their turn.
            let mut reader = self.store.reader().await?;
            let page = feeds::candidates(&mut reader, group, By::Artifact(&names), &behind, PAGE).await?;
            let is_end = page.len() < PAGE;
            left.advisories = left.advisories.saturating_sub(page.len().max(1));
            if let Some(last) = page.last() {
                behind = last.advisory.uid.to_string();
            }
            for candidate in page {
                if let Some(record) = published(&mut reader, candidate).await?
                    && seen.insert(record.id.clone())
                {
                    left.bytes = left.bytes.saturating_sub(record.content.len());
                    records.push(record);
                }
            }
            drop(reader);
            if !records.is_empty() {
                let (_turn, looked) = (self.looks.acquire().await, looked.clone());
                let affected = spawn_blocking(move || affected(&looked, records)).await.map_err(Error::internal)?;
                left.answer = left.answer.saturating_sub(affected.iter().map(|found| found.content.len()).sum());
                found.extend(affected);
            }
            if is_end {
                return Ok(Matches { found, next_page_token: None });
            }
        }
    }
}

/// Those of the records that say that what is looked for is affected.
fn affected(looked: &Looked, records: Vec<Record>) -> Vec<Found> {
    let found = records.into_iter().filter_map(|record| {
        let seen = looked.in_record(&record.content).filter(|seen| seen.is_affected)?;
        Some(Found { id: seen.id, modified: seen.modified, content: record.content })
    });
    found.collect()
}

/// Whether the question can be answered; else why not.
fn check(group: &Uidp, question: &Question) -> std::result::Result<(), String> {
    let Question { looked, page_token } = question;
    if looked.name.is_empty() {
        return Err(match looked.commit {
            Some(_) => "package is required: commits are not looked for in all packages".to_owned(),
            None => "package is required, with name and ecosystem or with a purl".to_owned(),
        });
    }
    if looked.commit.is_some() && looked.version.is_some() {
        return Err("commit and version must not both be set".to_owned());
    }
    let is_page = |uid: &Uidp| group.contains(uid);
    if !page_token.is_empty() && !page_token.parse::<Uidp>().is_ok_and(|uid| is_page(&uid)) {
        return Err("page_token must be that of the page before".to_owned());
    }
    Ok(())
}

/// What is published of a candidate as a record.
async fn published(reader: &mut Reader, candidate: Candidate) -> Result<Option<Record>> {
    let Candidate { advisory, record } = candidate;
    if let Some((parent, id)) = record {
        return Ok(feeds::original(reader, &parent, &id).await?.and_then(published::record));
    }
    let view = advisories::views(reader, vec![advisory]).await?.pop();
    Ok(view.as_ref().and_then(published::own))
}
