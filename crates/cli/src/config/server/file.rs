//! Settings from `provost.toml`.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use server::private;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{Entry, Key, Kind, Origin, Problems, suggest, table, variables};
use crate::exit::{Exit, Failure};

/// The file that is read when none is named, if it exists.
pub(super) const DEFAULT: &str = "/etc/provost/provost.toml";

/// The settings of the file that is named, or of the default one.
///
/// # Errors
/// When a named file does not exist, or the file cannot be read.
pub(super) fn read(named: Option<&Path>, problems: &mut Problems) -> Result<Vec<Entry>, Failure> {
    let named = named.map(Path::to_owned).or_else(variables::config);
    let path = named.clone().unwrap_or_else(|| PathBuf::from(DEFAULT));
    // What is no file may keep whoever opens it waiting for ever.
    let found = fs::metadata(&path).and_then(|found| if found.is_file() { fs::read_to_string(&path) } else { Err(no_file()) });
    let text = match found {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => return Ok(Vec::new()),
        Err(error) => {
            let message = format!("cannot read the configuration file {}: {error}", path.display());
            return Err(Failure::new(Exit::Usage, message).hint("name another one with --config or PROVOST_CONFIG"));
        }
    };
    let entries = File { path: &path, text: &text, problems }.entries();
    for entry in entries.iter().filter(|entry| entry.key.secret) {
        if let Err(why) = private::refuse_shared(&path) {
            problems.add(&entry.origin, entry.key, &format!("is a secret, and {why}"));
        }
    }
    Ok(entries)
}

fn no_file() -> std::io::Error {
    std::io::Error::new(ErrorKind::InvalidInput, "it is no regular file")
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
    problems: &'a mut Problems,
}

type Named<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

impl File<'_> {
    fn entries(mut self) -> Vec<Entry> {
        let (root, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            self.wrong(error.span().map_or(0, |span| span.start), error.message());
        }
        if !errors.is_empty() {
            return Vec::new();
        }
        let mut entries = Vec::new();
        for (name, value) in in_order(root.get_ref()) {
            match (value.get_ref(), table::section(name.get_ref())) {
                (DeValue::Table(section), Some(known)) => {
                    for (key, value) in in_order(section) {
                        let path = format!("{}.{}", known.name, key.get_ref());
                        self.entry(&path, key.span().start, value, &mut entries);
                    }
                }
                (_, Some(known)) => {
                    let shape = format!("{} is a section; write [{}] and its keys below it", known.name, known.name);
                    self.wrong(name.span().start, &shape);
                }
                _ => self.entry(name.get_ref(), name.span().start, value, &mut entries),
            }
        }
        entries
    }

    fn entry(&mut self, path: &str, at: usize, value: &Spanned<DeValue<'_>>, entries: &mut Vec<Entry>) {
        let Some(key) = Key::all().find(|key| key.path == path) else {
            return self.unknown(path, at, matches!(value.get_ref(), DeValue::Table(_)));
        };
        match texts(key.kind, value.get_ref()) {
            Ok(texts) => {
                let origin = Origin::File { path: self.path.to_owned(), line: self.line(at) };
                entries.push(Entry { key, texts, origin });
            }
            Err(why) => self.wrong(at, &format!("{path}: {why}")),
        }
    }

    fn unknown(&mut self, path: &str, at: usize, is_section: bool) {
        let sections = table::SECTIONS.iter().map(|section| section.name).filter(|name| !name.is_empty());
        let message = if is_section {
            let meant = suggest::nearest(path, sections).map(|name| format!("; did you mean [{name}]?"));
            format!("there is no section [{path}]{}", meant.unwrap_or_default())
        } else {
            let moved = Key::all().find(|key| key.path.rsplit('.').next() == path.rsplit('.').next()).map(|key| key.path);
            let meant = suggest::nearest(path, Key::all().map(|key| key.path)).or(moved);
            format!("there is no key {path}{}", meant.map(|name| format!("; did you mean {name}?")).unwrap_or_default())
        };
        self.wrong(at, &message);
    }

    fn wrong(&mut self, at: usize, why: &str) {
        let line = self.line(at);
        self.problems.0.push((line, format!("{}:{line}: {why}", self.path.display())));
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }
}

/// The entries of a table as the file has them: the parser sorts them by name.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<Named<'a, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

