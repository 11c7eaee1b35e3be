//! The task that makes the fences when a store opens, and moves them forward as the feed tells.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use database::Snapshots;
use domain::{Error, Result, Uidp};
use tokio::{task::JoinHandle, time::Instant};

use super::{moves, scan};
use crate::{
    Reader, counts,
    fences::{Misfit, Ranks, Version, Walk},
    table::Nouns,
};

/// How long fences stay behind when little changes, and when more than [`MANY`] changes came meanwhile.
const PERIODS: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(100)];
const MANY: usize = 1000;
/// How long nothing is made anew after fences had to be given up: while an older program writes to the same database, its
/// changes do not tell enough, and new ones would not last.
const PAUSE: Duration = Duration::from_mins(1);
/// Parents that are gone and keep their numbers all the same, for each row between two fences.
const LITTER: usize = 16;
/// Parts that are divided in one snapshot: some milliseconds.
const PARTS: usize = 8;
/// Changes read at once.
const STRETCH: usize = 10_000;

/// The handle of the task. Dropping it ends the task soon.
#[derive(Debug)]
pub(crate) struct Follower {
    ranks: Arc<Ranks>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Follower {
    /// Starts the task. It keeps no claim on the data.
    ///
    /// # Errors
    /// Internal outside a runtime.
    pub(crate) fn start(snapshots: Snapshots, ranks: Arc<Ranks>, nouns: Nouns) -> Result<Self> {
        let runtime = tokio::runtime::Handle::try_current().map_err(Error::internal)?;
        let task = Task { snapshots, ranks: Arc::clone(&ranks), nouns, not_before: Instant::now(), failing: false, steps: 0 };
        Ok(Self { ranks, task: Mutex::new(Some(runtime.spawn(task.run()))) })
    }

    /// Ends the task.
    pub(crate) async fn stop(&self) {
        self.ranks.close();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::error!(%error, "what keeps the ranks of lists has ended early");
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.ranks.close();
    }
}

struct Task {
    snapshots: Snapshots,
    ranks: Arc<Ranks>,
    nouns: Nouns,
    /// When fences may be made next.
    not_before: Instant,
    failing: bool,
    /// How many rows had moved when the fences were moved forward last.
    steps: usize,
}

impl Task {
    async fn run(mut self) {
        while !self.ranks.is_closed() {
            let round = self.round().await;
            match &round {
                Ok(_) => self.failing = false,
                Err(error) if !self.failing && !self.ranks.is_closed() => {
                    tracing::warn!(?error, "cannot keep the ranks of lists up to date; pages far behind the first are slow");
                    self.failing = true;
                }
                Err(_) => {}
            }
            if !matches!(round, Ok(true)) {
                let [seldom, often] = PERIODS;
                self.ranks.rest(if self.steps > MANY { often } else { seldom }).await;
            }
        }
    }

    /// Moves all fences forward and makes those of one more walk. Answers whether it did the latter.
    async fn round(&mut self) -> Result<bool> {
        self.steps = 0;
        if !self.is_up_to_date() {
            let stride = self.ranks.stride();
            for (walk, version) in self.forward(&mut self.snapshot().await?, stride).await? {
                self.divide(walk, version, stride).await?;
            }
            self.forget_parents().await?;
        }
        let missing = self.ranks.missing().filter(|_| Instant::now() >= self.not_before);
        let Some(walk) = missing else { return Ok(false) };
        self.make(&mut self.snapshot().await?, walk).await
    }

    /// Whether that is known without asking the database.
    fn is_up_to_date(&self) -> bool {
        self.snapshots.published().is_some_and(|revision| self.ranks.hold_at(revision))
    }

    async fn snapshot(&self) -> Result<Reader> {
        Ok(Reader::new(self.snapshots.take().await?))
    }

    async fn make(&self, reader: &mut Reader, walk: Walk) -> Result<bool> {
        let (at, stride) = (reader.position().await?, self.ranks.stride());
        if !self.ranks.is_of(at) {
            return Ok(true);
        }
        let Some(fences) = scan::all(reader, walk, &self.ranks.parents(), stride, || !self.ranks.is_closed()).await? else {
            return Ok(false);
        };
        self.ranks.put(walk, Version { since: at.revision, upto: at.revision, fences }, stride);
        Ok(true)
    }

