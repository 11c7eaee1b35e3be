//! `provost admin migrate`

use std::sync::Arc;

use clap::Args;
use serde_json::json;
use server::{SystemClock, SystemEntropy};
use store::{Store, schema::Schema};

use super::place::{Place, check_owner};
use crate::{
    exit::{Exit, Failure},
    global::Global,
    output,
};

#[derive(Debug, Args)]
pub(crate) struct Migrate {
    #[command(flatten)]
    place: Place,
    /// Only check: exit code 0 when the schema is current, 8 when a migration is due
    #[arg(long)]
    check: bool,
}

impl Migrate {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let settings = self.place.settings()?;
        let config = settings.store_config();
        let before = Schema::of(&config).await?;
        let steps = before.missing();
        let due = before.check()?;
        if due && !self.check {
            check_owner(&settings)?;
            Store::open(&config, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?.close().await;
        }
        let told = json!({
            "database": before.found,
            "program": before.program,
            if self.check { "missing" } else { "done" }: steps,
        });
        output::report(global.output, &before.program.to_string(), &told, None)?;
        if due && self.check {
            return Err(Failure::new(Exit::Due, "the database needs a migration")
                .hint("back it up, then run `provost admin migrate` or start the server"));
        }
        Ok(())
    }
}
