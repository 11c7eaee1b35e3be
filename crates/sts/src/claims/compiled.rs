//! A claim rule made ready for matching.

use std::fmt;

use domain::{
    Violations,
    iam::identity::{ClaimMatch, Matcher},
};
use serde_json::{Map, Value};

use super::{
    dialect::Budget,
    issuer_pattern::IssuerPattern,
    issuer_url::UrlPolicy,
    text::{self, MAX_CLAIMS, TextRule},
};

/// Claims with a field of their own, or that are judged for every token: they cannot be custom claims.
const RESERVED: [&str; 6] = ["iss", "sub", "aud", "exp", "nbf", "iat"];

/// A claim rule that was checked and compiled. Only this can be matched.
#[derive(Clone, Debug)]
pub struct CompiledClaimMatch {
    issuer: IssuerRule,
    subject: TextRule,
    audience: Option<TextRule>,
    claims: Vec<(String, TextRule)>,
}

/// Which issuers a claim rule admits.
#[derive(Clone, Debug)]
pub(crate) enum IssuerRule {
    Literal(String),
    Pattern(IssuerPattern, UrlPolicy),
}

/// What was accepted of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The `sub` claim.
    pub subject: String,
    /// The one value of the `aud` claim that the rule asks for.
    pub audience: String,
}

/// The first claim that is not what the rule asks for. It holds the claim's name and nothing of any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(pub String);

impl CompiledClaimMatch {
    /// Checks and compiles `rule`. What is wrong goes to `violations`, with fields relative to the identity.
    pub fn compile(rule: &ClaimMatch, policy: UrlPolicy, violations: &mut Violations) -> Option<Self> {
        let (mut faults, mut budget) = (Faults { violations, found: false }, Budget::default());
        if rule.claims.len() + rule.claim_patterns.len() > MAX_CLAIMS {
            faults.add(
                "claim_match.claims".to_owned(),
                &format!("may ask for at most {MAX_CLAIMS} custom claims, patterns included"),
            );
            return None;
        }
        let issuer = faults.take(field("issuer", &rule.issuer), IssuerRule::new(&rule.issuer, policy, &mut budget));
        let subject = faults.take(field("subject", &rule.subject), TextRule::compile(&rule.subject, &mut budget));
        let audience = rule.audience.as_ref();
        let audience = audience.map(|matcher| faults.take(field("audience", matcher), TextRule::compile(matcher, &mut budget)));
        let mut claims = Vec::new();
        for (name, value) in &rule.claims {
            let compiled = text::literal(value).map(|()| TextRule::Literal(value.clone()));
            claims.extend(faults.claim("claim_match.claims", name, compiled));
        }
        for (name, pattern) in &rule.claim_patterns {
            claims.extend(faults.claim("claim_match.claim_patterns", name, TextRule::pattern(pattern, &mut budget)));
        }
        if faults.found {
            return None;
        }
        Some(Self { issuer: issuer?, subject: subject?, audience: audience.flatten(), claims })
    }

    /// How many bytes it takes beside its texts, about.
    pub(super) fn memory(&self) -> usize {
        let claims = self.claims.iter().map(|(_, rule)| rule);
        self.issuer.memory()
            + [&self.subject].into_iter().chain(&self.audience).chain(claims).map(TextRule::memory).sum::<usize>()
    }

    /// What it takes at most to tell whether tokens of this issuer can match.
    pub(super) fn issuer_steps(&self, issuer: &str) -> u64 {
        self.issuer.steps(issuer)
    }

    /// What it takes at most to match these claims.
    pub(super) fn steps(&self, claims: &Map<String, Value>) -> u64 {
        let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
        let subject = subject(claims).map_or(0, |subject| self.subject.steps(subject));
        let audience = |rule: &TextRule| audiences(claims).into_iter().map(|audience| rule.steps(audience)).sum();
        let audience = self.audience.as_ref().map_or(0, audience);
        let claim = |(name, rule): &(String, TextRule)| claims.get(name).map_or(0, |value| value_steps(rule, value));
        self.issuer_steps(issuer) + subject + audience + self.claims.iter().map(claim).sum::<u64>()
    }

