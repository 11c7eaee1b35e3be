//! Issuer patterns: regular expressions that fix the registrable domain of the host, so that no stranger's issuer matches.
//!
//! A pattern is read element by element from `https://` to the first `/`. Every variable element before that may match only
//! characters of host names, so that none can end the host early, and what stands last must spell out a registrable domain.
//!
//! Below some domains anybody can register names: buckets, pages, functions. A variable element may reach into these, so at a
//! match the issuer itself is judged once more: the one label that somebody registered must be spelled out by the pattern.
//! `https://oidc\.eks\.[a-z0-9-]+\.amazonaws\.com` takes every region, because `eks` is the name below `us-east-1.amazonaws.com`;
//! `https://[a-z-]+\.[a-z0-9-]+\.amazonaws\.com` takes nobody's bucket below `s3.amazonaws.com`.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::{
    dialect::{self, Budget, Expression},
    issuer_url::UrlPolicy,
};

/// A compiled issuer pattern and the domain that it fixes.
#[derive(Clone, Debug)]
pub(crate) struct IssuerPattern {
    pattern: Expression,
    domain: String,
    labels: Vec<Label>,
}

/// A label of the host, as far as the pattern spells it out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Label {
    Literal(String),
    Variable,
}

/// The host as far as it has been read.
#[derive(Default)]
struct HostPattern(Vec<Piece>);

enum Piece {
    Literal(String),
    Variable { may_have_dots: bool },
}

impl IssuerPattern {
    /// Compiles a pattern; otherwise what is wrong with it.
    pub(super) fn compile(pattern: &str, budget: &mut Budget) -> Result<Self, String> {
        let parsed = dialect::parse(pattern, budget)?;
        let host = read_host(&parsed.hir)?;
        Ok(Self { domain: host.domain()?, labels: host.labels(), pattern: parsed.compile(budget)? })
    }

    /// How many bytes it takes, about.
    pub(super) fn memory(&self) -> usize {
        self.pattern.memory()
    }

    /// What it takes at most to match `issuer`, as [`Expression::steps`] counts it.
    pub(super) fn steps(&self, issuer: &str) -> u64 {
        self.pattern.steps(issuer)
    }

    /// Whether the pattern matches the whole of `issuer`, and that is an issuer URL of the party that the pattern fixes.
    pub(super) fn admits(&self, issuer: &str, policy: UrlPolicy) -> bool {
        self.pattern.is_match(issuer)
            && policy
                .issuer(issuer)
                .is_ok_and(|url| url.domain().is_some_and(|host| self.is_within(host) && self.spells_owner(host)))
    }

