//! The dialect of patterns: RE2, as the published clients write it, on an engine of linear time.

mod re2;

use std::fmt;

use regex_automata::{meta::Regex, nfa::thompson::WhichCaptures};
use regex_syntax::{
    ast,
    hir::{self, Hir, Look},
};

use super::{reading, text::MAX_PATTERN};

/// Limits memory of a compiled pattern, which is what bounds `a{1000}{1000}`.
const COMPILED_SIZE: usize = 256 * 1024;
/// The same of all patterns of one identity, which is what bounds the time until the first of its tokens is judged.
const TOGETHER: usize = 1024 * 1024;
/// The steps that it may take to read all patterns of one identity: about twenty milliseconds.
const READING: u64 = 2_000_000;
/// The same of the automaton that searches make of it as they go, and of the one for the way back. Both are kept for the next
/// search. A pattern of more than about two thousand states has none, and is followed state by state.
const SEARCH_SIZE: usize = 64 * 1024;
/// How deep a pattern may be as it is written for the engine: a group, its repetition and its flags for each of RE2's groups.
const NESTING: u32 = 1000;
/// As many bytes of text as it takes to begin a search.
const BEGINNING: u64 = 8;

const TOO_MUCH: &str = "is too large to be read: use fewer or smaller classes of characters such as \\pL, and fewer alternatives, and no (?i) beside large classes";
const TOO_MUCH_TOGETHER: &str = "is too large to be read beside the identity's other patterns: use fewer or smaller classes of characters such as \\pL in all of them, and no (?i) beside large classes";
const TOO_LARGE: &str = "is too large when compiled: use fewer or smaller repetitions and classes";
const TOO_LARGE_TOGETHER: &str = "is too large when compiled beside the identity's other patterns: use fewer or smaller repetitions and classes in all of them";

/// A well-formed pattern, not yet anchored.
pub(super) struct Pattern {
    /// What it means.
    pub(super) hir: Hir,
}

/// A compiled pattern, which matches whole texts alone.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    regex: Regex,
    size: usize,
}

/// What may still be read and compiled for one identity. Nothing is begun that it does not cover.
pub(super) struct Budget {
    reading: u64,
    compiled: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { reading: READING, compiled: TOGETHER }
    }
}

/// Reads a pattern; otherwise what is wrong with it.
pub(super) fn parse(pattern: &str, budget: &mut Budget) -> Result<Pattern, String> {
    if pattern.is_empty() {
        return Err("must not be empty".to_owned());
    }
    if pattern.len() > MAX_PATTERN {
        return Err(format!("must be at most {MAX_PATTERN} bytes"));
    }
    if pattern.chars().any(char::is_control) {
        return Err("must not contain control characters".to_owned());
    }
    let text = re2::translate(pattern)?;
    let ast = ast::parse::ParserBuilder::new().nest_limit(NESTING).build().parse(&text).map_err(|error| unread(error.kind()))?;
    let steps = reading::steps(&text, &ast, READING);
    budget.reading = budget.reading.checked_sub(steps).ok_or(if steps > READING { TOO_MUCH } else { TOO_MUCH_TOGETHER })?;
    let hir = hir::translate::TranslatorBuilder::new().build().translate(&text, &ast).map_err(|error| unread(error.kind()))?;
    Ok(Pattern { hir })
}

/// What the engine does not know, such as a class of characters that newer versions of Unicode have.
fn unread(kind: &dyn fmt::Display) -> String {
    format!("is no valid pattern: {kind}")
}

