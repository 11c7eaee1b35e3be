//! A test process that is killed leaves no server and no folder.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use pgcluster::{Cluster, Options};

/// Says to the test `victim` that it was started to be killed.
const VICTIM: &str = "PGCLUSTER_VICTIM";

/// What the killed process does: a server and a standby, and then nothing, for long. Alone it does nothing.
#[test]
fn victim() {
    #[expect(clippy::disallowed_methods, reason = "the tests below say so through the environment")]
    if std::env::var_os(VICTIM).is_none() {
        return;
    }
    let Some(primary) = Cluster::start(&Options::default()) else { return };
    let _standby = primary.synchronous_standby();
    fs::write(std::env::temp_dir().join("ready"), "").expect("a file");
    thread::sleep(Duration::from_mins(5));
}

#[test]
fn a_killed_process_leaves_no_server_and_no_folder() {
    if pgcluster::shared().is_none() {
        return;
    }
    let place = place("ready");
    let mut victim = start_victim(&place);
    let begin = Instant::now();
    while !place.join("ready").exists() {
        assert!(begin.elapsed() < Duration::from_mins(2), "the victim does not get on");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(workers(&place).len() > 10, "two servers are at work");
    end(&mut victim);
    fs::remove_file(place.join("ready")).expect("the file goes");
    wait_until_empty(&place);
}

/// The same while it makes folders, copies databases and starts servers.
#[test]
fn a_process_that_is_killed_early_leaves_nothing_either() {
    if pgcluster::shared().is_none() {
        return;
    }
    for (number, millis) in [5, 50, 200, 500, 900, 1500].into_iter().enumerate() {
        let place = place(&format!("early-{number}"));
        let mut victim = start_victim(&place);
        thread::sleep(Duration::from_millis(millis));
        end(&mut victim);
        // A keeper that is only just starting has made no folder yet.
        thread::sleep(Duration::from_millis(200));
        let _ = fs::remove_file(place.join("ready"));
        wait_until_empty(&place);
    }
}

/// An empty folder that every account may pass through.
fn place(name: &str) -> PathBuf {
    let place = std::env::temp_dir().join(format!("left-behind-{}-{name}", std::process::id()));
    fs::create_dir(&place).expect("a folder");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("its owner may");
    place
}

fn start_victim(place: &Path) -> Child {
    let mut victim = Command::new(std::env::current_exe().expect("this program"));
    victim
        .args(["--exact", "left_behind::victim"])
        .env(VICTIM, "yes")
        .env("TMPDIR", place)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    victim.spawn().expect("this program starts")
}

fn end(victim: &mut Child) {
    victim.kill().expect("it runs");
    victim.wait().expect("it ends");
}

fn wait_until_empty(place: &Path) {
    let begin = Instant::now();
    loop {
        let left: Vec<_> = fs::read_dir(place).expect("the folder").flatten().map(|entry| entry.file_name()).collect();
        let workers = workers(place);
        if left.is_empty() && workers.is_empty() {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "left behind: {left:?}, processes {workers:?}");
        thread::sleep(Duration::from_millis(50));
    }
    fs::remove_dir(place).expect("it is empty");
}

/// The processes that work below a folder.
fn workers(place: &Path) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").expect("processes").flatten().map(|entry| entry.path());
    processes.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(place))).collect()
}