    /// Takes over what has changed, in one snapshot. Gives the walks that have parts to be divided: their new versions are not
    /// for readers yet.
    async fn forward(&mut self, reader: &mut Reader, stride: usize) -> Result<Vec<(Walk, Version)>> {
        let at = reader.position().await?;
        let mut walks: Vec<_> =
            self.ranks.last(at).into_iter().map(|(walk, version)| (walk, version, Ok::<_, Misfit>(false))).collect();
        let Some(oldest) = walks.iter().map(|(_, version, _)| version.upto).min() else { return Ok(Vec::new()) };
        let mut next = (oldest < at.revision).then(|| moves::behind(oldest));
        while let Some(after) = next {
            let Some(stretch) = moves::after(reader, after, STRETCH).await? else {
                self.give_up_untold(walks.into_iter().map(|(walk, ..)| walk));
                return Ok(Vec::new());
            };
            for (walk, version, moved) in &mut walks {
                let steps = stretch.steps.iter().filter(|step| step.revision > version.upto);
                *moved = moved.and_then(|moved| Ok(version.fences.apply(*walk, steps)? || moved));
            }
            self.steps += stretch.steps.len();
            next = stretch.more;
        }
        let mut crowded = Vec::new();
        for (walk, mut version, moved) in walks {
            let Ok(moved) = moved else {
                self.give_up_misfit(walk);
                continue;
            };
            version.upto = at.revision;
            if moved {
                version.since = at.revision;
                version.fences.join(stride / 2);
            }
            if version.fences.crowded(2 * stride).is_some() {
                crowded.push((walk, version));
            } else {
                self.ranks.put(walk, version, stride);
            }
        }
        Ok(crowded)
    }

    /// Divides the parts of a walk that have grown, a few at a time: each time in a new snapshot, which the fences are moved
    /// forward to, so that none is held for long however many parts there are.
    async fn divide(&mut self, walk: Walk, mut version: Version, stride: usize) -> Result<()> {
        while version.fences.crowded(2 * stride).is_some() && !self.ranks.is_closed() {
            let mut reader = self.snapshot().await?;
            let at = reader.position().await?;
            if !self.ranks.is_of(at) || at.revision < version.upto {
                // Another server, or one that has lost commits: the next round begins anew.
                return Ok(());
            }
            let mut next = (version.upto < at.revision).then(|| moves::behind(version.upto));
            while let Some(after) = next {
                let Some(stretch) = moves::after(&mut reader, after, STRETCH).await? else {
                    self.give_up_untold([walk]);
                    return Ok(());
                };
                if version.fences.apply(walk, &stretch.steps).is_err() {
                    self.give_up_misfit(walk);
                    return Ok(());
                }
                next = stretch.more;
            }
            (version.since, version.upto) = (at.revision, at.revision);
            for _ in 0..PARTS {
                let Some(part) = version.fences.crowded(2 * stride) else { break };
                let parts = scan::divided(&mut reader, walk, &version.fences, part, stride).await?;
                if version.fences.divide(part, parts).is_err() {
                    self.give_up_misfit(walk);
                    return Ok(());
                }
            }
        }
        self.ranks.put(walk, version, stride);
        Ok(())
    }

    /// Forgets the parents of rows that are gone, once they are many and most.
    async fn forget_parents(&self) -> Result<()> {
        let (parents, litter) = (self.ranks.parents(), LITTER * self.ranks.stride());
        if parents.len() > litter {
            // Beside the root of all.
            let (mut reader, mut live) = (self.snapshot().await?, 1_u64);
            for noun in self.nouns.parents() {
                live = live.saturating_add(counts::below(&mut reader, noun.noun, Uidp::ROOT).await?);
            }
            drop(reader);
            let dead = parents.len().saturating_sub(usize::try_from(live).unwrap_or(usize::MAX));
            if parents.are_full() && dead > parents.len() / 8 {
                // Some of those that are there got no number, so that it is not known where their rows are.
                tracing::info!("many parents of rows are gone; the ranks of lists are made anew");
                self.ranks.begin_anew();
            } else if dead > litter && dead > parents.len() / 2 {
                self.ranks.forget_parents();
            }
        }
        Ok(())
    }

    fn give_up_untold(&mut self, walks: impl IntoIterator<Item = Walk>) {
        tracing::info!("the feed does not tell where rows stand; the ranks of lists are made anew in a minute");
        self.give_up(walks);
    }

    fn give_up_misfit(&mut self, walk: Walk) {
        tracing::error!(?walk, "the ranks of a list do not fit what the feed tells and are made anew in a minute");
        self.give_up([walk]);
    }

    fn give_up(&mut self, walks: impl IntoIterator<Item = Walk>) {
        for walk in walks {
            self.ranks.forget(walk);
        }
        self.not_before = Instant::now() + PAUSE;
    }
}