/// The value as texts, when it looks as the key wants it.
fn texts(kind: Kind, value: &DeValue<'_>) -> Result<Vec<String>, String> {
    match (kind, value) {
        (Kind::Switch, DeValue::Boolean(value)) => Ok(vec![value.to_string()]),
        (Kind::Count, DeValue::Integer(value)) if value.radix() == 10 => Ok(vec![value.as_str().replace('_', "")]),
        (Kind::Text | Kind::List | Kind::Providers | Kind::Terms, DeValue::String(value)) => Ok(vec![value.to_string()]),
        (Kind::List | Kind::Providers | Kind::Terms, DeValue::Array(values)) => {
            values.iter().map(|value| part(kind, value.get_ref())).collect()
        }
        _ => {
            let wanted = match kind {
                Kind::Switch => "true or false, without quotes",
                Kind::Count => "a whole number, without quotes",
                Kind::Text => "a text in quotes",
                Kind::List => "a list of texts: [\"…\", \"…\"]",
                Kind::Providers => "a list of issuers, or [[identity-providers]] tables with issuer and audiences",
                Kind::Terms => "[[terms]] tables with id, label, url and methods",
            };
            Err(format!("must be {wanted}, not {}", article(value.type_str())))
        }
    }
}

fn part(kind: Kind, value: &DeValue<'_>) -> Result<String, String> {
    match (kind, value) {
        (_, DeValue::String(text)) if text.is_empty() => Err("has an empty entry".to_owned()),
        (_, DeValue::String(text)) => Ok(text.to_string()),
        (Kind::Providers, DeValue::Table(table)) => provider(table),
        (Kind::Terms, DeValue::Table(table)) => document(table),
        _ => Err(format!("has an entry that is {}, not a text", article(value.type_str()))),
    }
}

/// A provider's table as the text that a flag would give: the issuer, then its audiences.
fn provider(table: &DeTable<'_>) -> Result<String, String> {
    let (mut issuer, mut audiences) = (None, Vec::new());
    for (name, value) in in_order(table) {
        match (name.get_ref().as_ref(), value.get_ref()) {
            ("issuer", DeValue::String(text)) => issuer = Some(text.to_string()),
            ("audiences", value) => audiences = texts(Kind::List, value).map_err(|why| format!("audiences {why}"))?,
            ("issuer", _) => return Err("the issuer must be a text in quotes".to_owned()),
            (other, _) => return Err(format!("has an entry with the key {other}; there are issuer and audiences")),
        }
    }
    if audiences.iter().any(|audience| audience.contains(char::is_whitespace)) {
        return Err("has an audience with a blank in it".to_owned());
    }
    let issuer = issuer.ok_or("has an entry without issuer")?;
    Ok(std::iter::once(issuer).chain(audiences).collect::<Vec<_>>().join(" "))
}

/// A document's table as the text that a flag would give.
fn document(table: &DeTable<'_>) -> Result<String, String> {
    let (mut parts, mut methods) = ([const { String::new() }; 3], Vec::new());
    for (name, value) in in_order(table) {
        let at = ["id", "label", "url"].iter().position(|part| part == name.get_ref());
        match (at.and_then(|at| parts.get_mut(at)), name.get_ref().as_ref(), value.get_ref()) {
            (Some(part), _, DeValue::String(text)) => *part = text.to_string(),
            (Some(_), name, _) => return Err(format!("the {name} must be a text in quotes")),
            (None, "methods", value) => methods = texts(Kind::List, value).map_err(|why| format!("methods {why}"))?,
            (None, other, _) => {
                return Err(format!("has an entry with the key {other}; there are id, label, url and methods"));
            }
        }
    }
    if methods.iter().any(|method| method.contains(char::is_whitespace)) {
        return Err("has a method with a blank in it".to_owned());
    }
    if let Some(part) = parts.iter().chain(&methods).find(|part| part.contains('|')) {
        return Err(format!("has {part:?}, which must not contain `|`"));
    }
    if let Some((name, _)) = ["id", "label", "url"].into_iter().zip(&parts).find(|(_, part)| part.trim().is_empty()) {
        return Err(format!("has an entry without {name}"));
    }
    let [id, label, url] = parts;
    Ok([id, label, url, methods.join(" ")].join("|"))
}

fn article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
