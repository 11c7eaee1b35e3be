//! How the user can start this very program again.
#![expect(clippy::disallowed_methods, reason = "PATH decides whether the bare name is enough")]

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// `provost` when that starts this program, else the path to it, ready for a shell.
pub(crate) fn name() -> String {
    let Some(this) = env::current_exe().ok().and_then(|exe| fs::canonicalize(exe).ok()) else { return "provost".to_owned() };
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join("provost")).find(|program| program.is_file());
    if found.is_some_and(|program| fs::canonicalize(program).is_ok_and(|program| program == this)) {
        return "provost".to_owned();
    }
    quoted(&shortest(this, env::current_dir().ok()))
}

/// The path from the working folder when the program lies below it.
fn shortest(program: PathBuf, here: Option<PathBuf>) -> PathBuf {
    let here = here.and_then(|here| fs::canonicalize(here).ok());
    let relative = here.and_then(|here| program.strip_prefix(here).map(Path::to_owned).ok());
    match relative {
        Some(relative) if relative.components().count() == 1 => Path::new(".").join(relative),
        Some(relative) => relative,
        None => program,
    }
}

/// The path as one word of a POSIX shell.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_one_word() {
        assert_eq!(quoted(Path::new("/a/b-c")), "/a/b-c");
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