    /// Whether tokens of this issuer can match.
    #[must_use]
    pub fn admits_issuer(&self, issuer: &str) -> bool {
        self.issuer.admits(issuer)
    }

    /// Matches verified claims. `default_audiences` count when the rule names no audience.
    ///
    /// # Errors
    /// The first claim that does not match: `iss`, `sub`, `aud`, then custom ones by name.
    pub fn admit(&self, claims: &Map<String, Value>, default_audiences: &[String]) -> Result<Accepted, Mismatch> {
        let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
        if !self.admits_issuer(issuer) {
            return Err(Mismatch("iss".to_owned()));
        }
        let subject = subject(claims).filter(|subject| self.subject.admits(subject)).ok_or_else(|| Mismatch("sub".to_owned()))?;
        let is_wanted = |audience: &str| match &self.audience {
            Some(rule) => rule.admits(audience),
            None => default_audiences.iter().any(|wanted| wanted == audience),
        };
        let audience =
            audiences(claims).into_iter().find(|audience| is_wanted(audience)).ok_or_else(|| Mismatch("aud".to_owned()))?;
        for (name, rule) in &self.claims {
            if !claims.get(name).is_some_and(|value| admits_value(rule, value)) {
                return Err(Mismatch(name.clone()));
            }
        }
        Ok(Accepted { subject: subject.to_owned(), audience: audience.to_owned() })
    }
}

impl IssuerRule {
    /// Checks and compiles the issuer of `rule` alone, as [`CompiledClaimMatch::compile`] does.
    pub(crate) fn compile(rule: &ClaimMatch, policy: UrlPolicy, violations: &mut Violations) -> Option<Self> {
        let mut faults = Faults { violations, found: false };
        faults.take(field("issuer", &rule.issuer), Self::new(&rule.issuer, policy, &mut Budget::default()))
    }

    fn new(matcher: &Matcher, policy: UrlPolicy, budget: &mut Budget) -> Result<Self, String> {
        match matcher {
            Matcher::Literal(issuer) => policy.issuer(issuer).map(|_| Self::Literal(issuer.clone())),
            Matcher::Pattern(pattern) => IssuerPattern::compile(pattern, budget).map(|pattern| Self::Pattern(pattern, policy)),
        }
    }

    /// How many bytes it takes beside its texts, about.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Literal(_) => 0,
            Self::Pattern(pattern, _) => pattern.memory(),
        }
    }

    /// What it takes at most to tell whether tokens of this issuer can match, in steps of about a nanosecond.
    pub(crate) fn steps(&self, issuer: &str) -> u64 {
        match self {
            Self::Literal(_) => 0,
            Self::Pattern(pattern, _) => pattern.steps(issuer),
        }
    }

    /// Whether tokens of this issuer can match.
    pub(crate) fn admits(&self, issuer: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == issuer,
            Self::Pattern(pattern, policy) => pattern.admits(issuer, *policy),
        }
    }
}

/// The first claim that does not match, as far as that can be told without a pattern. The issuer was admitted before.
///
/// # Errors
/// As [`CompiledClaimMatch::admit`] then.
pub(crate) fn admit_by_literals(
    rule: &ClaimMatch,
    claims: &Map<String, Value>,
    default_audiences: &[String],
) -> Result<(), Mismatch> {
    let subject = subject(claims).ok_or_else(|| Mismatch("sub".to_owned()))?;
    match &rule.subject {
        Matcher::Literal(wanted) if wanted != subject => return Err(Mismatch("sub".to_owned())),
        Matcher::Literal(_) => {}
        // Whether the audience matters is for the pattern to say.
        Matcher::Pattern(_) => return Ok(()),
    }
    let may_be_wanted = |audience: &str| match &rule.audience {
        Some(Matcher::Literal(wanted)) => wanted == audience,
        Some(Matcher::Pattern(_)) => true,
        None => default_audiences.iter().any(|wanted| wanted == audience),
    };
    if audiences(claims).into_iter().any(may_be_wanted) { Ok(()) } else { Err(Mismatch("aud".to_owned())) }
}

