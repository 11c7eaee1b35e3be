//! The parts of the program that a filter of the log names.

use super::suggest::nearest;

/// The parts that log under a name of their own: our crates, targets that belong to no crate, and the libraries below.
const PARTS: &[&str] = &[
    "access",
    "api",
    "bench",
    "cli",
    "client",
    "clouds",
    "contract",
    "database",
    "delivery",
    "devidp",
    "domain",
    "exchange",
    "formats",
    "gateway",
    "h2",
    "hyper",
    "hyper_util",
    "issuers",
    "otel",
    "panic",
    "reqwest",
    "rustls",
    "server",
    "services",
    "store",
    "sts",
    "tokio",
    "tokio_postgres",
    "tonic",
    "tower",
];
const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// Checks that no part of `filter` looks like a slip: whatever is unknown may be a library, and logs nothing if it is none.
///
/// # Errors
/// What was written, and what was probably meant.
pub(crate) fn check(filter: &str) -> Result<(), String> {
    for directive in filter.split(',').map(str::trim) {
        let target = directive.split(['=', '[']).next().unwrap_or_default();
        let part = target.split("::").next().unwrap_or_default();
        // A word alone may be a level as well.
        let is_alone = !directive.contains(['=', '[']);
        let levels = if is_alone { LEVELS } else { &[] };
        let known = || PARTS.iter().chain(levels).copied();
        let is_known = part.is_empty() || part.parse::<u8>().is_ok() || known().any(|known| known.eq_ignore_ascii_case(part));
        if let Some(meant) = (!is_known).then(|| nearest(part, known())).flatten() {
            let what = if is_alone { "is no level" } else { "is no part of the server" };
            return Err(format!("{part:?} {what}; did you mean {meant}?"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn slips_are_told_and_libraries_left_alone() {
        for good in [
            "info",
            "DEBUG",
            "off",
            "info,store=debug",
            "warn,exchange=trace",
            "gateway::observe=off",
            "my_library=debug",
            "[span]=info",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, meant) in
            [("inof", "info"), ("info,stroe=debug", "store"), ("gatway::observe=off", "gateway"), ("exchnage=trace", "exchange")]
        {
            let told = check(bad).expect_err(bad);
            assert!(told.ends_with(&format!("did you mean {meant}?")), "{bad}: {told}");
        }
    }

    /// Our own crates that a server is made of, and every target that is named in them.
    #[test]
    fn every_part_of_ours_is_known() {
        const TOOLS: &[&str] = &["pgcluster", "testkit"];
        fn targets(folder: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
                if entry.is_dir() {
                    targets(&entry, found);
                } else if entry.extension().is_some_and(|kind| kind == "rs") {
                    let text = fs::read_to_string(&entry).expect("text");
                    // In two parts, so that this line is none.
                    let marks = text.split(concat!("target: ", "\"")).skip(1);
                    let names = marks.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
                    found.extend(names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || "_:".contains(c))));
                }
            }
        }
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
        let mut names: Vec<_> =
            fs::read_dir(crates).expect("crates").map(|entry| entry.expect("one").file_name().display().to_string()).collect();
        names.retain(|name| !TOOLS.contains(&name.as_str()));
        for name in names.clone() {
            targets(&crates.join(name).join("src"), &mut names);
        }
        for name in names {
            let part = name.split("::").next().unwrap_or_default();
            assert!(PARTS.contains(&part), "{name}");
        }
    }
}
