//! Paths. Whatever a path leads to, the path made anew from what was captured leads there too.
#![no_main]

use std::sync::LazyLock;

use contract::Verb;
use gateway::testing::Routes;
use libfuzzer_sys::fuzz_target;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

static ROUTES: LazyLock<Routes> = LazyLock::new(|| Routes::new().expect("the contract can be routed"));
const VERBS: [Verb; 5] = [Verb::Get, Verb::Post, Verb::Patch, Verb::Put, Verb::Delete];

fuzz_target!(|input: (u8, &str)| {
    let (verb, path) = (VERBS[usize::from(input.0) % VERBS.len()], input.1);
    let Some((method, rule, captures)) = ROUTES.find(verb, path) else { return };
    let mut again = String::new();
    let mut rest = rule.template;
    let mut values = captures.iter();
    while let Some((literal, variable)) = rest.split_once('{') {
        again.push_str(literal);
        let (_, after) = variable.split_once('}').expect("a closed variable");
        let (_, value) = values.next().expect("every variable is captured");
        // All of it, its slashes too: `a%2Freadme` is a value, where `a/readme` may be a value and a part of a template.
        again.extend(utf8_percent_encode(value, NON_ALPHANUMERIC));
        rest = after;
    }
    again.push_str(rest);
    let (same, _, caught) =
        ROUTES.find(verb, &again).unwrap_or_else(|| panic!("{path:?} leads to {}, {again:?} nowhere", method.path));
    assert_eq!((same.path, caught), (method.path, captures), "{path:?} and {again:?}");
});
