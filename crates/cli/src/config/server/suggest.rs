//! Which name was probably meant.

/// The candidate nearest to `name`, if it is near enough to be what was meant: one slip for every four letters.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bound = name.chars().count().div_ceil(4).min(4);
    let near = |candidate: &&'a str| strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase());
    let found = candidates.into_iter().map(|candidate| (near(&candidate), candidate)).min_by_key(|(distance, _)| *distance);
    found.filter(|(distance, _)| *distance <= bound).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = ["listen", "base-url", "identity-providers", "data"];
        let near = |name| nearest(name, known);
        assert_eq!([near("lisen"), near("base_url"), near("identity-provider")], known.map(Some).get(..3).expect("three"));
        assert_eq!([near("Data"), near("dat")], [Some("data"); 2]);
        assert_eq!([near(""), near("port"), near("certificates")], [None; 3]);
    }

    proptest! {
        #[test]
        fn a_suggestion_is_a_candidate(name in "\\PC{0,40}", candidates in prop::collection::vec("\\PC{0,40}", 0..8)) {
            let found = nearest(&name, candidates.iter().map(String::as_str));
            prop_assert!(found.is_none_or(|found| candidates.iter().any(|candidate| candidate == found)));
        }
    }
}
