//! Fuzzing: every target of `fuzz/` for some time, from its committed seeds on.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::workspace::{self, Outcome};

/// What makes a stable compiler count which code ran, and what was compared with what.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
                        -Cllvm-args=-sanitizer-coverage-trace-compares";
/// Targets that run at a time.
const AT_A_TIME: usize = 2;

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// Only this target.
    pub(crate) target: Option<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 20)]
    pub(crate) seconds: u32,
    /// Where the random numbers begin, so that a run can be repeated: from `fuzz/seeds` alone, whatever was found before.
    /// By default somewhere else each time, from all that was found before.
    #[arg(long)]
    pub(crate) seed: Option<u32>,
    /// Only build them.
    #[arg(long)]
    pub(crate) build: bool,
}

/// Builds the targets and runs them, two at a time. What fails stays in `fuzz/artifacts`, named in the answer.
pub(crate) fn run(run: &Run) -> Outcome {
    let fuzz = workspace::root().join("fuzz");
    let all = targets(&fuzz)?;
    let chosen: Vec<_> = all.iter().filter(|name| run.target.as_ref().is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        return Err(format!("there is no such target; there are {}", all.join(", ")));
    }
    let host = workspace::compiler(&[])?.host;
    let manifest = fuzz.join("Cargo.toml");
    let manifest = manifest.to_string_lossy();
    let build = ["build", "--release", "--locked", "--target", &host, "--manifest-path", &manifest];
    // With a target, build scripts are built without coverage.
    let target = fuzz.join("target");
    let environment = [("RUSTFLAGS", COVERAGE), ("CARGO_TARGET_DIR", &*target.to_string_lossy())];
    workspace::run("cargo", &build, &environment)?;
    if run.build {
        return Ok(format!("{} targets are built", all.len()));
    }
    let programs = target.join(&host).join("release");

    let mut problems = Vec::new();
    for some in chosen.chunks(AT_A_TIME) {
        let started: Vec<_> = some.iter().map(|name| (*name, start(&fuzz, &programs, name, run))).collect();
        for (name, child) in started {
            let ended = child.and_then(|mut child| child.wait().map_err(|error| error.to_string()));
            match ended {
                Ok(status) if status.success() => workspace::say(&format!("{name}: nothing found")),
                Ok(status) => {
                    let log = fs::read_to_string(log(&fuzz, name)).unwrap_or_default();
                    let tail: Vec<_> = log.lines().rev().take(30).collect();
                    problems.push(format!("{name}: {status}\n{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n")));
                }
                Err(error) => problems.push(format!("{name} did not run: {error}")),
            }
        }
    }
    if problems.is_empty() {
        Ok(format!("{} targets, {} s each: nothing found", chosen.len(), run.seconds))
    } else {
        Err(problems.join("\n"))
    }
}

/// The targets by name: the files of `fuzz_targets`.
fn targets(fuzz: &Path) -> Result<Vec<String>, String> {
    let folder = fuzz.join("fuzz_targets");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stem = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut names: Vec<_> = entries.filter_map(|entry| stem(entry.ok()?.path())).collect();
    names.sort();
    Ok(names)
}

/// Starts a target. New inputs go to `fuzz/corpus`, which is nobody's but this machine's; it begins with `fuzz/seeds`.
fn start(fuzz: &Path, programs: &Path, name: &str, run: &Run) -> Result<Child, String> {
    let artifacts = fuzz.join("artifacts").join(name);
    let corpus = fuzz.join("corpus").join(match run.seed {
        Some(_) => format!("{name}-repeated"),
        None => name.to_owned(),
    });
    if run.seed.is_some() && corpus.exists() {
        fs::remove_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    }
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let output = fs::File::create(log(fuzz, name)).map_err(|error| error.to_string())?;
    Command::new(programs.join(name))
        .arg(format!("-max_total_time={}", run.seconds))
        .args(run.seed.map(|seed| format!("-seed={seed}")))
        // Long inputs from the start: left to itself, libFuzzer comes to them only when short ones find nothing new for long.
        .args(["-timeout=10", "-rss_limit_mb=1024", "-max_len=4096", "-len_control=0", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args([corpus, fuzz.join("seeds").join(name)])
        .stdout(Stdio::null())
        .stderr(output)
        .spawn()
        .map_err(|error| error.to_string())
}

fn log(fuzz: &Path, name: &str) -> PathBuf {
    fuzz.join("artifacts").join(format!("{name}.log"))
}
