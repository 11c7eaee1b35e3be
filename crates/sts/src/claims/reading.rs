//! What it takes to read a pattern, told from its syntax alone: in time linear in the text, before anything is expanded.
//!
//! Three letters can stand for a hundred thousand characters: `\pL` is hundreds of ranges, and under `(?i)` each character of a
//! class is looked up for its other cases. Reading therefore may take a million times as long as the text suggests.

use std::convert::Infallible;

use regex_syntax::{
    ast::{self, Ast, ClassSetItem, ClassUnicode, Flag, FlagsItemKind},
    hir::{Class, HirKind},
};

/// What a node of the syntax takes, in steps of about ten nanoseconds.
const NODE: u64 = 20;
/// What a property of characters such as `\pL` takes, its part of the compilation included.
const PROPERTY: u64 = 10_000;
/// More ranges than any property has.
const RANGES: u64 = 1_000;
/// How many characters there are.
const CHARACTERS: u64 = 0x0011_0000;

/// How many steps it takes to read `ast`, whose text is `pattern`; at least the true number, and not much more for ordinary
/// patterns. More than `enough` steps are not counted to their end.
///
/// Brackets inside brackets hold no brackets themselves: they are classes such as `\D`.
pub(super) fn steps(pattern: &str, ast: &Ast, enough: u64) -> u64 {
    let Ok(folds) = ast::visit(ast, Folds(false));
    let counter = Counter { pattern, folds, enough, steps: 0, bracket: Bracket::default() };
    match ast::visit(ast, counter) {
        Ok(steps) | Err(steps) => steps,
    }
}

/// Finds out whether any part of a pattern disregards case. Which part does not matter: more is counted then.
struct Folds(bool);

impl Folds {
    fn look(&mut self, flags: &ast::Flags) {
        self.0 |= flags.items.iter().any(|item| item.kind == FlagsItemKind::Flag(Flag::CaseInsensitive));
    }
}

impl ast::Visitor for Folds {
    type Output = bool;
    type Err = Infallible;

    fn finish(self) -> Result<bool, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        match ast {
            Ast::Flags(set) => self.look(&set.flags),
            Ast::Group(group) => group.flags().into_iter().for_each(|flags| self.look(flags)),
            _ => {}
        }
        Ok(())
    }
}

/// Counts until it is enough: that is its error.
struct Counter<'a> {
    pattern: &'a str,
    folds: bool,
    enough: u64,
    steps: u64,
    bracket: Bracket,
}

/// What stands in the brackets that are being read.
#[derive(Default)]
struct Bracket {
    items: u64,
    ranges: u64,
    characters: u64,
}

impl Counter<'_> {
    fn take(&mut self, steps: u64) -> Result<(), u64> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.enough { Err(self.steps) } else { Ok(()) }
    }

    /// Counts a property. INVARIANT: it is paid for before it is looked up.
    fn property(&mut self, class: &ClassUnicode) -> Result<u64, u64> {
        self.take(PROPERTY)?;
        if !self.folds {
            return Ok(0);
        }
        let text = self.pattern.get(class.span.start.offset..class.span.end.offset).unwrap_or_default();
        let characters = characters(text);
        // Other cases are looked up before a class is turned into its opposite.
        self.take(characters.max(if class.is_negated() { CHARACTERS - characters } else { 0 }))?;
        Ok(characters)
    }

    fn item(&mut self, ranges: u64, characters: u64) -> Result<(), u64> {
        self.bracket.items += 1;
        self.bracket.ranges += ranges;
        self.bracket.characters += characters;
        self.take(NODE)
    }
}

/// How many characters a property has that stands alone; all of them when there is no such property.
fn characters(property: &str) -> u64 {
    let Ok(hir) = regex_syntax::parse(property) else { return CHARACTERS };
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().map(|range| u64::from(u32::from(range.end()) - u32::from(range.start())) + 1).sum()
        }
        HirKind::Empty | HirKind::Literal(_) => 1,
        _ => CHARACTERS,
    }
}

