//! Claim patterns. Whatever compiles matches whole values only, in linear time, and always the same.
#![no_main]

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use domain::{
    Violations,
    iam::{ClaimMatch, Matcher},
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, json};
use sts::claims::{CompiledClaimMatch, UrlPolicy};

const POLICY: UrlPolicy = UrlPolicy { allow_loopback_http: false };

fn compile(subject: &str) -> Option<CompiledClaimMatch> {
    let mut violations = Violations::default();
    let rule = ClaimMatch {
        issuer: Matcher::Literal("https://issuer.example".into()),
        subject: Matcher::Pattern(subject.into()),
        audience: Some(Matcher::Literal("a".into())),
        claims: BTreeMap::new(),
        claim_patterns: BTreeMap::new(),
    };
    CompiledClaimMatch::compile(&rule, POLICY, &mut violations)
}

fn admits(rule: &CompiledClaimMatch, subject: &str) -> bool {
    let claims = json!({"iss": "https://issuer.example", "sub": subject, "aud": "a"});
    rule.admit(claims.as_object().unwrap_or(&Map::new()), &[]).is_ok()
}

fuzz_target!(|input: (&str, &str)| {
    let (pattern, subject) = input;
    let begun = Instant::now();
    let issuer = ClaimMatch {
        issuer: Matcher::Pattern(pattern.into()),
        subject: Matcher::Literal("a".into()),
        audience: None,
        claims: BTreeMap::new(),
        claim_patterns: BTreeMap::new(),
    };
    if let Some(rule) = CompiledClaimMatch::compile(&issuer, POLICY, &mut Violations::default()) {
        assert!(!rule.admits_issuer("https://evil.invalid"), "{pattern:?} fixes no domain that somebody registered");
    }
    let Some(rule) = compile(pattern) else { return };
    let admitted = admits(&rule, subject);
    if let Some(anchored) = compile(&format!("^(?:{pattern})$")) {
        assert_eq!(admits(&anchored, subject), admitted, "{pattern:?} is anchored already, for {subject:?}");
    }
    let longest: String = subject.chars().cycle().take(1000).collect();
    let _ = admits(&rule, &longest);
    assert!(begun.elapsed() < Duration::from_secs(5), "{pattern:?} takes {:?} with {subject:?}", begun.elapsed());
});