impl Pattern {
    /// The pattern, matching whole texts alone; otherwise what is wrong with it.
    ///
    /// INVARIANT: the anchors are put around its parsed form, so nothing in it, no unbalanced group and no comment, can reach
    /// over them.
    pub(super) fn compile(self, budget: &mut Budget) -> Result<Expression, String> {
        if budget.compiled == 0 {
            return Err(TOO_LARGE_TOGETHER.to_owned());
        }
        let whole = Hir::concat(vec![Hir::look(Look::Start), self.hir, Hir::look(Look::End)]);
        let limits = Regex::config()
            .nfa_size_limit(Some(COMPILED_SIZE))
            // Whether it matches is all that is asked: no group takes memory.
            .which_captures(WhichCaptures::None)
            .onepass(false)
            .hybrid_cache_capacity(SEARCH_SIZE);
        let compiled = Regex::builder().configure(limits).build_from_hir(&whole);
        // Up to its limit takes its time, too.
        let size = compiled.as_ref().map_or(COMPILED_SIZE, Regex::memory_usage);
        let fits = size <= budget.compiled;
        budget.compiled = budget.compiled.saturating_sub(size);
        match compiled {
            Ok(regex) if fits => Ok(Expression { regex, size }),
            Ok(_) => Err(TOO_LARGE_TOGETHER.to_owned()),
            Err(_) => Err(TOO_LARGE.to_owned()),
        }
    }
}

impl Expression {
    /// Whether it matches the whole of `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// How many bytes it takes with what its searches keep, about: followed state by state, that is as much as the pattern, and
    /// the notes of a text that is short enough to go back in.
    pub(super) fn memory(&self) -> usize {
        2 * (self.size + SEARCH_SIZE)
    }

