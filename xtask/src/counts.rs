//! Instruction counts of what every request goes through, beside the committed ones.
//!
//! They are the same on a busy machine and on an idle one, unlike times, but not the same of two compilers. So the
//! committed counts say whose they are, and are compared with those of the same compiler only.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::{Value, json};

use crate::workspace::{self, Compiler, Outcome};

/// The crates with a bench `counts`.
const CRATES: [&str; 4] = ["access", "contract", "gateway", "services"];
/// By how many percent a count may be above the committed one.
const MARGIN: u64 = 5;

/// What to do with the counts.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Run {
    /// Commit to what is counted now, with the compiler that is used now: write `xtask/counts.json`.
    #[arg(long)]
    bless: bool,
}

/// What `xtask/counts.json` holds.
struct Counts {
    compiler: Compiler,
    instructions: BTreeMap<String, u64>,
}

/// Counts, and compares or writes.
pub(crate) fn run(run: &Run) -> Outcome {
    if run.bless {
        let counts = Counts { compiler: workspace::compiler(&[])?, instructions: measure(&[])? };
        counts.write()?;
        return Ok(format!("{} counts written", counts.instructions.len()));
    }
    let known = Counts::read()?;
    let pinned = [("RUSTUP_TOOLCHAIN", known.compiler.release.as_str())];
    let environment = if workspace::compiler(&[])? == known.compiler { &[][..] } else { &pinned };
    let renew = || {
        let Compiler { release, host } = &known.compiler;
        format!(
            "these counts belong to Rust {release} on {host}: `rustup toolchain install {release} --profile minimal`, or renew \
             them with `cargo xtask counts --bless` on a commit that changes nothing else"
        )
    };
    match workspace::compiler(environment) {
        Ok(compiler) if compiler == known.compiler => {}
        Ok(Compiler { release, host }) => return Err(format!("this is Rust {release} on {host}; {}", renew())),
        Err(problem) => return Err(format!("{problem}; {}", renew())),
    }
    let counted = measure(environment)?;
    for (name, now) in &counted {
        let then = known.instructions.get(name).copied().unwrap_or_default();
        workspace::say(&format!("{name:<50} {now:>10}, committed {then:>10}"));
    }
    judge(&known.instructions, &counted)
}

/// Runs the benches and gives the instructions of each by name: crate, function and case.
fn measure(environment: &[(&str, &str)]) -> Result<BTreeMap<String, u64>, String> {
    let mut arguments = vec!["bench", "--locked", "--profile", "counts", "--bench", "counts"];
    arguments.extend(CRATES.iter().flat_map(|name| ["--package", name]));
    arguments.extend(["--", "--output-format=json", "--callgrind-args=--cache-sim=no"]);
    let told = workspace::output("cargo", &arguments, environment)?;
    String::from_utf8_lossy(&told).lines().filter(|line| line.starts_with('{')).map(count).collect()
}

/// One bench as gungraun tells of it.
fn count(line: &str) -> Result<(String, u64), String> {
    let told: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
    let text = |pointer| told.pointer(pointer).and_then(Value::as_str);
    let instructions = told.pointer("/profiles/0/data/total/metrics/Ir/values/new").and_then(Value::as_u64);
    match (text("/package_dir"), text("/function_name"), text("/id"), instructions) {
        (Some(folder), Some(function), Some(id), Some(count)) => {
            Ok((format!("{}::{function}::{id}", folder.trim_start_matches("crates/")), count))
        }
        _ => Err(format!("this tells no count: {line}")),
    }
}

/// Compares. What is counted and not committed, or the other way round, is a problem as well.
fn judge(known: &BTreeMap<String, u64>, counted: &BTreeMap<String, u64>) -> Outcome {
    let (mut problems, mut fewer) = (Vec::new(), 0);
    for (name, now) in counted {
        let Some(then) = known.get(name) else {
            problems.push(format!("{name}: {now} instructions, and no count to compare with"));
            continue;
        };
        if now * 100 > then * (100 + MARGIN) {
            problems.push(format!("{name}: {now} instructions, more than {MARGIN} % above {then}"));
        }
        fewer += usize::from(now * (100 + MARGIN) < then * 100);
    }
    let gone = known.keys().filter(|name| !counted.contains_key(*name));
    problems.extend(gone.map(|name| format!("{name}: not counted any more")));
    if problems.is_empty() {
        let better = if fewer == 0 { String::new() } else { format!("; {fewer} need far less now: keep that with --bless") };
        Ok(format!("{} counts, none more than {MARGIN} % above the committed one{better}", counted.len()))
    } else {
        problems.push("make it cheap again, or say in the commit why it has to cost more, and use --bless".to_owned());
        Err(problems.join("\n"))
    }
}

impl Counts {
    fn read() -> Result<Self, String> {
        let path = path();
        let wrong = |problem: String| format!("{}: {problem}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        let told: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let text = |key: &str| told.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| wrong(format!("no {key}")));
        let listed = told.get("instructions").and_then(Value::as_object).ok_or_else(|| wrong("no instructions".to_owned()))?;
        let instructions = listed.iter().filter_map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect();
        Ok(Self { compiler: Compiler { release: text("rustc")?, host: text("host")? }, instructions })
    }

    fn write(&self) -> Result<(), String> {
        let Compiler { release, host } = &self.compiler;
        let told = json!({"rustc": release, "host": host, "instructions": self.instructions});
        fs::write(path(), format!("{told:#}\n")).map_err(|error| error.to_string())
    }
}

fn path() -> PathBuf {
    workspace::root().join("xtask/counts.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(listed: &[(&str, u64)]) -> BTreeMap<String, u64> {
        listed.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn five_percent_pass_and_more_fail() {
        let known = counts(&[("a", 1_000), ("b", 200)]);
        assert!(judge(&known, &counts(&[("a", 1_050), ("b", 210)])).is_ok());
        let problem = judge(&known, &counts(&[("a", 1_051), ("b", 1)])).expect_err("too many");
        assert!(problem.starts_with("a: 1051 instructions, more than 5 % above 1000\n"), "{problem}");
    }

    #[test]
    fn what_has_nothing_to_compare_with_fails() {
        assert!(judge(&counts(&[("a", 1)]), &counts(&[("a", 1), ("b", 1)])).is_err());
        assert!(judge(&counts(&[("a", 1), ("b", 1)]), &counts(&[("a", 1)])).is_err());
        assert!(judge(&counts(&[]), &counts(&[])).is_ok());
    }

    #[test]
    fn a_count_is_found_in_what_gungraun_tells() {
        let line = r#"{"package_dir":"crates/access","function_name":"decision","id":"denied","profiles":[
            {"data":{"total":{"metrics":{"Ir":{"values":{"new":618,"old":7}}}}}}]}"#;
        assert_eq!(count(line), Ok(("access::decision::denied".to_owned(), 618)));
        assert!(count("{}").is_err());
    }
}
