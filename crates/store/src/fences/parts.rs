//! Every so many keys one, and how many there are from it to the next.

use std::sync::Arc;

use super::{
    InPlaces, Key, Step, Walk,
    parents::{Parents, Tally},
};

/// The keys of a walk in parts, of which only the first key and the number are kept. A clone is the same state at the
/// price of two pointers; changing one copies the numbers, and the keys only when a part is divided.
#[derive(Clone, Debug)]
pub(crate) struct Fences {
    /// In order; that of the first part is before everything. A key that is gone still divides.
    firsts: Arc<Vec<Arc<Key>>>,
    counts: Arc<Vec<u32>>,
    /// In walks that scattered places are looked for in, how many rows of each part have which parent.
    tallies: Option<Tallies>,
}

#[derive(Clone, Debug)]
struct Tallies {
    parents: Arc<Parents>,
    parts: Arc<Vec<Tally>>,
}

/// A part: its first key, the number of its keys and, where that is kept, their parents.
pub(crate) type Part = (Key, u32, Tally);

impl Fences {
    /// From parts in order; `parents` are those that their tallies speak of.
    pub(crate) fn new(parts: Vec<Part>, parents: Option<Arc<Parents>>) -> Self {
        let parts = if parts.is_empty() { vec![(Key::least(), 0, Tally::default())] } else { parts };
        let (mut firsts, counts, tallies) = columns(parts);
        if let Some(first) = firsts.first_mut() {
            *first = Arc::new(Key::least());
        }
        let tallies = parents.map(|parents| Tallies { parents, parts: Arc::new(tallies) });
        Self { firsts: Arc::new(firsts), counts: Arc::new(counts), tallies }
    }

    /// What its tallies speak of.
    pub(crate) fn parents(&self) -> Option<&Arc<Parents>> {
        self.tallies.as_ref().map(|tallies| &tallies.parents)
    }

    /// Says of the parents in its tallies that they are in use.
    pub(crate) fn mark(&self, used: &mut [bool]) {
        self.tallies.iter().flat_map(|tallies| tallies.parts.iter()).for_each(|tally| tally.mark(used));
    }

    /// The same with tallies of other parents, of which it has the numbers.
    pub(crate) fn renumbered(mut self, parents: &Arc<Parents>, numbers: &[Option<u32>]) -> Self {
        if let Some(tallies) = &mut self.tallies {
            let parts = tallies.parts.iter().map(|tally| tally.renumbered(numbers)).collect();
            *tallies = Tallies { parents: Arc::clone(parents), parts: Arc::new(parts) };
        }
        self
    }

    /// The same without tallies: who corrects a copy has no use for them.
    pub(crate) fn alone(self) -> Self {
        Self { tallies: None, ..self }
    }

    /// The same parts with the numbers of those keys whose parents are in these places. `None` where that is not kept.
    pub(crate) fn within(&self, places: InPlaces<'_>) -> Option<Self> {
        let tallies = self.tallies.as_ref()?;
        let those = tallies.parents.that(places);
        let counts = tallies.parts.iter().map(|tally| tally.among(&those)).collect();
        Some(Self { firsts: Arc::clone(&self.firsts), counts: Arc::new(counts), tallies: None })
    }

    /// How many keys a part has; `None` behind the last.
    pub(crate) fn count_of(&self, part: usize) -> Option<u32> {
        self.counts.get(part).copied()
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> u64 {
        self.counts.iter().map(|n| u64::from(*n)).sum()
    }

    /// How many keys there are in the parts from one to before another.
    pub(crate) fn between(&self, from: usize, to: usize) -> u64 {
        self.counts.get(from..to).unwrap_or_default().iter().map(|n| u64::from(*n)).sum()
    }

    /// One more key, wherever it belongs.
    pub(crate) fn add(&mut self, key: &Key) {
        // There is always a part, and none is full.
        _ = self.count(key, |n| n.checked_add(1));
    }

    /// The part that the key is in, or would be.
    pub(crate) fn part(&self, key: &Key) -> usize {
        self.firsts.partition_point(|first| **first <= *key).saturating_sub(1)
    }

    /// The first key of a part; `None` behind the last.
    pub(crate) fn first(&self, part: usize) -> Option<&Key> {
        self.firsts.get(part).map(|first| &**first)
    }

    /// Passes over `rows` from the beginning of a part: in which part that ends, and how many of its rows are left to pass
    /// over. `None` behind the last row.
    pub(crate) fn forward(&self, mut part: usize, mut rows: u64) -> Option<(usize, u64)> {
        loop {
            let n = u64::from(*self.counts.get(part)?);
            if rows < n {
                return Some((part, rows));
            }
            (part, rows) = (part + 1, rows - n);
        }
    }

    /// The same backwards: from the end of the part before `part`.
    pub(crate) fn backward(&self, mut part: usize, mut rows: u64) -> Option<(usize, u64)> {
        loop {
            part = part.checked_sub(1)?;
            let n = u64::from(*self.counts.get(part)?);
            if rows < n {
                return Some((part, rows));
            }
            rows -= n;
        }
    }

    /// Takes over what has moved in the walk; says whether anything has.
    pub(crate) fn apply<'s>(&mut self, walk: Walk, steps: impl IntoIterator<Item = &'s Step>) -> Result<bool, Misfit> {
        let mut moved = false;
        for step in steps {
            let (from, to) = step.keys(walk);
            if from != to {
                moved = true;
                from.iter().try_for_each(|key| self.count(key, |n| n.checked_sub(1)))?;
                to.iter().try_for_each(|key| self.count(key, |n| n.checked_add(1)))?;
            }
        }
        Ok(moved)
    }

