//! What must be there, from what was acknowledged, and what may be, from requests whose answers did not come.

use std::collections::BTreeMap;

use client::{Client, Error};

use crate::{
    creations::Creation,
    rows::{Change, Rows},
};

/// A request whose answer did not come: it is applied as a whole, or not at all.
#[derive(Debug)]
pub(crate) enum Unanswered {
    Creation(Creation),
    Change(Change),
}

/// What callers know.
#[derive(Default)]
pub(crate) struct Known {
    /// Every row that was ever there, as it was left; `None` are those that were deleted.
    rows: BTreeMap<String, Option<String>>,
    unanswered: Vec<Unanswered>,
    /// Creations with a key that are still to be sent again.
    keyed: Vec<Keyed>,
}

/// A creation with a key.
struct Keyed {
    creation: Creation,
    /// What it has made.
    made: Rows,
    /// Whether it was answered before.
    answered: bool,
}

impl Known {
    /// What was there before anybody wrote.
    pub(crate) fn of(found: &Rows) -> Self {
        let rows = found.iter().map(|(uid, row)| (uid.clone(), Some(row.clone()))).collect();
        Self { rows, ..Self::default() }
    }

    /// Rows were made.
    pub(crate) fn made(&mut self, rows: Rows) {
        self.rows.extend(rows.into_iter().map(|(uid, row)| (uid, Some(row))));
    }

    /// Rows were changed or deleted.
    pub(crate) fn changed(&mut self, change: Change) {
        self.rows.extend(change);
    }

    pub(crate) fn unanswered(&mut self, request: Unanswered) {
        self.unanswered.push(request);
    }

    /// A creation with a key was answered, and may be sent again all the same.
    pub(crate) fn answered(&mut self, creation: Creation, made: Rows) {
        self.keyed.push(Keyed { creation, made, answered: true });
    }

    /// What others know, who have written other rows.
    pub(crate) fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.unanswered.extend(other.unanswered);
        self.keyed.extend(other.keyed);
    }

    /// Whether an answer is still to come.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.keyed.is_empty()
    }

    /// Everything is as it was left, but for what requests without an answer have done: that is found out here, and stays.
    pub(crate) fn settle(&mut self, found: &Rows) {
        for request in std::mem::take(&mut self.unanswered) {
            match request {
                Unanswered::Change(change) => {
                    if change.iter().all(|(uid, row)| found.get(uid) == row.as_ref()) {
                        self.changed(change);
                    }
                }
                Unanswered::Creation(creation) => {
                    let new = |uid: &str, row: &str| !self.rows.contains_key(uid) && creation.makes(uid, row);
                    let made = found.iter().filter(|(uid, row)| new(uid, row));
                    let made: Rows = made.map(|(uid, row)| (uid.clone(), row.clone())).collect();
                    assert!(made.is_empty() || made.len() == creation.size(), "{creation:?} has made {made:?}");
                    self.made(made.clone());
                    if creation.key.is_some() {
                        self.keyed.push(Keyed { creation, made, answered: false });
                    }
                }
            }
        }
        let mut wrong = Vec::new();
        for (uid, row) in &self.rows {
            let there = found.get(uid);
            if there != row.as_ref() {
                wrong.push(format!("{uid} was left as {row:?}, and there is {there:?}"));
            }
        }
        let unknown = found.iter().filter(|(uid, _)| !self.rows.contains_key(*uid));
        wrong.extend(unknown.map(|(uid, row)| format!("{uid}, {row}, was made by nobody, or twice")));
        assert_eq!(wrong, Vec::<String>::new());
    }

    /// Sends creations again, to a server that may be gone before it answers.
    pub(crate) async fn try_again(&mut self, client: &Client) {
        for request in std::mem::take(&mut self.unanswered) {
            match request {
                Unanswered::Creation(creation) if creation.key.is_some() => match creation.send(client).await {
                    Ok(rows) => self.made(rows),
                    Err(_) => self.unanswered(Unanswered::Creation(creation)),
                },
                other => self.unanswered(other),
            }
        }
    }

    /// Sends creations again whose outcome is settled, to a server that nobody disturbs. What was applied is not applied again,
    /// and nothing else counts as applied. `kept` says whether an answer that was given has to be there still.
    pub(crate) async fn send_again(&mut self, client: &Client, kept: bool) {
        for keyed in std::mem::take(&mut self.keyed) {
            let Keyed { creation, made, answered } = &keyed;
            match creation.send(client).await {
                Ok(rows) if made.is_empty() => self.made(rows),
                Ok(rows) => assert_eq!(rows, *made, "{creation:?} is answered with what it has made"),
                Err(error) => {
                    assert!(!made.is_empty(), "{creation:?} was not applied: {error}");
                    assert!(!(kept && *answered), "{creation:?} was answered: {error}");
                    match rule(&error) {
                        "IDEMPOTENT_REQUEST_RUNNING" => self.keyed.push(keyed),
                        rule => assert_eq!(rule, "IDEMPOTENT_ANSWER_LOST", "{creation:?}: {error}"),
                    }
                }
            }
        }
    }
}

fn rule(error: &Error) -> &str {
    error.details().metadata.get("rule").map_or("", String::as_str)
}
