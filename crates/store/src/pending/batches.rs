//! How what is pending is written.

use database::{Batch, Param, Sums};

use super::{Change, Shared};
use crate::chain::Code;

/// The check that counters are never negative is made on the row to insert, even where the conflict then makes it an update.
const GROW: Batch = Batch {
    row: "INSERT INTO counts (prefix, noun, n, children) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (prefix, noun) DO UPDATE SET n = n + excluded.n, children = children + excluded.children",
    lists: Some(
        "INSERT INTO counts (prefix, noun, n, children) \
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) \
        ON CONFLICT (prefix, noun) DO UPDATE SET n = counts.n + excluded.n, children = counts.children + excluded.children",
    ),
    rows: Vec::new(),
};
/// One by one, since a plan that joins lists with the counters might be one that reads all of these. A counter that is damaged
/// stays one that a check finds, and fails nobody else's request.
const SHRINK: Batch = Batch {
    row: "UPDATE counts SET n = CASE WHEN n + $3 > 0 THEN n + $3 ELSE 0 END, \
        children = CASE WHEN children + $4 > 0 THEN children + $4 ELSE 0 END WHERE prefix = $1 AND noun = $2",
    lists: None,
    rows: Vec::new(),
};
const FORGET: Batch = Batch {
    row: "DELETE FROM counts WHERE prefix = $1 AND n = 0",
    lists: Some("DELETE FROM counts WHERE prefix = ANY ($1) AND n = 0"),
    rows: Vec::new(),
};

impl Sums for Shared {
    fn begin(&self, head: Option<&[u8]>) {
        self.lock().clear();
        self.links().begin(head);
    }

    fn keep(&self) {
        self.lock().keep();
        self.links().keep();
    }

    fn undo(&self) {
        self.lock().undo();
        self.links().undo();
    }

    fn head(&self) -> Option<Vec<u8>> {
        self.links().moved().map(Code::to_bytes)
    }

    fn take(&self) -> Vec<Batch> {
        let pending = std::mem::take(&mut *self.lock());
        let gone = pending.gone().map(|prefix| vec![prefix.to_owned().into()]);
        vec![
            Batch { rows: pending.grown().map(row).collect(), ..GROW },
            Batch { rows: pending.shrunk().map(row).collect(), ..SHRINK },
            Batch { rows: gone.collect(), ..FORGET },
        ]
    }
}

fn row(Change { prefix, noun, sum }: Change<'_>) -> Vec<Param<'static>> {
    vec![prefix.to_owned().into(), noun.as_str().into(), sum.below.into(), sum.children.into()]
}
