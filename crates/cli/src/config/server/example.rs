//! A `provost.toml` with every key, commented out.

use std::fmt::Write as _;

use super::{Default, Key, Kind, table};

/// Every key with its summary, as a comment that holds its default.
pub(crate) fn example() -> String {
    let mut text = String::from(
        "# The settings of `provost serve`. Every key is commented out and shows its default; those without one show `…`.\n\
         # `provost config view` tells what holds, `provost config check` tries it.\n",
    );
    for section in table::SECTIONS {
        if !section.name.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n[{}]\n", section.name);
        }
        for key in section.keys {
            let name = key.path.rsplit('.').next().unwrap_or(key.path);
            let _ = write!(text, "\n# {}\n#{name} = {}\n", key.summary, value(key));
        }
    }
    text
}

/// The default outside dev mode as TOML.
fn value(key: &Key) -> String {
    let given = match key.default {
        Default::Is(text) | Default::InDev(text, _) => text,
        Default::None(_) => "…",
    };
    match key.kind {
        Kind::Switch | Kind::Count => given.to_owned(),
        Kind::Text => format!("{given:?}"),
        Kind::List | Kind::Providers | Kind::Terms if given.is_empty() => "[]".to_owned(),
        Kind::List | Kind::Providers | Kind::Terms => format!("[{given:?}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::server::{Problems, file};

    #[test]
    fn without_the_comment_signs_it_holds_the_defaults() {
        let is_key = |line: &&str| line.starts_with('#') && !line.starts_with("# ") && !line.contains('…');
        let text = example();
        let lines: Vec<_> = text.lines().map(|line| if is_key(&line) { &line[1..] } else { line }).collect();
        let uncommented = lines.join("\n");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("provost.toml");
        std::fs::write(&path, uncommented).expect("written");
        let mut problems = Problems::default();
        let entries = file::read(Some(&path), &mut problems).expect("readable");
        assert_eq!(problems.0, Vec::new());
        for entry in &entries {
            assert_eq!(Some(entry.texts.clone()), entry.key.default_texts(false), "{:?}", entry.key);
        }
        assert_eq!(entries.len(), Key::all().filter(|key| key.default_texts(false).is_some()).count());
    }
}
