//! Settings from the environment.
#![expect(clippy::disallowed_methods, reason = "this is where the environment is read")]

use std::{env, ffi::OsString, path::PathBuf};

use super::{Entry, Key, Origin, Problems, parse, suggest};

/// The variable that names the file.
pub(super) const CONFIG: &str = "PROVOST_CONFIG";

const PREFIX: &str = "PROVOST_";

/// The settings that variables give. A variable that looks like a misspelt one is a problem; every other variable is somebody
/// else's, such as those that Kubernetes makes for a service of this name.
pub(super) fn read(problems: &mut Problems) -> Vec<Entry> {
    for problem in misspelt() {
        problems.elsewhere(problem);
    }
    Key::all().filter_map(|key| given(key).and_then(|(name, value)| entry(key, name, value, problems))).collect()
}

/// The settings that are files among the credentials of the service (systemd.exec(5), `LoadCredential=`).
pub(super) fn credentials() -> Vec<Entry> {
    let Some(folder) = env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from) else { return Vec::new() };
    let entry = |key: &'static Key| {
        let name = key.credential?;
        let path = folder.join(name);
        let texts = vec![path.to_str().filter(|_| path.is_file())?.to_owned()];
        Some(Entry { key, texts, origin: Origin::Credential(name) })
    };
    Key::all().filter_map(entry).collect()
}

/// The file that the environment names.
pub(super) fn config() -> Option<PathBuf> {
    env::var_os(CONFIG).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn given(key: &Key) -> Option<(&'static str, OsString)> {
    let own = env::var_os(key.variable).map(|value| (key.variable, value));
    own.or_else(|| {
        let other = key.other_variable?;
        Some((other, env::var_os(other).filter(|value| !value.is_empty())?))
    })
}

fn entry(key: &'static Key, name: &'static str, value: OsString, problems: &mut Problems) -> Option<Entry> {
    let origin = Origin::Variable(name);
    if let Ok(text) = value.into_string() {
        return Some(Entry { key, texts: parse::parts(key.kind, &text), origin });
    }
    problems.add(&origin, key, "is no UTF-8 text");
    None
}

/// What is wrong with the names of variables: one line for each that looks like a misspelt one of this program.
pub(crate) fn misspelt() -> Vec<String> {
    slips(env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
}

fn slips(names: impl Iterator<Item = String>) -> Vec<String> {
    let settings = Key::all().map(|key| key.variable).chain([CONFIG]);
    // The prefix is common to all: only what follows it counts.
    let known: Vec<_> = settings.chain(crate::env::VARIABLES).filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let mut ours: Vec<_> = names.filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned)).collect();
    ours.sort();
    let slip = |name: &String| {
        // The path of a key is a good guess as well.
        let words = |key: &&Key| key.path.replace(['.', '-'], "_").to_uppercase();
        let guessed = Key::all().find(|key| words(key) == *name).and_then(|key| key.variable.strip_prefix(PREFIX));
        let meant = guessed.or_else(|| suggest::nearest(name, known.iter().copied()))?;
        Some(format!("{PREFIX}{name}: there is no such variable; did you mean {PREFIX}{meant}?"))
    };
    ours.iter().filter(|name| !known.contains(&name.as_str())).filter_map(slip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_and_strange_variables_left_alone() {
        let told = |name: &str| slips(std::iter::once(name.to_owned())).concat();
        assert_eq!(told("PROVOST_LISTENS"), "PROVOST_LISTENS: there is no such variable; did you mean PROVOST_LISTEN?");
        assert!(told("PROVOST_BASEURL").contains("PROVOST_BASE_URL"));
        assert!(told("PROVOST_IDENTITY_PROVIDER").contains("PROVOST_IDENTITY_PROVIDERS"));
        assert!(told("PROVOST_DATABASE_URL").contains("did you mean PROVOST_DATABASE?"));
        for other in ["PROVOST_PORT", "PROVOST_PORT_8080_TCP_ADDR", "PROVOST_SERVICE_HOST", "PROVOST_TEST_REQUIRE", "LISTENS"] {
            assert_eq!(told(other), "", "{other}");
        }
        for ours in ["PROVOST_TOKEN", "PROVOST_API", "PROVOST_YES", "PROVOST_AUDIENCE", "PROVOST_CONFIG", "PROVOST_LISTEN"] {
            assert_eq!(told(ours), "", "{ours}");
        }
    }
}
