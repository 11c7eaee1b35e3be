//! Section `[organizations]`.

use super::super::{
    Default, Key, Kind,
    parse::{one, switch},
};

pub(super) const KEYS: &[Key] = &[Key {
    path: "organizations.self-service",
    flag: "self-service-organizations",
    variable: "PROVOST_SELF_SERVICE_ORGANIZATIONS",
    kind: Kind::Switch,
    value: "BOOL",
    default: Default::InDev("false", "true"),
    summary: "Let every authenticated caller create organizations; otherwise only operators can",
    apply: |settings, texts| one(texts, switch).map(|on| settings.self_service_organizations = on),
    ..Key::BASE
}];
