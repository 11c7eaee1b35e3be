//! The settings of the server: one table of keys, from which come the flags of `provost serve`, the reading of `provost.toml`
//! and of variables, the views and the reference.
//!
//! A flag outranks a variable, a variable the file, the file the default.

use std::{fmt, path::PathBuf};

use ::server::{Settings, settings::LogFormat};

use crate::exit::{Exit, Failure};

mod example;
mod file;
mod flags;
pub(crate) mod log_filter;
mod parse;
mod reference;
mod suggest;
mod table;
mod variables;

pub(crate) use example::example;
pub(crate) use flags::{DataFlags, Given, ServeFlags};
pub(crate) use parse::switch;
pub use reference::reference;
pub(crate) use suggest::nearest;
pub(crate) use variables::misspelt;

/// One setting.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// Its place in `provost.toml`: `section.key`, or the key alone.
    pub(crate) path: &'static str,
    /// Its flag without the dashes.
    pub(crate) flag: &'static str,
    /// Its environment variable.
    pub(crate) variable: &'static str,
    /// A variable that counts when its own is not set: other programs know it, too.
    pub(crate) other_variable: Option<&'static str>,
    /// What it looks like in `provost.toml`.
    pub(crate) kind: Kind,
    /// What stands for the value in the help.
    pub(crate) value: &'static str,
    /// What holds when nobody says anything.
    pub(crate) default: Default,
    /// What it is, in a line: the help of its flag.
    pub(crate) summary: &'static str,
    /// The rest of the paragraph in the reference; may be empty.
    pub(crate) more: &'static str,
    /// Whether its value is never shown.
    pub(crate) secret: bool,
    /// The key that this one can be given instead of.
    pub(crate) instead_of: Option<&'static str>,
    /// The name of a credential of the service (systemd.exec(5)) that is the file which this key names.
    pub(crate) credential: Option<&'static str>,
    /// Whether commands that work on the data without a server take it as well.
    pub(crate) data: bool,
    /// Reads the texts that were given and puts the value in its place; the error says what is wrong with them.
    pub(crate) apply: fn(&mut Settings, &[String]) -> Result<(), String>,
}

/// What a setting looks like in `provost.toml`. Variables and flags are texts; lists have commas between their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Count,
    /// A text.
    Text,
    /// A list of texts; a single one may stand alone.
    List,
    /// Like `List`, and an entry may be `{ issuer = "…", audiences = ["…"] }`.
    Providers,
    /// Like `List`, and an entry may be `{ id = "…", label = "…", url = "…", methods = ["…"] }`.
    Terms,
}

/// What holds when nobody says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Default {
    /// This value.
    Is(&'static str),
    /// The first value, or in dev mode the second.
    InDev(&'static str, &'static str),
    /// Nothing; the text says what follows from that.
    None(&'static str),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    /// A file of this name in the folder that systemd made for the service's credentials.
    Credential(&'static str),
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(&'static str),
    Flag(&'static str),
}

/// What was given for a key.
#[derive(Clone, Debug)]
struct Entry {
    key: &'static Key,
    texts: Vec<String>,
    origin: Origin,
}

/// The settings, and where each comes from.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) settings: Settings,
    /// One for every key, in the order of the table.
    pub(crate) effective: Vec<Effective>,
}

/// What holds for a key.
#[derive(Debug)]
pub(crate) struct Effective {
    pub(crate) key: &'static Key,
    /// Its texts; `None` when there is no value.
    pub(crate) texts: Option<Vec<String>>,
    pub(crate) origin: Origin,
}

/// Everything that is wrong with the settings, one line each, with the line of the file that it is about.
#[derive(Debug, Default)]
struct Problems(Vec<(usize, String)>);

impl Key {
    /// What every key starts from.
    const BASE: Self = Self {
        path: "",
        flag: "",
        variable: "",
        other_variable: None,
        kind: Kind::Text,
        value: "",
        default: Default::None(""),
        summary: "",
        more: "",
        secret: false,
        instead_of: None,
        credential: None,
        data: false,
        apply: |_, _| Ok(()),
    };

    /// The keys, in the order of the reference.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        table::SECTIONS.iter().flat_map(|section| section.keys)
    }

    /// The texts of its default, as they would be given.
    pub(crate) fn default_texts(&self, dev: bool) -> Option<Vec<String>> {
        let text = match self.default {
            Default::Is(text) => text,
            Default::InDev(other, in_dev) => {
                if dev {
                    in_dev
                } else {
                    other
                }
            }
            Default::None(_) => return None,
        };
        Some(parse::parts(self.kind, text))
    }
}

/// Reads file, variables and flags.
///
/// # Errors
/// Everything that is wrong, one line each, saying where.
pub(crate) fn load(given: &Given) -> Result<Loaded, Failure> {
    let mut problems = Problems::default();
    let entries = entries(given, file::read(given.config.as_deref(), &mut problems)?, &mut problems);
    // What is outranked must be right as well: it shows when what outranks it goes.
    let mut scratch = Settings::default();
    for entry in &entries {
        if let Err(why) = entry.apply(&mut scratch) {
            problems.add(&entry.origin, entry.key, &why);
        }
    }
    let entries = without_outranked(entries, &mut problems);
    problems.check()?;
    // In the order of the table: the first key, `dev`, decides about defaults, and some keys refine what earlier ones chose.
    let (mut settings, mut effective, mut problems) = (Settings::default(), Vec::new(), Problems::default());
    for key in Key::all() {
        let (texts, origin) = match entries.iter().find(|entry| entry.key.path == key.path) {
            Some(entry) => (Some(entry.texts.clone()), entry.origin.clone()),
            None => (key.default_texts(settings.dev), Origin::Default),
        };
        if let Some(Err(why)) = texts.as_deref().map(|texts| (key.apply)(&mut settings, texts)) {
            problems.add(&origin, key, &why);
        }
        effective.push(Effective { key, texts, origin });
    }
    problems.check()?;
    #[cfg(feature = "otel")]
    {
        settings.log.traces = crate::env::traces();
    }
    Ok(Loaded { settings, effective })
}

/// The format of the log as far as it can be read where other settings are wrong.
pub(crate) fn log_format(given: &Given) -> LogFormat {
    let mut ignored = Problems::default();
    let file = file::read(given.config.as_deref(), &mut ignored).unwrap_or_default();
    let entries = without_outranked(entries(given, file, &mut ignored), &mut ignored);
    let mut settings = Settings::default();
    if let Some(entry) = entries.iter().find(|entry| entry.key.path == "log.format") {
        // What cannot be read leaves the default.
        _ = entry.apply(&mut settings);
    }
    settings.log.format
}

/// Everything that was given, in the file and elsewhere.
fn entries(given: &Given, file: Vec<Entry>, problems: &mut Problems) -> Vec<Entry> {
    let mut entries = variables::credentials();
    entries.extend(file);
    entries.extend(variables::read(problems));
    entries.extend(given.entries());
    entries
}

/// One entry for each key, that of the highest rank, and one for each pair of keys that stand for the same.
fn without_outranked(mut entries: Vec<Entry>, problems: &mut Problems) -> Vec<Entry> {
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.origin.rank()));
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries {
        let same = |other: &&Entry| other.key.path == entry.key.path;
        let instead =
            |other: &&Entry| other.key.instead_of == Some(entry.key.path) || entry.key.instead_of == Some(other.key.path);
        if let Some(other) = kept.iter().find(instead).filter(|other| other.origin.rank() == entry.origin.rank()) {
            problems.add(&entry.origin, entry.key, &format!("and {} cannot both be given", other.key.path));
        } else if !kept.iter().any(|other| same(&other) || instead(&other)) {
            kept.push(entry);
        }
    }
    kept
}