    fn count(&mut self, key: &Key, change: impl Fn(u32) -> Option<u32>) -> Result<(), Misfit> {
        let part = self.part(key);
        let n = Arc::make_mut(&mut self.counts).get_mut(part).ok_or(Misfit)?;
        *n = change(*n).ok_or(Misfit)?;
        if let Some(tallies) = &mut self.tallies
            && let Some(parent) = tallies.parents.of(&key.uid)
        {
            let tally = Arc::make_mut(&mut tallies.parts).get_mut(part).ok_or(Misfit)?;
            *tally = tally.changed(parent, change).ok_or(Misfit)?;
        }
        Ok(())
    }

    /// A part with more keys than `most`.
    pub(crate) fn crowded(&self, most: usize) -> Option<usize> {
        self.counts.iter().position(|n| *n as usize > most)
    }

    /// Makes one of neighbours that have no more than `least` keys together: rows that went leave no empty parts behind.
    pub(crate) fn join(&mut self, least: usize) {
        let few = |a: u32, b: u32| a as usize + b as usize <= least;
        if !self.counts.windows(2).any(|pair| matches!(pair, [a, b] if few(*a, *b))) {
            return;
        }
        let (mut firsts, mut counts, mut tallies): (Vec<Arc<Key>>, Vec<u32>, Vec<Tally>) = Default::default();
        let told =
            self.tallies.iter().flat_map(|tallies| tallies.parts.iter().cloned()).chain(std::iter::repeat(Tally::default()));
        for ((first, n), tally) in self.firsts.iter().zip(self.counts.iter()).zip(told) {
            match (counts.last_mut(), tallies.last_mut()) {
                (Some(before), Some(theirs)) if few(*before, *n) => {
                    *before += n;
                    *theirs = theirs.with(&tally);
                }
                _ => {
                    firsts.push(Arc::clone(first));
                    counts.push(*n);
                    tallies.push(tally);
                }
            }
        }
        (self.firsts, self.counts) = (Arc::new(firsts), Arc::new(counts));
        if let Some(ours) = &mut self.tallies {
            ours.parts = Arc::new(tallies);
        }
    }

    /// Puts several parts in the place of one that holds as many keys.
    pub(crate) fn divide(&mut self, part: usize, into: Vec<Part>) -> Result<(), Misfit> {
        let before = self.counts.get(part).copied().map(u64::from);
        if before != Some(into.iter().map(|(_, n, _)| u64::from(*n)).sum()) || into.len() < 2 {
            return Err(Misfit);
        }
        let (mut firsts, counts, tallies) = columns(into);
        // Keys between the old first key and the first that is there now stay in this part.
        if let (Some(first), Some(old)) = (firsts.first_mut(), self.firsts.get(part)) {
            *first = Arc::clone(old);
        }
        Arc::make_mut(&mut self.firsts).splice(part..=part, firsts);
        Arc::make_mut(&mut self.counts).splice(part..=part, counts);
        if let Some(ours) = &mut self.tallies {
            Arc::make_mut(&mut ours.parts).splice(part..=part, tallies);
        }
        Ok(())
    }

    /// How many parts there are.
    pub(crate) fn parts(&self) -> usize {
        self.counts.len()
    }
}

fn columns(parts: Vec<Part>) -> (Vec<Arc<Key>>, Vec<u32>, Vec<Tally>) {
    let (mut firsts, mut counts, mut tallies) = (Vec::new(), Vec::new(), Vec::new());
    for (key, n, tally) in parts {
        firsts.push(Arc::new(key));
        counts.push(n);
        tallies.push(tally);
    }
    (firsts, counts, tallies)
}

/// The numbers do not fit what happened: they are of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit;