/// The `sub` claim, when it is a text that is not empty (RFC 7519 section 4.1.2).
pub(crate) fn subject(claims: &Map<String, Value>) -> Option<&str> {
    claims.get("sub")?.as_str().filter(|subject| !subject.is_empty())
}

/// The `aud` claim: one text or a list of texts (RFC 7519 section 4.1.3). Anything else counts as none.
pub(crate) fn audiences(claims: &Map<String, Value>) -> Vec<&str> {
    match claims.get("aud") {
        Some(Value::String(audience)) => vec![audience],
        Some(Value::Array(audiences)) if audiences.iter().all(Value::is_string) => {
            audiences.iter().filter_map(Value::as_str).collect()
        }
        _ => Vec::new(),
    }
}

/// Texts as they are, booleans and whole numbers by their JSON text, lists by any of their elements. Fractions and numbers
/// beyond 64 bits never match: their text is not one thing.
fn admits_value(rule: &TextRule, value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(|element| admits_scalar(rule, element)),
        scalar => admits_scalar(rule, scalar),
    }
}

/// What [`admits_value`] takes at most.
fn value_steps(rule: &TextRule, value: &Value) -> u64 {
    match value {
        Value::Array(elements) => elements.iter().map(|element| value_steps(rule, element)).sum(),
        Value::String(text) => rule.steps(text),
        // Twenty digits and a sign, or less.
        Value::Number(_) | Value::Bool(_) => rule.steps("-18446744073709551615"),
        Value::Null | Value::Object(_) => 0,
    }
}

