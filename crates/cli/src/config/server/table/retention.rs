//! Section `[retention]`.

use super::super::{
    Default, Key,
    parse::{kept, one},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "retention.audit-log",
        flag: "retention-audit-log",
        variable: "PROVOST_RETENTION_AUDIT_LOG",
        value: "TIME",
        default: Default::Is("400d"),
        summary: "How long entries of the audit log and the changes of their commits are kept: 1d to 3650d, or forever",
        more: "The last commit of everything that is there stays, with its entry.",
        apply: |settings, texts| one(texts, kept).map(|time| settings.retention.audit_log = time),
        ..Key::BASE
    },
    Key {
        path: "retention.events",
        flag: "retention-events",
        variable: "PROVOST_RETENTION_EVENTS",
        value: "TIME",
        default: Default::Is("7d"),
        summary: "How long events are kept that no delivery needs any more: 1d to 3650d, or forever",
        apply: |settings, texts| one(texts, kept).map(|time| settings.retention.events = time),
        ..Key::BASE
    },
];
