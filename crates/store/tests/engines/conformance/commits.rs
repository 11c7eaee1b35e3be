//! Requests that share a commit: each counts what those before it have left, and nothing of those that were undone.

use std::{collections::BTreeSet, time::Duration};

use domain::{
    Error, Kind, Noun, Result, Uidp,
    iam::{Group, Identity, Role, RoleBinding},
    registry::Repo,
};
use futures::future::join_all;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use store::{
    Reader, Store, Writer,
    iam::{groups, identities},
    registry::repos,
    rows,
};

use super::{
    Engine,
    counters::{self, Rows},
    kit,
};

const NOUNS: [Noun; 5] = [Noun::Group, Noun::Identity, Noun::Role, Noun::RoleBinding, Noun::Repo];

/// What becomes of a request that finds nothing wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    Fails,
    Tried,
}

/// One change.
#[derive(Clone, Debug)]
enum Act {
    Add(Noun, Uidp),
    /// Binds that identity to that role.
    Bind(Uidp, Uidp, Uidp),
    Remove(Noun, Uidp),
}

impl Act {
    async fn run(&self, tx: &mut Writer) -> Result<()> {
        match self {
            Self::Add(Noun::Group, uid) => rows::insert(tx, &kit::group(uid.clone(), "n")).await.map(drop),
            Self::Add(Noun::Identity, uid) => rows::insert(tx, &kit::identity(uid.clone(), "n")).await.map(drop),
            Self::Add(Noun::Role, uid) => rows::insert(tx, &kit::role(uid.clone(), "n", &["groups.list"])).await.map(drop),
            Self::Add(_, uid) => {
                rows::insert(tx, &kit::repo(uid.clone(), &uid.as_str()[uid.as_str().len() - 16..])).await.map(drop)
            }
            Self::Bind(uid, identity, role) => rows::insert(tx, &kit::binding(uid.clone(), identity, role)).await.map(drop),
            Self::Remove(Noun::Group, uid) => rows::delete::<Group>(tx, uid).await.map(drop),
            Self::Remove(Noun::Identity, uid) => rows::delete::<Identity>(tx, uid).await.map(drop),
            Self::Remove(Noun::Role, uid) => rows::delete::<Role>(tx, uid).await.map(drop),
            Self::Remove(Noun::RoleBinding, uid) => rows::delete::<RoleBinding>(tx, uid).await.map(drop),
            Self::Remove(_, uid) => rows::delete::<Repo>(tx, uid).await.map(drop),
        }
    }

    fn row(&self) -> (Uidp, Noun) {
        match self {
            Self::Add(noun, uid) | Self::Remove(noun, uid) => (uid.clone(), *noun),
            Self::Bind(uid, ..) => (uid.clone(), Noun::RoleBinding),
        }
    }
}

/// The totals that a reader sees, each beside the number of rows. There are no more than a page.
macro_rules! totals {
    ($reader:expr) => {{
        let groups = rows::list($reader, &kit::everything(groups::GroupFilter::default())).await?;
        let identities = rows::list($reader, &kit::everything(identities::IdentityFilter::default())).await?;
        let repos = rows::list($reader, &kit::everything(repos::RepoFilter::default())).await?;
        [
            (groups.total, groups.items.len() as u64),
            (identities.total, identities.items.len() as u64),
            (repos.total, repos.items.len() as u64),
        ]
    }};
}

/// Runs them in this order, in one commit as far as the engine takes them together.
async fn together(store: &Store, requests: &[(Act, Fate)]) -> Vec<Result<()>> {
    let held = async {
        kit::write(store, |_| {
            Box::pin(async {
                std::thread::sleep(Duration::from_millis(20));
                Ok(())
            })
        })
        .await
    };
    let requests = requests.iter().cloned().map(|(act, fate)| async move {
        let mut ctx = kit::ctx();
        ctx.validate_only = fate == Fate::Tried;
        let request = store.write(&ctx, move |tx| {
            Box::pin(async move {
                act.run(tx).await?;
                for (total, rows) in totals!(tx) {
                    assert_eq!(total, rows, "a write counts what it sees");
                }
                if fate == Fate::Fails { Err(Error::field("name", "is refused in the end")) } else { Ok(()) }
            })
        });
        request.await
    });
    // The first poll of each puts it into the queue.
    let (held, outcomes) = futures::join!(held, join_all(requests));
    held.expect("writes");
    outcomes
}

async fn exists(reader: &mut Reader, noun: Noun, uid: &Uidp) -> bool {
    let found = match noun {
        Noun::Group => rows::get::<Group>(reader, uid).await.map(|row| row.is_some()),
        Noun::Identity => rows::get::<Identity>(reader, uid).await.map(|row| row.is_some()),
        Noun::Role => rows::get::<Role>(reader, uid).await.map(|row| row.is_some()),
        Noun::RoleBinding => rows::get::<RoleBinding>(reader, uid).await.map(|row| row.is_some()),
        _ => rows::get::<Repo>(reader, uid).await.map(|row| row.is_some()),
    };
    found.expect("reads")
}

/// The rows among these that are there.
async fn there(store: &Store, candidates: Rows) -> Rows {
    let mut reader = store.reader().await.expect("reads");
    let mut rows = Rows::new();
    for (uid, noun) in candidates {
        if exists(&mut reader, noun, &uid).await {
            rows.insert(uid, noun);
        }
    }
    rows
}

