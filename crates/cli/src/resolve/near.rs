//! Names that somebody may have meant.

use std::collections::BTreeSet;

use strsim::normalized_damerau_levenshtein;

/// The up to three of `names` that are most like `text`, the most similar first.
pub(super) fn to<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    /// Where 1 is the same and 0 is another word.
    const SIMILAR: f64 = 0.6;
    let wanted = text.to_lowercase();
    let likeness = |name: &str| {
        let begins = !wanted.is_empty() && name.starts_with(&wanted);
        if begins { 1.0 } else { normalized_damerau_levenshtein(&wanted, name) }
    };
    let mut near: Vec<_> = names.collect::<BTreeSet<_>>().into_iter().map(|name| (likeness(name), name)).collect();
    near.retain(|(likeness, _)| *likeness >= SIMILAR);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_and_beginnings_are_near() {
        let names = ["team-a", "team-b", "production", "team-a", "viewer"];
        let near = |text| to(text, names.into_iter());
        assert_eq!(near("taem-a"), ["team-a", "team-b"]);
        assert_eq!(near("Prod"), ["production"]);
        assert_eq!(near("veiwer"), ["viewer"]);
        assert_eq!((near("zzz"), near("")), (vec![], vec![]));
    }
}
