//! What the project measures of its program and the program does not measure itself: charts of its figures, and a soak.

use std::{
    error::Error,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    process::{self, Child, Command},
    time::Duration,
};

use bench::{Host, Options, Report, Soak};
use clap::Parser;
use store::Database;
use tikv_jemallocator::Jemalloc;

/// As the program has it (ADR 13).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Prints the cases as JSON, an object per case.
#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
    /// The program to measure
    #[arg(long, global = true, value_name = "FILE", default_value = "target/dist/provost")]
    program: PathBuf,
    /// Make the data below this folder, on the disk that is to be measured; it is removed in the end
    #[arg(long, global = true, value_name = "FOLDER", default_value = ".")]
    data: PathBuf,
    /// Draw charts into this folder, as SVG
    #[arg(long, global = true, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Chore {
    /// What `provost bench` measures
    Figures {
        /// Take a minute rather than several
        #[arg(long)]
        quick: bool,
    },
    /// A server under full load, and whether anything of it grows
    Soak {
        /// For how many minutes; the owner's token lasts an hour
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=50))]
        minutes: u64,
    },
}

/// Whoever interrupts this on a terminal interrupts what it has started as well.
struct Tool(PathBuf);

impl Host for Tool {
    fn program(&self) -> &Path {
        &self.0
    }

    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }

    fn ended(&self, _: u32) {}

    fn progress(&self, _: usize, _: usize, _: &str) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let cli = Cli::parse();
    let host = Tool(fs::canonicalize(&cli.program).map_err(|error| format!("{}: {error}", cli.program.display()))?);
    let folder = fs::canonicalize(&cli.data)?.join(format!("bench-{}", process::id()));
    fs::create_dir(&folder)?;
    let measured = measure(&host, &cli.chore, folder.clone()).await;
    fs::remove_dir_all(&folder)?;
    let report = measured?;
    if let Some(plots) = &cli.plots {
        fs::create_dir_all(plots)?;
        for (name, chart) in &report.charts {
            fs::write(plots.join(name).with_extension("svg"), chart.svg())?;
        }
    }
    for note in &report.notes {
        writeln!(io::stderr(), "{note}")?;
    }
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&report.rows)?)?;
    Ok(())
}

async fn measure(host: &Tool, chore: &Chore, folder: PathBuf) -> bench::Result<Report> {
    match chore {
        Chore::Figures { quick } => {
            bench::run(host, &Options { folder, database: Database::Sqlite, quick: *quick, charts: true }).await
        }
        Chore::Soak { minutes } => bench::soak(host, &Soak { folder, time: Duration::from_mins(*minutes) }).await,
    }
}