    /// What it takes at most to match `text`, in steps of about a nanosecond: where no shortcut helps, each state of the pattern is
    /// followed at each byte of the text.
    pub(super) fn steps(&self, text: &str) -> u64 {
        self.size as u64 * (text.len() as u64 + BEGINNING)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_automata::Input;

    use super::*;

    fn compile(pattern: &str) -> Result<Expression, String> {
        let mut budget = Budget::default();
        parse(pattern, &mut budget)?.compile(&mut budget)
    }

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).expect(pattern).is_match(text)
    }

    #[test]
    fn patterns_match_whole_texts() {
        assert!(matches("repo:acme/.*", "repo:acme/x"));
        for (pattern, text) in [("a|b", "ab"), ("a", "xa"), ("a", "ax"), ("a$|^b", "ax"), ("a", "a\n"), ("(?m)^a$", "a\nb")] {
            assert!(!matches(pattern, text), "{pattern} {text:?}");
        }
        assert!(matches("^a$", "a") && matches("(?i)A", "a"));
    }

    /// `answers.jsonl` is what Go's `regexp` says; `e2e/clients/go/patterns_test.go` makes it, and compares it with what Go says
    /// today. The first line has the texts, each other a pattern and a digit for each of them, or `null` if it is none.
    #[test]
    fn patterns_are_those_of_re2() {
        let mut lines = include_str!("dialect/re2/answers.jsonl").lines();
        let texts: Vec<String> = serde_json::from_str(lines.next().expect("a line")).expect("texts");
        let (mut patterns, mut wrong) = (0, Vec::new());
        for line in lines {
            let (pattern, theirs): (String, Option<String>) = serde_json::from_str(line).expect(line);
            let ours = compile(&pattern);
            let matched =
                ours.as_ref().ok().map(|ours| texts.iter().map(|text| if ours.is_match(text) { '1' } else { '0' }).collect());
            if matched != theirs {
                wrong.push(format!("{pattern}: {theirs:?}, not {matched:?} ({:?})", ours.err()));
            }
            patterns += 1;
        }
        assert!(patterns > 3500, "{patterns} patterns were compared");
        assert!(wrong.is_empty(), "{} of {patterns} patterns:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn searches_keep_no_more_than_they_count_for() {
        let groups = format!("(?:{}x){{5}}", "()".repeat(450));
        let dear = ["[0-9a-f]{1,200}[a-z]{1,200}", "(a|b)*a(a|b){12}", ".{1,200}", r"\pL{1,3}", "build-.*", &groups];
        for pattern in dear.map(|pattern| compile(pattern).expect(pattern)) {
            for text in ["ab".repeat(50), "x".repeat(120), "ab".repeat(8000), "é".repeat(3000)] {
                let mut cache = pattern.regex.create_cache();
                _ = pattern.regex.search_half_with(&mut cache, &Input::new(&text).earliest(true));
                let kept = pattern.size + cache.memory_usage();
                assert!(kept <= pattern.memory(), "{pattern:?}: {kept} bytes, not {}", pattern.memory());
            }
        }
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let why = |pattern: &str| compile(pattern).expect_err(pattern);
        for pattern in ["a)|(?:b", "(", "[", r"\", "a{2,1}", "(?P<>x)", r"\k", "(?=a)", r"(a)\1", "(?x)a"] {
            assert!(why(pattern).starts_with("is no valid pattern"), "{pattern}: {}", why(pattern));
        }
        assert!(why(r"(?:\pL{30}){33}").contains("too large"));
        // A kilobyte of classes is megabytes once they are written out, and without regard to case seconds of looking up.
        for pattern in [&r"\pL\PN".repeat(170), &format!("(?i){}", "[ -\u{10ffff}]".repeat(120))] {
            assert!(why(pattern).contains("too large to be read: "), "{}", why(pattern));
        }
        assert!(why(&"a".repeat(MAX_PATTERN + 1)).contains("at most"));
        assert!(why("").contains("empty") && why("a\nb").contains("control"));
    }

    #[test]
    fn one_budget_is_for_all_patterns_of_an_identity() {
        let mut budget = Budget::default();
        let pattern = format!("(?i){}", r"\pL".repeat(4));
        let read: Vec<_> = (0..20).map(|_| parse(&pattern, &mut budget).map(|_| ())).collect();
        let taken = read.iter().take_while(|read| read.is_ok()).count();
        assert!((2..10).contains(&taken), "{taken}");
        assert!(read[taken..].iter().all(|read| read == &Err(TOO_MUCH_TOGETHER.to_owned())), "{read:?}");
        assert!(parse("a", &mut budget).is_ok(), "what costs nothing is read all the same");
        assert!(parse("(", &mut budget).is_err_and(|why| why.starts_with("is no valid pattern")));
    }

    /// Pieces of costly patterns.
    fn piece() -> impl Strategy<Value = String> {
        let pieces = [
            r"\pL",
            r"\P{Lu}",
            r"\p{Any}",
            "[ -\u{10ffff}]",
            r"[\pL\pN_]",
            "[^a]",
            ".",
            "a",
            "k|",
            "(?i)",
            "(?:",
            ")",
            "{1,200}",
            "{30}",
            "*",
            "+",
        ];
        prop::sample::select(pieces.to_vec()).prop_map(str::to_owned)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn patterns_within_the_budget_stay_within_their_memory(texts in prop::collection::vec(prop::collection::vec(piece(), 1..40), 1..8)) {
            let mut budget = Budget::default();
            let mut sizes = Vec::new();
            for text in texts {
                let compiled = parse(&text.concat(), &mut budget).and_then(|pattern| pattern.compile(&mut budget));
                sizes.extend(compiled.map(|expression| expression.size));
            }
            prop_assert!(sizes.iter().sum::<usize>() <= TOGETHER, "{:?}", sizes);
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(pattern in "\\PC{0,60}") {
            let _ = compile(&pattern);
        }

        #[test]
        fn nothing_panics_near_patterns(pattern in r"([a-c.*+?|()\[\]{}^$\\dwsb0-9,&~#-]|\(\?x\)|\[\^){0,20}") {
            let _ = compile(&pattern);
        }

        #[test]
        fn anchoring_agrees_with_the_plain_form(pattern in r"([a-c]|\.|\(a\|b\)|\[ab\]|c\*|\|){1,8}", text in "[a-c]{0,5}") {
            let plain = regex::Regex::new(&format!("^(?:{pattern})$"));
            if let (Ok(plain), Ok(ours)) = (plain, compile(&pattern)) {
                prop_assert_eq!(plain.is_match(&text), ours.is_match(&text));
            }
        }
    }
}
