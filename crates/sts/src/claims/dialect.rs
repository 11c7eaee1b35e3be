//! The dialect of patterns: RE2, as the published clients write it, on an engine of linear time.
//!
//! Where the engine's own dialect differs from RE2, patterns are brought to RE2's meaning or refused: `\d`, `\w`, `\s` and `\b` are
//! ASCII; set operations and sets inside sets are refused, because RE2 reads them as plain characters.

use regex_automata::{meta::Regex, nfa::thompson::WhichCaptures};
use regex_syntax::{
    ast::{self, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Span},
    hir::{Hir, Look},
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
const NESTING: u32 = 64;
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
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(NESTING)
        .build()
        .parse(pattern)
        .map_err(|error| explain(error.kind(), error.span()))?;
    let ascii = ast::visit(&ast, Translator::new(pattern))?;
    let steps = reading::steps(pattern, &ast, READING);
    budget.reading = budget.reading.checked_sub(steps).ok_or(if steps > READING { TOO_MUCH } else { TOO_MUCH_TOGETHER })?;
    let hir = regex_syntax::ParserBuilder::new().nest_limit(NESTING).build().parse(&ascii).map_err(|error| match error {
        regex_syntax::Error::Translate(error) => format!("is no valid pattern: {}", error.kind()),
        _ => "is no valid pattern".to_owned(),
    })?;
    Ok(Pattern { hir })
}

fn explain(kind: &ast::ErrorKind, span: &Span) -> String {
    format!("is no valid pattern: {kind} (at byte {})", span.start.offset)
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

/// Copies a pattern, with the classes that RE2 limits to ASCII written out.
struct Translator<'a> {
    pattern: &'a str,
    copied: usize,
    ascii: String,
}

impl<'a> Translator<'a> {
    fn new(pattern: &'a str) -> Self {
        Self { pattern, copied: 0, ascii: String::with_capacity(pattern.len() + 32) }
    }

    fn replace(&mut self, span: &Span, with: &str) {
        self.copy_to(span.start.offset);
        self.ascii.push_str(with);
        self.copied = span.end.offset;
    }

    fn copy_to(&mut self, end: usize) {
        self.ascii.push_str(self.pattern.get(self.copied..end).unwrap_or_default());
    }

    fn class(&mut self, class: &ClassPerl) {
        let text = match (&class.kind, class.negated) {
            (ClassPerlKind::Digit, false) => "[0-9]",
            (ClassPerlKind::Digit, true) => "[^0-9]",
            (ClassPerlKind::Space, false) => r"[\t\n\f\r\x20]",
            (ClassPerlKind::Space, true) => r"[^\t\n\f\r\x20]",
            (ClassPerlKind::Word, false) => "[0-9A-Za-z_]",
            (ClassPerlKind::Word, true) => "[^0-9A-Za-z_]",
        };
        self.replace(&class.span, text);
    }
}

impl ast::Visitor for Translator<'_> {
    type Output = String;
    type Err = String;

    fn finish(mut self) -> Result<String, String> {
        self.copy_to(self.pattern.len());
        Ok(self.ascii)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), String> {
        match ast {
            Ast::ClassPerl(class) => self.class(class),
            Ast::Assertion(assertion) => match assertion.kind {
                ast::AssertionKind::WordBoundary => self.replace(&assertion.span, r"(?-u:\b)"),
                ast::AssertionKind::StartText
                | ast::AssertionKind::EndText
                | ast::AssertionKind::StartLine
                | ast::AssertionKind::EndLine => {}
                _ => return Err("is no valid pattern: only ^, $, \\A, \\z and \\b are supported as assertions".to_owned()),
            },
            Ast::ClassBracketed(class) => {
                if matches!(class.kind, ClassSet::BinaryOp(_)) {
                    return Err("is no valid pattern: &&, -- and ~~ are not supported in brackets".to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), String> {
        match item {
            ClassSetItem::Perl(class) => self.class(class),
            ClassSetItem::Bracketed(_) => {
                return Err("is no valid pattern: brackets inside brackets are not supported; write \\[".to_owned());
            }
            _ => {}
        }
        Ok(())
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
        for (pattern, text) in
            [("a|b", "ab"), ("a", "xa"), ("a", "ax"), ("a$|^b", "ax"), ("a", "a\n"), ("(?m)^a$", "a\nb"), ("(?x) a # b", "ab")]
        {
            assert!(!matches(pattern, text), "{pattern} {text:?}");
        }
        assert!(matches("^a$", "a") && matches("(?i)A", "a") && matches("(?x) a # b", "a"));
    }

    #[test]
    fn classes_are_those_of_re2() {
        assert!(
            matches(r"\d\w\s", "1a ") && matches(r"[\d-]+", "1-2") && matches(r"[^\w]\D\S\W", "-a-%") && matches(r"a\b.b", "a b")
        );
        assert!(
            !matches(r"\d", "\u{0661}") && !matches(r"\w", "é") && !matches(r"\s", "\u{a0}") && !matches(r"[\d]", "\u{0661}")
        );
        assert!(matches(r"\W", "é") && matches(r"\pL", "é") && matches("[[:alpha:]]", "a"));
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
        for pattern in ["a)|(?:b", "(", "[", r"\", "a{2,1}", "(?P<>x)", r"\k", "(?=a)", r"(a)\1", r"\B", "[a&&b]", "[a[b]]"] {
            assert!(why(pattern).starts_with("is no valid pattern"), "{pattern}: {}", why(pattern));
        }
        assert!(why("(?:a{500}){500}").contains("too large"));
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
