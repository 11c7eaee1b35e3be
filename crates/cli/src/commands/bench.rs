//! `provost bench`

mod host;
mod place;
mod row;

use std::{
    fs,
    path::{Path, PathBuf},
};

use bench::{Options, Report};
use clap::Args;
use serde_json::json;

use self::{host::Program, place::Place};
use crate::{
    config::Global,
    exit::Failure,
    interrupt,
    output::{self, Format},
};

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Take a minute, with lists of 100,000 rows, rather than several minutes with 1,000,000
    #[arg(long)]
    quick: bool,
    /// Print JSON: an object per case. The same as --output json
    #[arg(long)]
    json: bool,
    /// Write plots of what pages of lists cost into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Make the data below this folder, on the disk that is to be measured; it is removed in the end
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    data: PathBuf,
}

impl Bench {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        if let Some(folder) = &self.plots {
            fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
        let place = Place::below(&self.data).map_err(|error| failed(&self.data, &error))?;
        let options = Options { folder: place.path().to_owned(), quick: self.quick, plots: self.plots.is_some() };
        let host = Program::new()?;
        let measured = bench::run(&host, &options).await;
        drop((host, place));
        let report = measured.map_err(|error| Failure::failed(error.to_string()))?;
        if let Some(folder) = &self.plots {
            write(&report, folder)?;
        }
        if self.json || global.output == Format::Json {
            return output::report(Format::Json, "", &json!(report.rows), None);
        }
        Format::Table.list(&report.rows)
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