fn admits_scalar(rule: &TextRule, value: &Value) -> bool {
    match value {
        Value::String(text) => rule.admits(text),
        Value::Bool(value) => rule.admits(if *value { "true" } else { "false" }),
        Value::Number(number) if !number.is_f64() => rule.admits(&number.to_string()),
        Value::Number(_) | Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The field that holds the matcher: patterns have fields of their own.
fn field(name: &str, matcher: &Matcher) -> String {
    match matcher {
        Matcher::Literal(_) => format!("claim_match.{name}"),
        Matcher::Pattern(_) => format!("claim_match.{name}_pattern"),
    }
}

/// Collects what is wrong, as sentences that start with the field's name.
struct Faults<'a> {
    violations: &'a mut Violations,
    found: bool,
}

impl Faults<'_> {
    fn add(&mut self, field: String, what: &str) {
        let name = field.rsplit('.').next().unwrap_or_default();
        let description = format!("{name} {what}");
        self.violations.add(field, description);
        self.found = true;
    }

    fn take<T>(&mut self, field: String, result: Result<T, String>) -> Option<T> {
        result.map_err(|what| self.add(field, &what)).ok()
    }

    fn claim(&mut self, map: &str, name: &str, rule: Result<TextRule, String>) -> Option<(String, TextRule)> {
        if let Err(what) = text::literal(name) {
            self.violations.add(map, format!("the name of a claim {what}"));
            self.found = true;
            return None;
        }
        let field = format!("{map}.{name}");
        if RESERVED.contains(&name) {
            self.violations.add(field, format!("{name} is no custom claim: it has its own field or is checked for every token"));
            self.found = true;
            return None;
        }
        match rule {
            Ok(rule) => Some((name.to_owned(), rule)),
            Err(what) => {
                self.violations.add(field, format!("{name} {what}"));
                self.found = true;
                None
            }
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid {:?}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://issuer.example.com";

    fn rule() -> ClaimMatch {
        ClaimMatch {
            issuer: Matcher::Literal(ISSUER.into()),
            subject: Matcher::Pattern("repo:acme/.+".into()),
            audience: None,
            claims: BTreeMap::new(),
            claim_patterns: BTreeMap::new(),
        }
    }

    fn compile(rule: &ClaimMatch) -> Result<CompiledClaimMatch, String> {
        let mut violations = Violations::default();
        let compiled = CompiledClaimMatch::compile(rule, UrlPolicy::default(), &mut violations);
        violations.check().map_err(|error| error.message().to_owned())?;
        compiled.ok_or_else(|| "no violation and nothing compiled".to_owned())
    }

    /// What is told without patterns is what is told with them.
    fn admit(rule: &ClaimMatch, claims: &Value) -> Result<Accepted, String> {
        let defaults = ["https://us.example".to_owned(), "us.example".to_owned()];
        let claims = claims.as_object().cloned().unwrap_or_default();
        let rules = compile(rule).expect("a valid rule");
        let admitted = rules.admit(&claims, &defaults);
        let issuer = claims.get("iss").and_then(Value::as_str).unwrap_or_default();
        if rules.admits_issuer(issuer)
            && let Err(mismatch) = admit_by_literals(rule, &claims, &defaults)
        {
            assert_eq!(admitted, Err(mismatch));
        }
        admitted.map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn issuer_subject_and_audience_must_match() {
        let accepted = admit(&rule(), &json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": ["other", "us.example"]}));
        assert_eq!(accepted, Ok(Accepted { subject: "repo:acme/x".into(), audience: "us.example".into() }));
        for (claims, claim) in [
            (json!({"iss": "https://issuer.example.com/", "sub": "repo:acme/x", "aud": "us.example"}), "iss"),
            (json!({"iss": ISSUER, "sub": "x:repo:acme/x", "aud": "us.example"}), "sub"),
            (json!({"iss": ISSUER, "sub": 7, "aud": "us.example"}), "sub"),
            (json!({"iss": ISSUER, "aud": "us.example"}), "sub"),
            (json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": "https://us.example/"}), "aud"),
            (json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": [7, "us.example"]}), "aud"),
            (json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": []}), "aud"),
            (json!({"iss": ISSUER, "sub": "repo:acme/x"}), "aud"),
        ] {
            assert_eq!(admit(&rule(), &claims), Err(format!("invalid \"{claim}\"")), "{claims}");
        }
    }

    #[test]
    fn literals_refuse_what_no_pattern_before_them_could() {
        let literal = |text: &str| Matcher::Literal(text.into());
        let pattern = || Matcher::Pattern(".+".into());
        let good = json!({"iss": ISSUER, "sub": "s", "aud": "us.example"});
        let (no_subject, other_audience) = (json!({"sub": 7, "aud": "x"}), json!({"sub": "s", "aud": "x"}));
        let no_audience = json!({"sub": "s", "aud": 7});
        for (subject, audience, claims, refused) in [
            (literal("s"), None, &good, None),
            (literal("t"), None, &good, Some("sub")),
            (pattern(), None, &no_subject, Some("sub")),
            (pattern(), None, &other_audience, None),
            (literal("s"), None, &other_audience, Some("aud")),
            (literal("s"), Some(literal("x")), &good, Some("aud")),
            (literal("s"), Some(literal("x")), &other_audience, None),
            (literal("s"), Some(pattern()), &other_audience, None),
            (literal("s"), Some(pattern()), &no_audience, Some("aud")),
        ] {
            let rule = ClaimMatch { subject, audience, ..rule() };
            let refusal = admit_by_literals(&rule, claims.as_object().expect("claims"), &["us.example".to_owned()]);
            assert_eq!(refusal.err().map(|mismatch| mismatch.0).as_deref(), refused, "{rule:?} {claims}");
        }
    }

    #[test]
    fn a_named_audience_replaces_the_default() {
        let rule = ClaimMatch { audience: Some(Matcher::Literal("mine".into())), ..rule() };
        assert!(admit(&rule, &json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": "mine"})).is_ok());
        assert!(admit(&rule, &json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": "us.example"})).is_err());
    }

    #[test]
    fn custom_claims_compare_by_their_text() {
        let with = |name: &str, text: &str| ClaimMatch { claims: [(name.to_owned(), text.to_owned())].into(), ..rule() };
        let check = |rule: &ClaimMatch, value: Value| {
            admit(rule, &json!({"iss": ISSUER, "sub": "repo:acme/x", "aud": "us.example", "c": value}))
        };
        for (text, value) in [
            ("x", json!("x")),
            ("7", json!(7)),
            ("-7", json!(-7)),
            ("true", json!(true)),
            ("b", json!(["a", "b"])),
            ("2", json!([1, 2])),
        ] {
            assert!(check(&with("c", text), value).is_ok(), "{text}");
        }
        for (text, value) in [
            ("x", json!("X")),
            ("7.0", json!(7.0)),
            ("1e300", json!(1e300)),
            ("null", json!(null)),
            ("a", json!({"a": "a"})),
            ("a", json!([["a"]])),
            ("x", json!([])),
        ] {
            assert_eq!(check(&with("c", text), value), Err("invalid \"c\"".to_owned()), "{text}");
        }
        assert_eq!(check(&with("d \"x\"", "x"), json!("x")), Err("invalid \"d \\\"x\\\"\"".to_owned()));
        let pattern = ClaimMatch { claim_patterns: [("c".to_owned(), "a+".to_owned())].into(), ..rule() };
        assert!(check(&pattern, json!("aaa")).is_ok() && check(&pattern, json!("aab")).is_err());
    }

    #[test]
    fn every_fault_is_named() {
        let rule = ClaimMatch {
            issuer: Matcher::Pattern(".*".into()),
            subject: Matcher::Literal(String::new()),
            audience: Some(Matcher::Pattern("(".into())),
            claims: [("sub".to_owned(), "x".to_owned()), ("ok".to_owned(), "a\u{0}".to_owned())].into(),
            claim_patterns: [("ref".to_owned(), "[".to_owned()), (String::new(), "x".to_owned())].into(),
        };
        let message = compile(&rule).expect_err("refused");
        for field in [
            "claim_match.issuer_pattern: issuer_pattern must start",
            "claim_match.subject: subject must not be empty",
            "claim_match.audience_pattern: audience_pattern is no valid pattern",
            "claim_match.claims.sub: sub is no custom claim",
            "claim_match.claims.ok: ok must not contain control",
            "claim_match.claim_patterns.ref: ref is no valid pattern",
            "claim_match.claim_patterns: the name of a claim must not be empty",
        ] {
            assert!(message.contains(field), "{field} in {message}");
        }
    }

    #[test]
    fn the_number_and_size_of_claims_is_limited() {
        let many: BTreeMap<_, _> = (0..=MAX_CLAIMS).map(|n| (format!("c{n}"), "x".to_owned())).collect();
        assert!(compile(&ClaimMatch { claims: many, ..rule() }).expect_err("refused").contains("at most 32"));
        // Four of these take a megabyte. What comes after is not even compiled, and what is wrong with it is told all the same.
        let patterns = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), r"\pL{5}".to_owned())).collect();
        assert!(compile(&ClaimMatch { claim_patterns: patterns(&["a", "b", "c", "d"]), ..rule() }).is_ok());
        let mut large = ClaimMatch { claim_patterns: patterns(&["a", "b", "c", "d", "e"]), ..rule() };
        large.claim_patterns.extend([("f".to_owned(), "x".to_owned()), ("g".to_owned(), "(".to_owned())]);
        let message = compile(&large).expect_err("refused");
        for field in ["e: e is too large", "f: f is too large", "g: g is no valid pattern"] {
            assert!(message.contains(&format!("claim_match.claim_patterns.{field}")), "{field} in {message}");
        }
        assert!(message.contains("beside the identity's other patterns") && !message.contains("claim_patterns.d"), "{message}");
        let ordinary = r"repo:[a-z0-9-]+/[^:]+:ref:refs/(heads|tags)/.*";
        let many = (0..MAX_CLAIMS).map(|n| (format!("c{n}"), ordinary.to_owned())).collect();
        assert!(compile(&ClaimMatch { claim_patterns: many, ..rule() }).is_ok());
        let long = ClaimMatch { subject: Matcher::Literal("x".repeat(text::MAX_TEXT + 1)), ..rule() };
        assert!(compile(&long).expect_err("refused").contains("at most 1024 bytes"));
    }
}
