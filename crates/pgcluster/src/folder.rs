//! A folder that is gone, with everybody who works in it, when its holder is.

use std::{
    env, fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
};

use crate::random;

/// What the keeper does, in the shell's language.
const KEEPER: &str = include_str!("keeper.sh");

/// A folder and its keeper. Dropping it, or the end of this process, ends every process whose working folder lies in it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    keeper: Child,
    /// The keeper waits for its end. Nobody else holds it: other children do not inherit it.
    line: Option<ChildStdin>,
}

impl Folder {
    /// Makes an empty folder for temporary files. The keeper is there before the folder is.
    pub(crate) fn make() -> Self {
        let path = env::temp_dir().join(format!("pgcluster-{}", random::word()));
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "pgcluster-keeper"])
            .arg(&path)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What ends the test's process group must not end the keeper.
            .process_group(0)
            .spawn()
            .expect("the shell starts");
        let line = keeper.stdin.take();
        let folder = Self { path, keeper, line };
        fs::create_dir(folder.path()).expect("a folder for temporary files");
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.line = None;
        // Waiting fails only when somebody else has waited for it.
        let _ = self.keeper.wait();
    }
}
