//! The part of a PostgreSQL database in which a run does everything.

use std::{sync::Arc, time::Duration};

use domain::Entropy;
use store::{Database, Postgres};
use tokio::runtime::Builder;

use crate::{exit::Failure, interrupt};

/// How long removing may take when the program is ended.
const PATIENCE: Duration = Duration::from_secs(15);

/// A schema of its own in the database, which goes in the end, and also when the program is ended.
#[derive(Debug)]
pub(super) struct Scratch(Arc<store::Scratch>);

impl Scratch {
    /// Makes the schema.
    ///
    /// # Errors
    /// When the database cannot be reached, or its user may not make schemas.
    pub(super) async fn in_database(database: &Postgres, entropy: &Arc<dyn Entropy>) -> Result<Self, Failure> {
        let made = Arc::new(store::Scratch::make(database, entropy).await?);
        let left = Arc::clone(&made);
        interrupt::undo(move || {
            // Everything else in the program stands still or is about to.
            if let Ok(runtime) = Builder::new_current_thread().enable_all().build() {
                // What cannot be removed now, the next run removes.
                let _ = runtime.block_on(async { tokio::time::timeout(PATIENCE, left.remove()).await });
            }
        });
        Ok(Self(made))
    }

    /// The database as it looks from inside the schema.
    pub(super) fn database(&self) -> Database {
        Database::Postgres(self.0.database().clone())
    }

    /// Removes the schema with everything in it.
    ///
    /// # Errors
    /// When the database cannot be reached any more.
    pub(super) async fn remove(self) -> Result<(), Failure> {
        let removed = self.0.remove().await;
        interrupt::undone();
        Ok(removed?)
    }
}
