//! What log lines tell of a path: not what may be a token, which people put there by mistake.

use std::{collections::HashSet, sync::LazyLock};

use contract::METHODS;

/// Longest part of a path or a user agent that is told, in bytes.
pub(super) const MAX_TEXT: usize = 512;
/// Longest word that is told whatever it says, in bytes. Tokens of any kind are longer.
const SHORT: usize = 24;

/// What is longer than that in the paths of the contract: names of services and of collections.
static LONG_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let grpc = METHODS.iter().flat_map(|method| method.alias.into_iter().chain([method.path]));
    let http = METHODS.iter().flat_map(|method| method.http).map(|rule| rule.template);
    grpc.chain(http).flat_map(words).filter(|word| word.len() > SHORT).collect()
});

/// The beginning of `path`, up to a word that may be a token, which becomes `…`: nothing of such a word is told, and nothing behind it.
pub(super) fn tellable(path: &str) -> String {
    let mut told = String::with_capacity(path.len().min(MAX_TEXT));
    for segment in path.split_inclusive('/') {
        if told.len() + segment.len() > MAX_TEXT || !words(segment).all(is_harmless) {
            told.push('…');
            break;
        }
        told.push_str(segment);
    }
    told
}

/// Longest word of a user agent that is told, in bytes: names of programs are longer than words of paths.
const LONG: usize = 40;

/// The beginning of `text`, up to a word that may be a token, which becomes `…`.
pub(super) fn tellable_words(text: &str) -> String {
    let is_end = |c: char| matches!(c, ' ' | '/' | ';' | '(' | ')' | ',' | ':' | '=');
    let told: usize = text.split_inclusive(is_end).take_while(|word| word.len() <= LONG).map(str::len).sum();
    let (told, rest) = text.split_at_checked(told).unwrap_or((text, ""));
    if rest.is_empty() { told.to_owned() } else { format!("{told}…") }
}

/// The words of a path: its segments, and what methods append to one, as in `groups/UID:requestGroupAccess`.
fn words(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', ':'])
}

fn is_harmless(word: &str) -> bool {
    word.len() <= SHORT || is_root(word) || LONG_WORDS.contains(word)
}

/// Whether it is the first part of a UIDP: 40 hexadecimal digits. No token is as short in this alphabet.
fn is_root(word: &str) -> bool {
    word.len() == 40 && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_contract_are_told() {
        for method in METHODS {
            assert_eq!(tellable(method.path), method.path);
        }
        let uid = format!("{}/{}", "a1".repeat(20), "b2".repeat(8));
        for path in [
            "/",
            "/iam/v2beta1/groups",
            &format!("/iam/v2beta1/groups/{uid}"),
            &format!("/iam/v1/groups/{uid}:requestGroupAccess"),
            "/iam/v1/account_associations",
            "/.well-known/openid-configuration",
            "/no/such/path",
        ] {
            assert_eq!(tellable(path), path);
        }
        for rule in METHODS.iter().flat_map(|method| method.http) {
            let parts = rule.template.split('{').map(|part| part.split_once('}').map_or(part, |(_, behind)| behind));
            let path = parts.collect::<Vec<_>>().join("x");
            assert!(!tellable(&path).contains('…'), "{path}");
        }
    }

    #[test]
    fn of_a_user_agent_tokens_are_not() {
        for agent in [
            "",
            "provost/0.1.0",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
            "terraform-provider-example/0.1 grpc-go/1.70",
        ] {
            assert_eq!(tellable_words(agent), agent);
        }
        let token = "e".repeat(41);
        assert_eq!(tellable_words(&format!("curl/8.5 Bearer={token} more")), "curl/8.5 Bearer=…");
    }

    #[test]
    fn tokens_are_not() {
        let jwt = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.eyJpc3MiOiJodHRwczovL2EuZXhhbXBsZSJ9.c2lnbmF0dXJl";
        let scim = format!("cgscim_{}", "0a".repeat(32));
        let refresh = "eyJleHAiOjE4MDAwMDAwMDAsInNpZCI6ImEiLCJrZXkiOiJiIiwidGFnIjoiYyJ9";
        for token in [jwt, scim.as_str(), refresh, &"0A".repeat(20), &"a".repeat(39), &format!("{}%2F", "b".repeat(40))] {
            for (path, told) in [
                (format!("/{token}"), "/…"),
                (format!("/sts/exchange/{token}"), "/sts/exchange/…"),
                (format!("/iam/v2beta1/groups/{token}/more/{token}"), "/iam/v2beta1/groups/…"),
                (format!("/iam/v2beta1/groups/a:{token}"), "/iam/v2beta1/groups/…"),
                (format!("/Bearer%20{token}"), "/…"),
            ] {
                assert_eq!(tellable(&path), told, "{path}");
            }
        }
        assert!(tellable(&"/a".repeat(1000)).len() < 2 * MAX_TEXT);
    }
}
