//! Section `[advisories]`.

use super::super::{
    Default, Key, Kind,
    parse::{one, switch},
};

pub(super) const KEYS: &[Key] = &[Key {
    path: "advisories.self-approval",
    flag: "advisories-self-approval",
    variable: "PROVOST_ADVISORIES_SELF_APPROVAL",
    kind: Kind::Switch,
    value: "BOOL",
    default: Default::Is("false"),
    summary: "Let who has written an event of an advisory approve it; otherwise somebody else does",
    apply: |settings, texts| one(texts, switch).map(|on| settings.self_approval = on),
    ..Key::BASE
}];