    fn is_within(&self, host: &str) -> bool {
        host.strip_suffix(&*self.domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Whether the label that somebody registered, which is the one before the public suffix, is spelled out.
    fn spells_owner(&self, host: &str) -> bool {
        let suffix = psl::suffix_str(host).map_or(1, |suffix| suffix.split('.').count());
        let owner = host.rsplit('.').nth(suffix);
        matches!((self.labels.get(suffix), owner), (Some(Label::Literal(literal)), Some(owner)) if literal == owner)
    }
}

/// The host of a pattern; otherwise what is wrong with it.
fn read_host(pattern: &Hir) -> Result<HostPattern, String> {
    let mut elements = Vec::new();
    flatten(pattern, &mut elements);
    let mut elements = elements.as_slice();
    if let Some((_, rest)) = elements.split_first().filter(|(first, _)| matches!(first.kind(), HirKind::Look(Look::Start))) {
        elements = rest;
    }
    if let Some((_, rest)) = elements.split_last().filter(|(last, _)| matches!(last.kind(), HirKind::Look(Look::End))) {
        elements = rest;
    }
    if matches!(elements, [only] if matches!(only.kind(), HirKind::Alternation(_))) {
        return Err(
            "must not be a choice between issuers: give each its own identity, or choose within one host or path".to_owned()
        );
    }
    let mut host = HostPattern::default();
    let start = elements.first().and_then(|first| literal(first)).and_then(|text| text.strip_prefix("https://"));
    let start = start.ok_or("must start with https:// and the host, not with something variable")?;
    let mut is_over = host.literal(start)?;
    elements = elements.get(1..).unwrap_or_default();
    while let Some((element, rest)) = elements.split_first().filter(|_| !is_over) {
        match literal(element) {
            Some(text) => is_over = host.literal(text)?,
            None if is_path_or_end(elements) => is_over = true,
            None => host.variable(element)?,
        }
        elements = rest;
    }
    Ok(host)
}

impl HostPattern {
    /// Reads a literal; true when it ends the host.
    fn literal(&mut self, text: &str) -> Result<bool, String> {
        let (host, is_end) = text.split_once('/').map_or((text, false), |(host, _)| (host, true));
        if let Some(other) = host.chars().find(|c| !is_host_char(*c) || c.is_ascii_uppercase()) {
            return Err(format!("must spell its host with a-z, 0-9, dots and hyphens up to the first slash, not {other:?}"));
        }
        self.0.push(Piece::Literal(host.to_owned()));
        Ok(is_end)
    }

    fn variable(&mut self, element: &Hir) -> Result<(), String> {
        if !matches_only(element, &is_host_char) {
            return Err("must keep variable parts of the host to letters, digits, dots and hyphens, so that none can match \
                        / @ : ? # or \\ (write \\. for a dot)"
                .to_owned());
        }
        self.0.push(Piece::Variable { may_have_dots: !matches_only(element, &|c| is_host_char(c) && c != '.') });
        Ok(())
    }

    /// The registrable domain that the end of the host spells out.
    fn domain(&self) -> Result<String, String> {
        let literals = self.0.iter().rev().map_while(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            Piece::Variable { .. } => None,
        });
        let mut tail: Vec<_> = literals.collect();
        let is_whole = tail.len() == self.0.len();
        tail.reverse();
        let tail = tail.concat();
        // What stands directly after something variable may be the end of a longer label.
        let tail = if is_whole { tail.as_str() } else { tail.split_once('.').map_or("", |(_, whole)| whole) };
        let has_labels = tail.split('.').all(|label| !label.is_empty());
        // A host that ends in a number is an address (URL Standard, "ends in a number").
        let is_name = tail.rsplit('.').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_alphabetic()));
        let domain = psl::domain_str(tail).filter(|_| has_labels && is_name);
        domain.map(str::to_owned).ok_or_else(|| {
            "must end its host with a whole registrable domain, such as \\.example\\.com, below which nobody else can register names"
                .to_owned()
        })
    }

    /// The labels from the right, up to the first place where their number is not fixed.
    fn labels(&self) -> Vec<Label> {
        let mut labels = Vec::new();
        let mut current = Label::Literal(String::new());
        for piece in self.0.iter().rev() {
            match piece {
                Piece::Variable { may_have_dots: true } => return labels,
                Piece::Variable { may_have_dots: false } => current = Label::Variable,
                Piece::Literal(text) => {
                    for (at, part) in text.rsplit('.').enumerate() {
                        if at > 0 {
                            labels.push(std::mem::replace(&mut current, Label::Literal(String::new())));
                        }
                        if let Label::Literal(label) = &mut current {
                            label.insert_str(0, part);
                        }
                    }
                }
            }
        }
        labels.push(current);
        labels
    }
}

fn is_host_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// The elements of the pattern in a row, groups opened.
fn flatten<'a>(hir: &'a Hir, into: &mut Vec<&'a Hir>) {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().for_each(|part| flatten(part, into)),
        HirKind::Capture(group) => flatten(&group.sub, into),
        HirKind::Empty => {}
        _ => into.push(hir),
    }
}

fn literal(hir: &Hir) -> Option<&str> {
    match hir.kind() {
        HirKind::Literal(text) => std::str::from_utf8(&text.0).ok(),
        _ => None,
    }
}

/// Whether everything that the element can match consists of ASCII characters that `admits` lets through.
fn matches_only(hir: &Hir, admits: &dyn Fn(char) -> bool) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Literal(text) => text.0.iter().all(|byte| admits(char::from(*byte))),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().all(|range| range.end().is_ascii() && (range.start()..=range.end()).all(admits))
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => false,
        HirKind::Repetition(repetition) => matches_only(&repetition.sub, admits),
        HirKind::Capture(group) => matches_only(&group.sub, admits),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(|part| matches_only(part, admits)),
    }
}