/// A change of something that may be there by then: the numbers choose.
#[derive(Clone, Debug)]
struct Step {
    noun: Noun,
    add: bool,
    fate: Fate,
    picks: [prop::sample::Index; 3],
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fates = prop_oneof![3 => Just(Fate::Kept), 1 => Just(Fate::Fails), 1 => Just(Fate::Tried)];
    let step = (prop::sample::select(NOUNS.to_vec()), prop::bool::weighted(0.6), fates, any::<[prop::sample::Index; 3]>())
        .prop_map(|(noun, add, fate, picks)| Step { noun, add, fate, picks });
    prop::collection::vec(step, 24)
}

impl Step {
    /// The change, with the number of a new row. `known` are rows that may be there.
    fn act(&self, known: &Rows, next: u64) -> Option<Act> {
        let of = |noun| known.iter().filter(|(_, of)| **of == noun).map(|(uid, _)| uid.clone()).collect::<Vec<_>>();
        let pick = |noun, at: usize| {
            let rows: Vec<Uidp> = of(noun);
            (!rows.is_empty()).then(|| self.picks[at].get(&rows).clone())
        };
        if !self.add {
            return pick(self.noun, 0).map(|uid| Act::Remove(self.noun, uid));
        }
        let may_be_root = matches!(self.noun, Noun::Group | Noun::Identity | Noun::Role);
        let uid = match pick(Noun::Group, 0) {
            Some(group) if !may_be_root || !next.is_multiple_of(5) => kit::child(&group, next),
            _ if may_be_root => kit::root(next),
            _ => return None,
        };
        if self.noun == Noun::RoleBinding {
            return Some(Act::Bind(uid, pick(Noun::Identity, 1)?, pick(Noun::Role, 2)?));
        }
        // The deepest level has no room for more.
        (uid.as_str().len() < 200).then_some(Act::Add(self.noun, uid))
    }
}

pub(crate) async fn counters_equal_the_rows_of_shared_commits(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (mut rows, mut next, mut kept, mut refused) = (Rows::new(), 0, 0, BTreeSet::new());
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    for _ in 0..16 {
        let mut known = rows.clone();
        let mut requests = Vec::new();
        for step in steps().new_tree(&mut runner).expect("steps").current() {
            next += 1;
            if let Some(act) = step.act(&known, next) {
                known.extend([act.row()]);
                requests.push((act, step.fate));
            }
        }
        for ((act, fate), outcome) in requests.iter().zip(together(&store, &requests).await) {
            match outcome {
                Ok(()) => kept += usize::from(*fate == Fate::Kept),
                Err(error) => {
                    assert_ne!(error.kind(), Kind::Internal, "{act:?}: {error:?}");
                    refused.insert(error.kind().as_str());
                }
            }
        }
        rows = there(&store, known).await;
        for (uid, noun) in &rows {
            let parent = uid.parent();
            assert!(parent.is_none_or(|parent| rows.contains_key(&parent)), "{noun:?} {uid} lies in nothing");
        }
        counters::check(&store, &rows).await;
    }
    assert!(kept > 30 && refused.len() > 1, "the test has done something: {kept} kept, {refused:?}");
}

pub(crate) async fn what_a_shared_commit_has_left_decides(engine: &impl Engine) {
    use Fate::{Fails, Kept, Tried};
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await.uid;
    let (folder, again, robot) = (kit::child(&org, 1), kit::child(&org, 1), kit::child(&kit::child(&org, 1), 2));
    let add = |noun, uid: &Uidp| Act::Add(noun, uid.clone());
    let remove = |noun, uid: &Uidp| Act::Remove(noun, uid.clone());
    let requests = [
        (add(Noun::Group, &folder), Kept, "OK"),
        (add(Noun::Identity, &robot), Kept, "OK"),
        // What was not kept empties nothing.
        (remove(Noun::Identity, &robot), Fails, "INVALID_ARGUMENT"),
        (remove(Noun::Group, &folder), Kept, "FAILED_PRECONDITION"),
        (remove(Noun::Identity, &robot), Tried, "OK"),
        (remove(Noun::Group, &folder), Kept, "FAILED_PRECONDITION"),
        (remove(Noun::Identity, &robot), Kept, "OK"),
        (remove(Noun::Group, &folder), Tried, "OK"),
        (remove(Noun::Group, &folder), Kept, "OK"),
        // Nor does it fill anything.
        (add(Noun::Group, &again), Kept, "OK"),
        (add(Noun::Identity, &robot), Tried, "OK"),
        (add(Noun::Identity, &robot), Fails, "INVALID_ARGUMENT"),
        (remove(Noun::Group, &again), Kept, "OK"),
        (add(Noun::Group, &again), Kept, "OK"),
        (add(Noun::Repo, &robot), Kept, "OK"),
    ];
    let asked: Vec<_> = requests.iter().map(|(act, fate, _)| (act.clone(), *fate)).collect();
    let outcomes = together(&store, &asked).await;
    let codes: Vec<_> =
        outcomes.iter().map(|outcome| outcome.as_ref().map_or_else(|error| error.kind().as_str(), |()| "OK")).collect();
    assert_eq!(codes, requests.each_ref().map(|(.., code)| *code));
    let rows = [(org, Noun::Group), (again, Noun::Group), (robot, Noun::Repo)];
    counters::check(&store, &rows.into()).await;
}