impl Origin {
    /// Who outranks whom.
    fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::Credential(_) => 1,
            Self::File { .. } => 2,
            Self::Variable(_) => 3,
            Self::Flag(_) => 4,
        }
    }
}

impl Entry {
    fn apply(&self, settings: &mut Settings) -> Result<(), String> {
        match self.texts.as_slice() {
            [text] if text.is_empty() => Err("is empty; give it a value or leave it out".to_owned()),
            texts => (self.key.apply)(settings, texts),
        }
    }
}

impl Problems {
    fn add(&mut self, origin: &Origin, key: &Key, why: &str) {
        match origin {
            Origin::File { line, .. } => self.0.push((*line, format!("{origin}: {}: {why}", key.path))),
            _ => self.elsewhere(format!("{origin}: {why}")),
        }
    }

    /// Adds what is not about the file.
    fn elsewhere(&mut self, problem: String) {
        self.0.push((usize::MAX, problem));
    }

    fn check(mut self) -> Result<(), Failure> {
        self.0.sort_by_key(|(line, _)| *line);
        let lines: Vec<_> = self.0.into_iter().map(|(_, problem)| problem).collect();
        if lines.is_empty() { Ok(()) } else { Err(Failure::new(Exit::Usage, lines.join("\nerror: "))) }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Credential(name) => write!(f, "credential {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Names that existed before the rule, and those for which the rule makes no good ones.
    const EXCEPTIONS: [&str; 5] =
        ["database.url", "identity-providers", "organizations.self-service", "outbound.allow-private-addresses", "log.filter"];

    #[test]
    fn names_follow_one_rule() {
        for key in Key::all() {
            let words = key.path.replace('.', "-");
            let by_rule = (words.clone(), format!("PROVOST_{}", words.replace('-', "_").to_uppercase()));
            let is_exception = EXCEPTIONS.contains(&key.path);
            assert_ne!(by_rule == (key.flag.to_owned(), key.variable.to_owned()), is_exception, "{key:?}");
            assert!(key.path.chars().all(|c| c.is_ascii_lowercase() || "-.".contains(c)), "{key:?}");
            assert!(!key.summary.ends_with('.') && (key.more.is_empty() || key.more.ends_with('.')), "{key:?}");
        }
        let sections = table::SECTIONS.iter().flat_map(|section| section.keys.iter().map(move |key| (section.name, key)));
        for (name, key) in sections {
            assert_eq!(key.path.rsplit_once('.').map_or("", |(section, _)| section), name, "{key:?}");
        }
        let distinct = |name: fn(&Key) -> &'static str| Key::all().map(name).collect::<HashSet<_>>().len();
        let all = Key::all().count();
        assert_eq!([distinct(|key| key.path), distinct(|key| key.flag), distinct(|key| key.variable)], [all; 3]);
    }

    #[test]
    fn the_defaults_of_the_table_are_those_of_the_server() {
        for dev in [false, true] {
            let mut settings = Settings::default();
            for key in Key::all() {
                if let Some(texts) = key.default_texts(dev) {
                    (key.apply)(&mut settings, &texts).unwrap_or_else(|why| panic!("{key:?} {why}"));
                }
            }
            let expected = if dev { Settings::dev(([127, 0, 0, 1], 8080).into(), "./provost-data") } else { Settings::default() };
            assert_eq!(format!("{settings:?}"), format!("{:?}", Settings { dev: false, ..expected }));
        }
    }
}
