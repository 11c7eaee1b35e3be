//! Everything that a caller holds, prepared once for many questions.

use std::{
    fmt,
    iter::successors,
    mem::size_of,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    capability::CapabilitySet,
    grant::{Grant, Place, Scopes},
    uidp::Uidp,
};

/// Different answers of [`Grants::scopes`] that are remembered.
const ANSWERS: usize = 4;
/// Questions whose answers are remembered.
const QUESTIONS: usize = 32;

/// Everything that a caller holds. What is held at a place takes a binary search among the places of the grants, and the
/// places where something is held are remembered for each set of capabilities that was asked for.
#[derive(Default)]
pub struct Grants {
    /// What is held above every root, if any grant is there.
    everywhere: Option<CapabilitySet>,
    /// In byte order, in which an ancestor comes before everything below it. Each place once.
    places: Box<[Held]>,
    /// What the places take in memory, with all that may be remembered of them.
    weight: usize,
    remembered: Mutex<Remembered>,
}

/// A place of one or more grants.
struct Held {
    at: Uidp,
    /// What the grants here give.
    own: CapabilitySet,
    /// What is held here: `own`, and what is held at every place above.
    all: CapabilitySet,
    /// The nearest place above, as an index.
    above: Option<usize>,
}

/// Where something is held, for the sets of capabilities that were asked for.
#[derive(Default)]
struct Remembered {
    questions: Vec<(CapabilitySet, Arc<Scopes>)>,
    /// Each answer once: who has one role at all their places gets one answer to every question.
    answers: Vec<Arc<Scopes>>,
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        let mut grants: Vec<Grant> = grants.into_iter().collect();
        // "Everywhere" comes first.
        grants.sort_unstable_by(|a, b| a.at.cmp(&b.at));
        let (mut everywhere, mut places) = (None::<CapabilitySet>, Vec::<Held>::with_capacity(grants.len()));
        for Grant { at, capabilities: own } in grants {
            let Place::At(at) = at else {
                everywhere = Some(everywhere.unwrap_or_default().union(&own));
                continue;
            };
            match places.last_mut() {
                Some(last) if last.at == at => {
                    last.own = last.own.union(&own);
                    last.all = last.all.union(&own);
                }
                _ => {
                    let above = nearest(&places, places.len(), &at);
                    let inherited = above.and_then(|index| places.get(index)).map(|above| above.all).or(everywhere);
                    places.push(Held { at, own, all: inherited.unwrap_or_default().union(&own), above });
                }
            }
        }
        let texts: usize = places.iter().map(|held| held.at.as_str().len()).sum();
        let answers = ANSWERS * (texts + places.len() * size_of::<Uidp>());
        let weight = places.len() * size_of::<Held>() + texts + answers;
        Self { everywhere, places: places.into(), weight, remembered: Mutex::default() }
    }
}

impl Grants {
    /// Every capability everywhere: what operators hold.
    #[must_use]
    pub fn everything() -> Self {
        Self { everywhere: Some(CapabilitySet::ALL), ..Self::default() }
    }

    /// What is held at `at`: there or at any ancestor. `None` when no grant is at any of these.
    #[must_use]
    pub fn covering(&self, at: &Uidp) -> Option<CapabilitySet> {
        let before = self.places.partition_point(|held| held.at <= *at);
        let nearest = nearest(&self.places, before, at).and_then(|index| self.places.get(index));
        nearest.map(|held| held.all).or(self.everywhere)
    }

    /// What is held at `at`: there or at any ancestor.
    #[must_use]
    pub fn held_at(&self, at: &Uidp) -> CapabilitySet {
        self.covering(at).unwrap_or_default()
    }

    /// What is held above every root, if any grant is there.
    #[must_use]
    pub fn everywhere(&self) -> Option<CapabilitySet> {
        self.everywhere
    }

    /// The places of the grants in byte order, each once, with what the grants there give.
    pub fn places(&self) -> impl Iterator<Item = (&Uidp, CapabilitySet)> {
        self.places.iter().map(|held| (&held.at, held.own))
    }

    /// As [`Grants::places`], only those below `at`.
    pub fn below<'a>(&'a self, at: &'a Uidp) -> impl Iterator<Item = (&'a Uidp, CapabilitySet)> {
        let first = self.places.partition_point(|held| held.at <= *at);
        let below = self.places.iter().skip(first).take_while(|held| at.contains(&held.at));
        below.map(|held| (&held.at, held.own))
    }

    /// The places where every needed capability is held, possibly through several grants: the highest ones only, none
    /// inside another. With nothing needed these are the highest places of all grants.
    #[must_use]
    pub fn scopes(&self, needed: &CapabilitySet) -> Arc<Scopes> {
        if let Some(answer) = self.remembered().answer(needed) {
            return answer;
        }
        let found = self.highest(needed);
        self.remembered().keep(*needed, found)
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn highest(&self, needed: &CapabilitySet) -> Scopes {
        if self.everywhere.is_some_and(|held| held.has_all(needed)) {
            return Scopes::All;
        }
        // What is held somewhere is held below, so a place is a highest one when the nearest above it is none.
        let holds = |held: &Held| held.all.has_all(needed);
        let inside = |held: &Held| held.above.and_then(|index| self.places.get(index)).is_some_and(holds);
        let highest = self.places.iter().filter(|held| holds(held) && !inside(held));
        Scopes::Subtrees(highest.map(|held| held.at.clone()).collect())
    }

    /// The most memory that this may come to take with all that it remembers, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        size_of::<Self>() + QUESTIONS * size_of::<(CapabilitySet, Arc<Scopes>)>() + self.weight
    }
}

impl Remembered {
    fn answer(&self, question: &CapabilitySet) -> Option<Arc<Scopes>> {
        self.questions.iter().find(|(known, _)| known == question).map(|(_, answer)| Arc::clone(answer))
    }

    fn keep(&mut self, question: CapabilitySet, answer: Scopes) -> Arc<Scopes> {
        let known = self.answers.iter().find(|known| ***known == answer).cloned();
        if known.is_none() && self.answers.len() >= ANSWERS || self.questions.len() >= QUESTIONS {
            *self = Self::default();
        }
        let answer = known.unwrap_or_else(|| Arc::new(answer));
        if !self.answers.iter().any(|other| Arc::ptr_eq(other, &answer)) {
            self.answers.push(Arc::clone(&answer));
        }
        self.questions.push((question, Arc::clone(&answer)));
        answer
    }
}

/// The nearest of the first `before` places that contains `at`, where the others come after it in byte order.
///
/// INVARIANT: whatever comes between an ancestor and `at` is below that ancestor, so the ancestors of `at` are among the last
/// place before it and those above that one.
fn nearest(places: &[Held], before: usize, at: &Uidp) -> Option<usize> {
    let above = |index: &usize| places.get(*index)?.above;
    successors(before.checked_sub(1), above).find(|index| places.get(*index).is_some_and(|held| held.at.contains(at)))
}

impl fmt::Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let everywhere = self.everywhere.iter().map(|held| (&Uidp::ROOT as &dyn fmt::Debug, held));
        let places = self.places.iter().map(|held| (&held.at as &dyn fmt::Debug, &held.own));
        f.debug_map().entries(everywhere.chain(places)).finish()
    }
}
