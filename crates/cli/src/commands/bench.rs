//! `provost bench`

mod host;
mod place;
mod row;
mod scratch;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use bench::{Options, Report, Soak};
use clap::Args;
use serde_json::json;
use store::{Database, Postgres};

use self::{host::Program, place::Place, scratch::Scratch};
use crate::{
    exit::Failure,
    global::Global,
    interrupt,
    output::{self, Format},
    private,
};

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Take a minute, with lists of 100,000 rows (20,000 on PostgreSQL), rather than several minutes with 1,000,000
    #[arg(long)]
    quick: bool,
    /// Print JSON: an object per case. The same as --output json
    #[arg(long)]
    json: bool,
    /// Write plots into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Make the data below this folder, on the disk that is to be measured; it is removed in the end
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    data: PathBuf,
    /// Measure PostgreSQL, beside its own pgbench, rather than SQLite. The run makes a schema of its own in this database
    /// and removes it in the end
    #[arg(long, value_name = "URL", conflicts_with_all = ["plots", "soak"])]
    database: Option<String>,
    /// The same with a file that holds the URL, so that nobody else on the machine can read it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plots", "soak", "database"])]
    database_url_file: Option<PathBuf>,
    /// Put a server under full load for so many minutes instead, and see whether anything of it grows
    #[arg(long, value_name = "MINUTES", conflicts_with = "quick", value_parser = clap::value_parser!(u64).range(1..=50))]
    soak: Option<u64>,
}

impl Bench {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        if let Some(folder) = &self.plots {
            fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
        let database = self.database()?;
        let place = Place::below(&self.data).map_err(|error| failed(&self.data, &error))?;
        let host = Program::new()?;
        let measured = match (self.soak, database) {
            (Some(minutes), _) => self.soak(&host, &place, minutes).await,
            (None, None) => self.measure(&host, &place, Database::Sqlite).await,
            (None, Some(database)) => {
                let scratch = Scratch::in_database(&database, host.entropy()).await?;
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
        if let Some(folder) = &self.plots {
            write(&report, folder)?;
        }
        for note in &report.notes {
            output::remark(note);
        }
        if self.json || global.output == Format::Json {
            return output::report(Format::Json, "", &json!(report.rows), None);
        }
        Format::Table.list(&report.rows)
    }

    async fn measure(&self, host: &Program, place: &Place, database: Database) -> bench::Result<Report> {
        let options = Options { folder: place.path().to_owned(), database, quick: self.quick, plots: self.plots.is_some() };
        bench::run(host, &options).await
    }

    async fn soak(&self, host: &Program, place: &Place, minutes: u64) -> bench::Result<Report> {
        let time = Duration::from_mins(minutes);
        bench::soak(host, &Soak { folder: place.path().to_owned(), time, plots: self.plots.is_some() }).await
    }

    /// The database on PostgreSQL to measure, if one is named.
    fn database(&self) -> Result<Option<Postgres>, Failure> {
        let from_file = self.database_url_file.as_ref().map(|file| private::read(file)).transpose().map_err(Failure::usage)?;
        let url = self.database.clone().or(from_file);
        url.map(|url| Postgres::parse(&url)).transpose().map_err(|error| Failure::usage(error.to_string()))
    }
}

fn write(report: &Report, folder: &Path) -> Result<(), Failure> {
    for (name, svg) in &report.plots {
        let _no_half_plot = interrupt::whole();
        let file = folder.join(name);
        fs::write(&file, svg).map_err(|error| failed(&file, &error))?;
    }
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot write to {}: {error}", path.display()))
}
