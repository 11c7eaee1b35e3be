//! Section `[sessions]`: how long people stay logged in.

use super::super::{
    Default, Key, Kind,
    parse::{count, long_duration, one},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "sessions.lifetime",
        flag: "sessions-lifetime",
        variable: "PROVOST_SESSIONS_LIFETIME",
        value: "TIME",
        default: Default::Is("30d"),
        summary: "How long a login lasts, however often it is renewed",
        more: "Then its user logs in again. It counts for sessions that have begun already, too.",
        apply: |settings, texts| one(texts, long_duration).map(|time| settings.sessions.lifetime = time),
        ..Key::BASE
    },
    Key {
        path: "sessions.idle",
        flag: "sessions-idle",
        variable: "PROVOST_SESSIONS_IDLE",
        value: "TIME",
        default: Default::Is("7d"),
        summary: "How long an unused refresh token stays valid",
        more: "Each one that is used makes way for another, which begins anew.",
        apply: |settings, texts| one(texts, long_duration).map(|time| settings.sessions.idle = time),
        ..Key::BASE
    },
    Key {
        path: "sessions.per-user",
        flag: "sessions-per-user",
        variable: "PROVOST_SESSIONS_PER_USER",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("20"),
        summary: "Maximum number of sessions of a user; 0 disables refresh tokens",
        more: "The next login ends one that was never renewed, or else the one that was used longest ago.",
        apply: |settings, texts| one(texts, |text| count(text, 0..=1000)).map(|count| settings.sessions.per_user = count),
        ..Key::BASE
    },
];