impl ast::Visitor for Counter<'_> {
    type Output = u64;
    type Err = u64;

    fn finish(self) -> Result<u64, u64> {
        Ok(self.steps)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), u64> {
        self.take(NODE)?;
        match ast {
            Ast::ClassUnicode(class) => self.property(class).map(|_| ()),
            Ast::ClassBracketed(_) => {
                self.bracket = Bracket::default();
                Ok(())
            }
            // Classes that are alternatives are made one, one after the other.
            Ast::Alternation(alternation) => {
                let alternatives = alternation.asts.len() as u64;
                self.take(alternatives * alternatives)
            }
            _ => Ok(()),
        }
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), u64> {
        if !matches!(ast, Ast::ClassBracketed(_)) {
            return Ok(());
        }
        let Bracket { items, ranges, characters } = std::mem::take(&mut self.bracket);
        // Each item is put among the ranges before it.
        self.take(items * ranges / 4)?;
        self.take(if self.folds { characters.min(CHARACTERS) } else { 0 })
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), u64> {
        match item {
            ClassSetItem::Literal(_) => self.item(1, 1),
            ClassSetItem::Range(range) => {
                self.item(1, u64::from(u32::from(range.end.c).saturating_sub(u32::from(range.start.c))) + 1)
            }
            // Other cases are looked up in what a class is not, too.
            ClassSetItem::Ascii(class) => self.item(8, if class.negated { CHARACTERS } else { 128 }),
            ClassSetItem::Perl(_) => self.item(8, 128),
            ClassSetItem::Unicode(class) => {
                let characters = self.property(class)?;
                self.item(RANGES, characters)
            }
            // What a class is not, such as `\D`.
            ClassSetItem::Bracketed(_) => self.item(8, CHARACTERS),
            ClassSetItem::Empty(_) | ClassSetItem::Union(_) => self.take(NODE),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_syntax::hir::Hir;

    use super::*;

    fn count(pattern: &str) -> u64 {
        steps(pattern, &ast::parse::Parser::new().parse(pattern).expect(pattern), u64::MAX)
    }

    /// How many nodes, bytes of literals and ranges a pattern has become.
    fn size(hir: &Hir) -> u64 {
        1 + match hir.kind() {
            HirKind::Literal(text) => text.0.len() as u64,
            HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64,
            HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
            HirKind::Repetition(repetition) => size(&repetition.sub),
            HirKind::Capture(group) => size(&group.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(size).sum(),
            HirKind::Empty | HirKind::Look(_) => 0,
        }
    }

    #[test]
    fn ordinary_patterns_take_little() {
        for pattern in ["build-.*", r"repo:[a-z0-9-]+/[^:]+:ref:refs/(heads|tags)/.*", r"(?i)https://[a-z]+\.example\.com(/.*)?"]
        {
            assert!(count(pattern) < 2_000, "{pattern}: {}", count(pattern));
        }
        assert!(count(r"(?i)[\pL\pN-]+/\pL+") < 700_000);
    }

    #[test]
    fn what_is_looked_up_by_character_counts_by_character() {
        let everything = CHARACTERS - 0x800;
        for pattern in [
            "(?i)[\u{0}-\u{10ffff}]",
            r"(?i:\p{Any})",
            r"(?i)\p{^Any}",
            r"(?i)[^\p{Any}]",
            "(?i)[[:^alpha:]_]",
            "(?x) (?i) [!-\u{10ffff}]",
        ] {
            assert!(count(pattern) > everything, "{pattern}: {}", count(pattern));
        }
        assert!(count("[\u{0}-\u{10ffff}]") < 1_000);
        // Case is disregarded somewhere else: counted all the same.
        assert!(count(r"(?i:a)\pL") > 100_000);
        assert!(count(r"(?-i)\pL") > 100_000);
    }

    #[test]
    fn no_property_has_more_ranges_than_are_counted() {
        for property in
            ["L", "Any", "Assigned", "Cn", "Grapheme_Base", "ID_Continue", "Lowercase", "Uppercase", "Emoji", "Script=Common"]
        {
            let hir = regex_syntax::parse(&format!(r"\p{{{property}}}")).expect(property);
            assert!(size(&hir) < RANGES, "{property}: {}", size(&hir));
        }
    }

    #[test]
    fn counting_ends_when_it_is_enough() {
        let pattern = format!("(?i){}", r"\p{Any}".repeat(140));
        let ast = ast::parse::Parser::new().parse(&pattern).expect("a pattern");
        assert!((1_000..=1_000 + PROPERTY + NODE).contains(&steps(&pattern, &ast, 1_000)));
    }

    proptest! {
        #[test]
        fn nothing_becomes_larger_than_its_steps(
            pattern in r"(\(\?i\))?([a-cK]|\.|\\pL|\\PL|\\p\{Greek\}|\[a-z\\pN\]|\[\^ -~\]|\|){0,40}"
        ) {
            if let Ok(hir) = regex_syntax::parse(&pattern) {
                prop_assert!(size(&hir) <= count(&pattern), "{} of {}", size(&hir), count(&pattern));
            }
        }
    }
}
