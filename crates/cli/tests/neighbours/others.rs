//! How much processor time others have used: what neither this process, nor those that it has started, nor a database did.

use std::{collections::HashMap, fs, process, time::Duration};

/// Ticks of the clock in which Linux counts (`proc(5)`): `USER_HZ` is 100 wherever Linux runs today.
const TICK: Duration = Duration::from_millis(10);

/// The processor time that others have used since the machine started; zero where there is no `/proc`.
pub(crate) fn used() -> Duration {
    let all = fs::read_to_string("/proc/stat").map_or(0, |text| busy(&text));
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        entry.file_name().to_str()?.parse::<u32>().ok()?;
        Process::read(&fs::read_to_string(entry.path().join("stat")).ok()?)
    });
    let processes: HashMap<_, _> = processes.map(|process| (process.id, process)).collect();
    let ours = processes.values().filter(|process| is_ours(process, &processes, process::id()));
    let ours: u64 = ours.map(|process| process.ticks).sum();
    TICK * u32::try_from(all.saturating_sub(ours)).unwrap_or(u32::MAX)
}

/// What the processors have done, and what a host has kept from them: `user`, `nice` and `system`, then, without `idle` and
/// `iowait`, `irq`, `softirq` and `steal`.
fn busy(stat: &str) -> u64 {
    let numbers: Vec<u64> =
        stat.lines().next().into_iter().flat_map(str::split_whitespace).filter_map(|n| n.parse().ok()).collect();
    numbers.iter().enumerate().filter(|(at, _)| !matches!(at, 3 | 4) && *at < 8).map(|(_, ticks)| ticks).sum()
}

/// A process, as `/proc/PID/stat` tells of it.
struct Process {
    id: u32,
    parent: u32,
    is_database: bool,
    /// What it has used, and those of its children that have ended.
    ticks: u64,
}

impl Process {
    fn read(stat: &str) -> Option<Self> {
        let (id, rest) = stat.split_once(" (")?;
        // A name may have parentheses.
        let (name, rest) = rest.rsplit_once(") ")?;
        let fields: Vec<_> = rest.split(' ').collect();
        let ticks = fields.get(11..15)?.iter().filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        Some(Self {
            id: id.parse().ok()?,
            parent: fields.get(1)?.parse().ok()?,
            is_database: name.starts_with("postgres"),
            ticks,
        })
    }
}

fn is_ours(process: &Process, processes: &HashMap<u32, Process>, us: u32) -> bool {
    let mut above = Some(process);
    while let Some(process) = above {
        if process.id == us || process.is_database {
            return true;
        }
        above = processes.get(&process.parent);
    }
    false
}

mod tests {
    use super::*;

    #[test]
    fn what_we_use_is_not_what_others_use() {
        let stat = |id: u32, parent: u32, name: &str| format!("{id} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 10 20 3 4 20 0 1 0");
        let read = |text: String| Process::read(&text).expect("a process");
        let all = [read(stat(1, 0, "init")), read(stat(7, 1, "us")), read(stat(8, 7, "a (b) c")), read(stat(9, 1, "postgres"))];
        assert!(all.iter().all(|process| process.ticks == 37));
        let all: HashMap<_, _> = all.into_iter().map(|process| (process.id, process)).collect();
        let ours = |id: u32| is_ours(&all[&id], &all, 7);
        assert_eq!((ours(1), ours(7), ours(8), ours(9)), (false, true, true, true));
        assert_eq!(busy("cpu  1 2 4 8 16 32 64 128 256 512\ncpu0 1 1 1"), 1 + 2 + 4 + 32 + 64 + 128);
        assert_eq!(busy(""), 0);
    }
}