/// Whether everything that these elements can match is empty or starts with a slash: then the host has ended before them.
fn is_path_or_end(elements: &[&Hir]) -> bool {
    let Some((first, rest)) = elements.split_first() else { return true };
    match first.kind() {
        HirKind::Repetition(repetition) if repetition.min == 0 => starts_with_slash(&repetition.sub) && is_path_or_end(rest),
        HirKind::Alternation(choices) if choices.iter().any(|choice| matches!(choice.kind(), HirKind::Empty)) => {
            choices.iter().all(|choice| matches!(choice.kind(), HirKind::Empty) || starts_with_slash(choice))
                && is_path_or_end(rest)
        }
        _ => starts_with_slash(first),
    }
}

/// Whether everything that the element can match starts with a slash.
fn starts_with_slash(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(text) => text.0.first() == Some(&b'/'),
        HirKind::Repetition(repetition) => repetition.min > 0 && starts_with_slash(&repetition.sub),
        HirKind::Capture(group) => starts_with_slash(&group.sub),
        HirKind::Concat(parts) => parts.first().is_some_and(starts_with_slash),
        HirKind::Alternation(choices) => choices.iter().all(starts_with_slash),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::{
        prelude::*,
        strategy::ValueTree,
        string::string_regex,
        test_runner::{RngAlgorithm, TestRng, TestRunner},
    };

    use url::Url;

    use super::*;

    fn compile(pattern: &str) -> Result<IssuerPattern, String> {
        IssuerPattern::compile(pattern, &mut Budget::default())
    }

    const ACCEPTED: &[(&str, &str)] = &[
        (r"^https://token\.actions\.githubusercontent\.com$", "actions.githubusercontent.com"),
        (r"https://token\.actions\.githubusercontent\.com(/acme)?", "actions.githubusercontent.com"),
        (r"https://oidc\.eks\.[a-z0-9-]+\.amazonaws\.com/id/[A-F0-9]+", "amazonaws.com"),
        (r"^https://container\.googleapis\.com/v1/projects/.*$", "container.googleapis.com"),
        (r"https://[a-zA-Z0-9.-]+\.example\.co\.uk(/.*)?$", "example.co.uk"),
        (r"^(https://(us|eu)\.idp\.example\.com/[^?#]+)$", "example.com"),
        (r"https://idp\.corp\.internal/realms/.+", "corp.internal"),
        (r"https://a\.github\.io/[a-z]*", "a.github.io"),
        (r"https://x[a-z]*y\.example\.com", "example.com"),
        (r"https://example\.com(/a|/b|)", "example.com"),
    ];

    const REFUSED: &[&str] = &[
        ".*",
        r"https://.*\.com",
        r"https://a\.com|https://evil\.com",
        r"(https://a\.com|https://evil\.com)",
        "https://[^/]*",
        r"https://.*",
        r"https://[^/]*\.example\.com",
        r"https://[a-z.]*\.com",
        r"https://[a-z]+",
        r"https://[a-z]+example\.com",
        r"https://[a-z@]+\.example\.com",
        r"https://.+@example\.com",
        r"https://[a-z:]+\.example\.com",
        r"https?://example\.com",
        r"(?i)https://example\.com",
        r"https://example.com",
        r"https://(a\.com|b\.com)",
        r"https://a\.(com|org)",
        r"https://example\.com.*",
        r"https://example\.com(/x)?\.evil\.com",
        r"https://example\.com[/?]",
        r"https://example\.com:.*",
        r"https://example\.com(:[0-9]+)?/x",
        r"https://[a-z]+\.github\.io",
        r"https://[a-z]+\.co\.uk",
        r"https://github\.io",
        r"https://10\.0\.0\.1/.*",
        r"https://[0-9]+\.0\.0\.1",
        r"https://user@example\.com",
        r"https://\w+é\.example\.com",
        r"https://(example\.com/)?evil\.com",
        r"https://example\.com\b.*",
        r"https://localhost/.*",
        "https://",
        r"http://example\.com",
        r"x?https://example\.com",
        r"https://example\.com$.*",
        r"https://\.com/",
        r"https://[\t]?example\.com",
        r"https://example\.com(|evil)\.com\.",
        r"https://EXAMPLE\.com",
        r"https://[a-z]+\.example\.1/",
    ];

    #[test]
    fn patterns_that_fix_a_domain_are_accepted() {
        for (pattern, domain) in ACCEPTED {
            match compile(pattern) {
                Ok(compiled) => assert_eq!(compiled.domain, *domain, "{pattern}"),
                Err(why) => panic!("{pattern}: {why}"),
            }
        }
    }

    #[test]
    fn patterns_that_do_not_are_refused() {
        for pattern in REFUSED {
            let domain = compile(pattern).map(|compiled| compiled.domain);
            assert!(domain.is_err(), "{pattern} was accepted for {domain:?}");
        }
        // The text after another host is a path of that host: the domain that counts is the first.
        let evil = compile(r"https://evil\.com/.*githubusercontent\.com").expect("fixes a domain");
        assert_eq!(evil.domain, "evil.com");
        assert!(!evil.admits("https://token.actions.githubusercontent.com", UrlPolicy::default()));
    }

    #[test]
    fn names_below_shared_domains_have_to_be_spelled_out() {
        let admits = |pattern: &str, issuer: &str| compile(pattern).expect(pattern).admits(issuer, UrlPolicy::default());
        let eks = r"https://oidc\.eks\.[a-z0-9-]+\.amazonaws\.com/id/[A-F0-9]+";
        assert!(admits(eks, "https://oidc.eks.us-east-1.amazonaws.com/id/AB12"));
        assert!(admits(eks, "https://oidc.eks.xx-new-9.amazonaws.com/id/AB12"));
        assert!(!admits(eks, "https://oidc.eks.us-east-1.amazonaws.com/id/AB12?x"));
        // Two labels, of which the first is somebody's bucket when the second is s3.
        let two = r"https://[a-z0-9-]+\.[a-z0-9-]+\.amazonaws\.com";
        assert!(admits(two, "https://a.b.amazonaws.com") && !admits(two, "https://evil.s3.amazonaws.com"));
        let dots = r"https://[a-z0-9.-]+\.amazonaws\.com";
        assert!(admits(dots, "https://a.b.amazonaws.com") && !admits(dots, "https://evil.s3.amazonaws.com"));
        assert!(!admits(dots, "https://evil.us-east-1.amazonaws.com"));
        let github = r"https://token\.actions\.githubusercontent\.com(/[a-z]+)?";
        assert!(admits(github, "https://token.actions.githubusercontent.com/acme"));
    }

    /// Pieces that patterns are made of, good and bad ones.
    fn piece() -> impl Strategy<Value = String> {
        prop::sample::select(vec![
            "https://",
            r"example\.com",
            r"\.example\.com",
            r"\.",
            ".",
            "[a-z]+",
            "[a-z0-9.-]*",
            "[^/]*",
            "(a|b)",
            "(/.*)?",
            "/",
            "/.*",
            ".*",
            "@",
            r"evil\.com",
            "|",
            ":",
            "[@:]",
            r"\\",
            r"\?",
            "#",
            "(/x|)",
            "[a-z]?",
            r"\.com",
            "a",
            "$",
            "^",
            r"[\t]*",
            "(x/)?",
            r"co\.uk",
            "%",
            "[.]?",
        ])
        .prop_map(str::to_owned)
    }

    #[test]
    fn whatever_an_accepted_pattern_matches_is_in_its_domain() {
        let matched = Cell::new(0);
        let patterns = prop::collection::vec(piece(), 1..6).prop_map(|pieces| format!("https://{}", pieces.concat()));
        let mut runner = TestRunner::new(ProptestConfig { cases: 2000, ..ProptestConfig::default() });
        let outcome = runner.run(&(patterns, any::<[u8; 32]>()), |(pattern, seed)| {
            let Ok(compiled) = compile(&pattern) else { return Ok(()) };
            let Ok(texts) = string_regex(&pattern.replace(['^', '$'], "")) else { return Ok(()) };
            let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
            for _ in 0..20 {
                let text = texts.new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
                if !compiled.pattern.is_match(&text) {
                    continue;
                }
                let Ok(url) = Url::parse(&text) else { continue };
                let host = url.host_str().unwrap_or_default();
                prop_assert_eq!(url.scheme(), "https");
                prop_assert!(compiled.is_within(host), "{} matched {} of host {}", pattern, text, host);
                prop_assert!(url.username().is_empty() && url.password().is_none() && url.port().is_none());
                matched.set(matched.get() + 1);
            }
            Ok(())
        });
        outcome.expect("every match is in the domain");
        assert!(matched.get() > 500, "only {} texts matched: the pieces make too few patterns", matched.get());
    }
}
