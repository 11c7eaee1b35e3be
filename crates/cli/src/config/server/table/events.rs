//! Section `[events]`: delivery of events to subscriptions.

use super::super::{
    Default, Key, Kind,
    parse::{count, duration, long_duration, one},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "events.at-once",
        flag: "events-at-once",
        variable: "PROVOST_EVENTS_AT_ONCE",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("64"),
        summary: "Maximum number of subscriptions that a server delivers events to at the same time; 0 delivers none",
        more: "Servers that share a database share the work, and what one does not deliver is left to the others. The subscriptions of one organization get a quarter, and those whose sinks failed last a half.",
        apply: |settings, texts| one(texts, |text| count(text, 0..=1000)).map(|count| settings.events.at_once = count),
        ..Key::BASE
    },
    Key {
        path: "events.timeout",
        flag: "events-timeout",
        variable: "PROVOST_EVENTS_TIMEOUT",
        value: "TIME",
        default: Default::Is("10s"),
        summary: "Timeout for a request to a sink",
        apply: |settings, texts| one(texts, duration).map(|time| settings.events.timeout = time),
        ..Key::BASE
    },
    Key {
        path: "events.first-retry",
        flag: "events-first-retry",
        variable: "PROVOST_EVENTS_FIRST_RETRY",
        value: "TIME",
        default: Default::Is("5s"),
        summary: "How long the first retry of an event waits; each further one waits about twice as long",
        apply: |settings, texts| one(texts, duration).map(|time| settings.events.first_retry = time),
        ..Key::BASE
    },
    Key {
        path: "events.last-retry",
        flag: "events-last-retry",
        variable: "PROVOST_EVENTS_LAST_RETRY",
        value: "TIME",
        default: Default::Is("1h"),
        summary: "How long a retry of an event waits at most",
        apply: |settings, texts| one(texts, long_duration).map(|time| settings.events.last_retry = time),
        ..Key::BASE
    },
    Key {
        path: "events.give-up-after",
        flag: "events-give-up-after",
        variable: "PROVOST_EVENTS_GIVE_UP_AFTER",
        value: "TIME",
        default: Default::Is("24h"),
        summary: "How long an event is retried before it becomes a dead letter",
        apply: |settings, texts| one(texts, long_duration).map(|time| settings.events.give_up_after = time),
        ..Key::BASE
    },
    Key {
        path: "events.dead-letters",
        flag: "events-dead-letters",
        variable: "PROVOST_EVENTS_DEAD_LETTERS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("1000"),
        summary: "Maximum number of dead letters of a subscription",
        more: "The oldest make room for others.",
        apply: |settings, texts| one(texts, |text| count(text, 0..=100_000)).map(|count| settings.events.dead_letters = count),
        ..Key::BASE
    },
    Key {
        path: "events.keep-dead-letters",
        flag: "events-keep-dead-letters",
        variable: "PROVOST_EVENTS_KEEP_DEAD_LETTERS",
        value: "TIME",
        default: Default::Is("30d"),
        summary: "How long dead letters are kept",
        apply: |settings, texts| one(texts, long_duration).map(|time| settings.events.keep_dead_letters = time),
        ..Key::BASE
    },
];
