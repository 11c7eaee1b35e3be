//! Section `[outbound]`: requests to identity providers.

use super::super::{
    Default, Key, Kind,
    parse::{duration, one, switch},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "outbound.allow-private-addresses",
        flag: "allow-private-addresses",
        variable: "PROVOST_ALLOW_PRIVATE_ADDRESSES",
        kind: Kind::Switch,
        value: "BOOL",
        default: Default::Is("false"),
        summary: "Let identity providers have private addresses",
        more: "Link-local addresses, where clouds keep their metadata, stay refused.",
        apply: |settings, texts| one(texts, switch).map(|on| settings.outbound.allow_private_addresses = on),
        ..Key::BASE
    },
    Key {
        path: "outbound.connect-timeout",
        flag: "outbound-connect-timeout",
        variable: "PROVOST_OUTBOUND_CONNECT_TIMEOUT",
        value: "TIME",
        default: Default::Is("3s"),
        summary: "How long connecting to an identity provider may take",
        apply: |settings, texts| one(texts, duration).map(|time| settings.outbound.connect_timeout = time),
        ..Key::BASE
    },
    Key {
        path: "outbound.timeout",
        flag: "outbound-timeout",
        variable: "PROVOST_OUTBOUND_TIMEOUT",
        value: "TIME",
        default: Default::Is("8s"),
        summary: "How long an identity provider may take for a whole answer",
        apply: |settings, texts| one(texts, duration).map(|time| settings.outbound.timeout = time),
        ..Key::BASE
    },
];
