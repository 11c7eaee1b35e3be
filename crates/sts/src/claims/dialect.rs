//! The dialect of patterns: RE2, as the published clients write it, on an engine of linear time.
//!
//! Where the engine's own dialect differs from RE2, patterns are brought to RE2's meaning or refused: `\d`, `\w`, `\s` and `\b` are
//! ASCII; set operations and sets inside sets are refused, because RE2 reads them as plain characters.

use std::fmt::{self, Write as _};

use regex_automata::{meta::Regex, nfa::thompson::WhichCaptures, util::syntax};
use regex_syntax::{
    ast::{self, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Span},
    hir::Hir,
};

use super::text::MAX_PATTERN;

/// Limits memory of a compiled pattern, which is what bounds `a{1000}{1000}`.
const COMPILED_SIZE: usize = 256 * 1024;
/// The same of all patterns of one identity, which is what bounds the time until the first of its tokens is judged.
const TOGETHER: usize = 1024 * 1024;
/// The same of the automaton that searches make of it as they go, and of the one for the way back. Both are kept for the next
/// search. A pattern of more than about two thousand states has none, and is followed state by state.
const SEARCH_SIZE: usize = 64 * 1024;
/// Longest text of a pattern once its classes are written out, which is what bounds the time that compiling takes.
const WRITTEN_SIZE: usize = 64 * 1024;
const NESTING: u32 = 64;

const TOO_LARGE: &str = "is too large when compiled: use fewer or smaller repetitions and classes";
const TOO_LARGE_TOGETHER: &str = "is too large when compiled beside the identity's other patterns: use fewer or smaller repetitions and classes in all of them";

/// A well-formed pattern, not yet anchored.
pub(super) struct Pattern {
    /// What it means.
    pub(super) hir: Hir,
}

/// What may still be compiled for one identity.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(TOGETHER)
    }
}

/// Reads a pattern; otherwise what is wrong with it.
pub(super) fn parse(pattern: &str) -> Result<Pattern, String> {
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
    /// INVARIANT: the pattern is written anew from its parsed form, so nothing in it, no unbalanced group and no comment, can
    /// reach over the anchors.
    pub(super) fn compile(&self, budget: &mut Budget) -> Result<Regex, String> {
        if budget.0 == 0 {
            return Err(TOO_LARGE_TOGETHER.to_owned());
        }
        let mut text = Written(r"\A(?:".to_owned());
        write!(text, "{}", self.hir).map_err(|_| TOO_LARGE)?;
        text.0.push_str(r")\z");
        let limits = Regex::config()
            .nfa_size_limit(Some(COMPILED_SIZE))
            // Whether it matches is all that is asked: no group takes memory.
            .which_captures(WhichCaptures::None)
            .onepass(false)
            .hybrid_cache_capacity(SEARCH_SIZE);
        let syntax = syntax::Config::new().nest_limit(4 * NESTING);
        let compiled = Regex::builder().configure(limits).syntax(syntax).build(&text.0);
        // Up to its limit takes its time, too.
        let size = compiled.as_ref().map_or(COMPILED_SIZE, Regex::memory_usage);
        let fits = size <= budget.0;
        budget.0 = budget.0.saturating_sub(size);
        match compiled {
            Ok(compiled) if fits => Ok(compiled),
            Ok(_) => Err(TOO_LARGE_TOGETHER.to_owned()),
            Err(_) => Err(TOO_LARGE.to_owned()),
        }
    }
}

/// How many bytes a compiled pattern takes with what its searches keep, about: followed state by state, that is as much as
/// the pattern, and the notes of a text that is short enough to go back in.
pub(super) fn memory(pattern: &Regex) -> usize {
    2 * (pattern.memory_usage() + SEARCH_SIZE)
}

/// A text that has an end: a class of two bytes, such as `\pL`, is written out as hundreds of ranges.
struct Written(String);

impl fmt::Write for Written {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > WRITTEN_SIZE {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
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

    fn matches(pattern: &str, text: &str) -> bool {
        parse(pattern).and_then(|pattern| pattern.compile(&mut Budget::default())).expect(pattern).is_match(text)
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
        for pattern in
            dear.map(|pattern| parse(pattern).and_then(|pattern| pattern.compile(&mut Budget::default())).expect(pattern))
        {
            for text in ["ab".repeat(50), "x".repeat(120), "ab".repeat(8000), "é".repeat(3000)] {
                let mut cache = pattern.create_cache();
                _ = pattern.search_half_with(&mut cache, &Input::new(&text).earliest(true));
                let kept = pattern.memory_usage() + cache.memory_usage();
                assert!(kept <= memory(&pattern), "{pattern:?}: {kept} bytes, not {}", memory(&pattern));
            }
        }
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let why = |pattern: &str| parse(pattern).and_then(|pattern| pattern.compile(&mut Budget::default())).expect_err(pattern);
        for pattern in ["a)|(?:b", "(", "[", r"\", "a{2,1}", "(?P<>x)", r"\k", "(?=a)", r"(a)\1", r"\B", "[a&&b]", "[a[b]]"] {
            assert!(why(pattern).starts_with("is no valid pattern"), "{pattern}: {}", why(pattern));
        }
        assert!(why("(?:a{500}){500}").contains("too large"));
        // A kilobyte of classes is megabytes once they are written out; reading those would take seconds.
        assert!(why(&r"\pL\PN".repeat(170)).contains("too large"));
        assert!(Written(String::new()).write_str(&"a".repeat(WRITTEN_SIZE + 1)).is_err());
        assert!(why(&"a".repeat(MAX_PATTERN + 1)).contains("at most"));
        assert!(why("").contains("empty") && why("a\nb").contains("control"));
    }

    proptest! {
        #[test]
        fn nothing_panics(pattern in "\\PC{0,60}") {
            let _ = parse(&pattern).and_then(|pattern| pattern.compile(&mut Budget::default()));
        }

        #[test]
        fn nothing_panics_near_patterns(pattern in r"([a-c.*+?|()\[\]{}^$\\dwsb0-9,&~#-]|\(\?x\)|\[\^){0,20}") {
            let _ = parse(&pattern).and_then(|pattern| pattern.compile(&mut Budget::default()));
        }

        #[test]
        fn anchoring_agrees_with_the_plain_form(pattern in r"([a-c]|\.|\(a\|b\)|\[ab\]|c\*|\|){1,8}", text in "[a-c]{0,5}") {
            let plain = regex::Regex::new(&format!("^(?:{pattern})$"));
            if let (Ok(plain), Ok(ours)) = (plain, parse(&pattern).and_then(|pattern| pattern.compile(&mut Budget::default()))) {
                prop_assert_eq!(plain.is_match(&text), ours.is_match(&text));
            }
        }
    }
}
