//! PostgreSQL's programs, and who runs them.

use std::{
    env, fs,
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The oldest version that is good enough.
const OLDEST: u32 = 15;

/// PostgreSQL's programs and the account that runs them.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    folder: PathBuf,
    account: Option<Account>,
}

/// PostgreSQL refuses to run as root; root runs it as this account.
#[derive(Clone, Copy, Debug)]
struct Account {
    uid: u32,
    gid: u32,
}

impl Programs {
    /// Finds the newest PostgreSQL, or says why there is none.
    pub(crate) fn find() -> Result<Self, String> {
        if !Path::new("/proc/self/cwd").exists() {
            return Err("this system has no /proc, by which servers are found that a test left behind".to_owned());
        }
        let (version, folder) = folders()
            .into_iter()
            .filter_map(|folder| Some((version(&folder)?, folder)))
            .max_by_key(|(version, _)| *version)
            .ok_or("initdb, postgres and psql are neither in PATH nor in /usr/lib/postgresql/*/bin")?;
        if version < OLDEST {
            return Err(format!("PostgreSQL {OLDEST} is needed, but {} has {version}", folder.display()));
        }
        Ok(Self { folder, account: account()? })
    }

    /// One of the programs, to run in `place` with nothing on its standard input.
    pub(crate) fn command(&self, program: &str, place: &Path) -> Command {
        self.command_at(&self.folder.join(program), place)
    }

    /// The same for a program that is not PostgreSQL's.
    pub(crate) fn command_at(&self, program: &Path, place: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(place).stdin(Stdio::null()).env("LC_ALL", "C").env("TZ", "UTC");
        // Ctrl-C in a terminal is for the test; the keeper ends what the test leaves.
        command.process_group(0);
        if let Some(account) = self.account {
            command.uid(account.uid).gid(account.gid);
        }
        command
    }

    /// Gives a file or folder to the account that runs the server.
    pub(crate) fn give(&self, path: &Path) {
        if let Some(Account { uid, gid }) = self.account {
            std::os::unix::fs::chown(path, Some(uid), Some(gid)).expect("root gives files away");
        }
    }
}

/// Where the programs may be.
fn folders() -> Vec<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "PATH comes from the environment")]
    let path = env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let complete = |folder: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|program| folder.join(program).is_file());
    env::split_paths(&path).chain(versions).filter(complete).collect()
}

/// The major version of the server in `folder`: `postgres (PostgreSQL) 15.8 (…)`.
fn version(folder: &Path) -> Option<u32> {
    let output = Command::new(folder.join("postgres")).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split(' ').nth(2)?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The account `postgres` when we are root, otherwise nobody but ourselves.
fn account() -> Result<Option<Account>, String> {
    if fs::metadata("/proc/self").map_err(|error| error.to_string())?.uid() != 0 {
        return Ok(None);
    }
    let id = |flag: &str| {
        let output = Command::new("id").args([flag, "postgres"]).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    match (id("-u"), id("-g")) {
        (Some(uid), Some(gid)) => Ok(Some(Account { uid, gid })),
        _ => Err("PostgreSQL does not run as root, and there is no account postgres to run it".to_owned()),
    }
}
