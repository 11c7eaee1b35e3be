//! Section `[patterns]`: what one organization's patterns and pasted keys may take of what all have.

use super::super::{
    Default, Key, Kind,
    parse::{count, duration, one, size},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "patterns.threads",
        flag: "patterns-threads",
        variable: "PROVOST_PATTERNS_THREADS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("2"),
        summary: "Threads that compile patterns, parse pasted keys and match long claims",
        more: "One organization gets half of them at most, so that two are enough for one not to hold up the others.",
        apply: |settings, texts| one(texts, |text| count(text, 1..=1024)).map(|count| settings.patterns.threads = count),
        ..Key::BASE
    },
    Key {
        path: "patterns.waiting",
        flag: "patterns-waiting",
        variable: "PROVOST_PATTERNS_WAITING",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("64"),
        summary: "Requests of one organization that may wait for such a thread",
        more: "Beyond: `RESOURCE_EXHAUSTED` with rule `ORGANIZATION_BUSY`. The costliest patterns take some tens of milliseconds, so \
               that 64 are done within `timeout`.",
        apply: |settings, texts| one(texts, |text| count(text, 1..=100_000)).map(|count| settings.patterns.waiting = count),
        ..Key::BASE
    },
    Key {
        path: "patterns.timeout",
        flag: "patterns-timeout",
        variable: "PROVOST_PATTERNS_TIMEOUT",
        value: "TIME",
        default: Default::Is("5s"),
        summary: "How long a request may wait for such a thread",
        more: "Beyond: as for `waiting`. Clients that wait longer try again by themselves.",
        apply: |settings, texts| one(texts, duration).map(|time| settings.patterns.timeout = time),
        ..Key::BASE
    },
    Key {
        path: "patterns.memory",
        flag: "patterns-memory",
        variable: "PROVOST_PATTERNS_MEMORY",
        value: "SIZE",
        default: Default::Is("128MiB"),
        summary: "Memory for compiled patterns and parsed keys",
        more: "An ordinary pattern takes about 150 KiB with what its searches keep. When it is full, the organization that holds most \
               gives way; its next exchange makes ready again what it needs.",
        apply: |settings, texts| one(texts, size).map(|bytes| settings.patterns.memory = bytes),
        ..Key::BASE
    },
];
