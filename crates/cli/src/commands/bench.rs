//! `provost bench`

mod host;
mod place;
mod row;
mod scratch;

use std::{path::PathBuf, sync::Arc};

use bench::{Options, Report};
use clap::Args;
use domain::Entropy;
use serde_json::json;
use server::{SystemEntropy, private};
use store::{Database, Postgres};

use self::{host::Program, place::Place, scratch::Scratch};
use crate::{
    exit::Failure,
    global::Global,
    output::{self, Format},
};

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Run for a minute with 100,000 rows (20,000 on PostgreSQL) instead of several minutes with 1,000,000
    #[arg(long)]
    quick: bool,
    /// Print JSON, an object per case; same as --output json
    #[arg(long)]
    json: bool,
    /// Create the data in this folder, on the disk to be measured; it is removed at the end
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    data: PathBuf,
    /// Benchmark PostgreSQL against pgbench instead of SQLite. The run creates a schema of its own in this database
    /// and drops it at the end
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The same with a file that holds the URL, so that other users cannot read it
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    database_url_file: Option<PathBuf>,
}

impl Bench {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let database = self.database()?;
        let cannot = |error| Failure::failed(format!("cannot write to {}: {error}", self.data.display()));
        let place = Place::below(&self.data).map_err(cannot)?;
        let host = Program::new()?;
        let measured = match database {
            None => self.measure(&host, &place, Database::Sqlite).await,
            Some(database) => {
                let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy::default());
                let scratch = Scratch::in_database(&database, &entropy).await?;
                let measured = self.measure(&host, &place, scratch.database()).await;
                // What went wrong first is what is told.
                let removed = scratch.remove().await;
                if measured.is_ok() {
                    removed?;
                }
                measured
            }
        };
        drop((host, place));
        let report = measured.map_err(|error| Failure::failed(error.to_string()))?;
        for note in &report.notes {
            output::remark(note);
        }
        if self.json || global.output == Format::Json {
            return output::report(Format::Json, "", &json!(report.rows), None);
        }
        Format::Table.list(&report.rows)
    }

    async fn measure(&self, host: &Program, place: &Place, database: Database) -> bench::Result<Report> {
        let options = Options { folder: place.path().to_owned(), database, quick: self.quick, charts: false };
        bench::run(host, &options).await
    }

    /// The database on PostgreSQL to measure, if one is named.
    fn database(&self) -> Result<Option<Postgres>, Failure> {
        let from_file = self.database_url_file.as_ref().map(|file| private::read(file)).transpose().map_err(Failure::usage)?;
        let url = self.database.clone().or(from_file);
        url.map(|url| Postgres::parse(&url)).transpose().map_err(|error| Failure::usage(error.to_string()))
    }
}
