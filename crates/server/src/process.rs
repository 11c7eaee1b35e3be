//! What the system knows about this process, under the names that all Prometheus clients use, and about its runtime.

use std::{fmt, fs};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
    registry::{Registry, Unit},
};
use tokio::runtime::Handle;

/// Reads `/proc` when asked. On systems without it, there is nothing to tell.
#[derive(Debug)]
struct Process;

/// Asks the runtime.
#[derive(Debug)]
struct Runtime(Handle);

/// Clock ticks per second in `/proc`: `USER_HZ`, 100 on every system that this program runs on (proc(5)).
const TICKS: f64 = 100.0;

/// Adds both to `registry`. Must be called inside a tokio runtime.
pub(super) fn register(registry: &mut Registry) {
    registry.register_collector(Box::new(Process));
    registry.register_collector(Box::new(Runtime(Handle::current())));
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        if let Some(times) = times() {
            let used = ConstCounter::new(times.used);
            let help = "User and system time of the process.";
            used.encode(encoder.encode_descriptor("process_cpu", help, Some(&Unit::Seconds), used.metric_type())?)?;
            if let Some(started) = times.started {
                let started = ConstGauge::new(started);
                let help = "When the process started, in seconds since 1970.";
                started.encode(encoder.encode_descriptor(
                    "process_start_time",
                    help,
                    Some(&Unit::Seconds),
                    started.metric_type(),
                )?)?;
            }
        }
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let memory = [
            ("VmRSS:", "process_resident_memory", "Memory of the process that is in use."),
            ("VmSize:", "process_virtual_memory", "Memory that the process has reserved."),
        ];
        for (field, name, help) in memory {
            if let Some(bytes) = kilobytes(&status, field) {
                let gauge = ConstGauge::new(bytes);
                gauge.encode(encoder.encode_descriptor(name, help, Some(&Unit::Bytes), gauge.metric_type())?)?;
            }
        }
        let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let files = [
            ("process_open_fds", "Open files and connections.", fs::read_dir("/proc/self/fd").ok().map(Iterator::count)),
            ("process_max_fds", "How many files and connections may be open.", max_files(&limits)),
        ];
        for (name, help, count) in files {
            if let Some(count) = count {
                let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
                gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
            }
        }
        Ok(())
    }
}

impl Collector for Runtime {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let metrics = self.0.metrics();
        let told = [
            ("tokio_workers", "Threads that run tasks.", metrics.num_workers()),
            ("tokio_tasks", "Tasks that have not ended.", metrics.num_alive_tasks()),
            ("tokio_queued_tasks", "Tasks that wait for a thread in the common queue.", metrics.global_queue_depth()),
        ];
        for (name, help, count) in told {
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        Ok(())
    }
}

/// Seconds of processor time, and the start in seconds since 1970.
struct Times {
    used: f64,
    started: Option<f64>,
}

fn times() -> Option<Times> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let system = fs::read_to_string("/proc/stat").unwrap_or_default();
    times_in(&stat, &system)
}

/// Reads `/proc/self/stat` and the time of boot in `/proc/stat`.
fn times_in(stat: &str, system: &str) -> Option<Times> {
    // The second field is the program's name in parentheses, which may hold anything; counting begins behind it, with field 3.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    let boot = system.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse::<f64>().ok());
    let started = boot.and_then(|boot| Some(boot + ticks(22)? / TICKS));
    Some(Times { used: (ticks(14)? + ticks(15)?) / TICKS, started })
}

/// The field of `/proc/self/status` in bytes; it is written in units of 1024.
fn kilobytes(status: &str, field: &str) -> Option<i64> {
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    value.trim().strip_suffix(" kB")?.parse::<i64>().ok()?.checked_mul(1024)
}

/// The soft limit in `/proc/self/limits`.
fn max_files(limits: &str) -> Option<usize> {
    limits.lines().find_map(|line| line.strip_prefix("Max open files"))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_system_writes() {
        let stat = "7 (a) b ) S 1 7 7 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 4 0 12345 1000 50 18446744073709551615";
        let times = times_in(stat, "cpu 1 2\nbtime 1700000000\n").expect("readable");
        assert!((times.used - 2.0).abs() < 1e-9);
        assert!(times.started.is_some_and(|at| (at - 1_700_000_123.45).abs() < 1e-6));
        assert!(times_in("7 (a) S 1", "").is_none());
        assert_eq!(kilobytes("Name:\tx\nVmRSS:\t    2048 kB\n", "VmRSS:"), Some(2 << 20));
        assert_eq!(kilobytes("Name:\tx\n", "VmRSS:"), None);
        assert_eq!(max_files("Limit  Soft  Hard\nMax open files            1024                 4096     files\n"), Some(1024));
        assert_eq!(max_files("Max open files            unlimited            unlimited            files\n"), None);
    }
}
