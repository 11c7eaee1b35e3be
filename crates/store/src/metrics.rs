//! What the store counts about itself.

use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};

use crate::chain::Head;

/// The instruments of one store. Clones are handles to the same ones.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Those of its engine.
    pub(crate) engine: database::Metrics,
    pub(crate) later_waiting: Gauge,
    later_dropped: Family<Label, Counter>,
    pub(crate) later_full: Counter,
    pub(crate) later_failed: Counter,
    skips: Family<Label, Counter>,
    head: Gauge,
    head_revision: Gauge,
    rows: Family<Label, Gauge>,
    oldest: Family<Label, Gauge>,
    damaged: Gauge,
    pub(crate) skips_by_ranks: Counter,
    pub(crate) skips_by_walk: Counter,
}

/// One label with its value.
type Label = [(&'static str, &'static str); 1];

impl Metrics {
    pub(crate) fn new() -> Self {
        let later_dropped = Family::<Label, Counter>::default();
        let skips = Family::<Label, Counter>::default();
        let skipped = |by| skips.get_or_create(&[("by", by)]).clone();
        let dropped = |reason| later_dropped.get_or_create(&[("reason", reason)]).clone();
        Self {
            engine: database::Metrics::default(),
            later_waiting: Gauge::default(),
            later_full: dropped("queue_full"),
            later_failed: dropped("storage_failed"),
            later_dropped,
            skips_by_ranks: skipped("ranks"),
            skips_by_walk: skipped("walk"),
            skips,
            head: Gauge::default(),
            head_revision: Gauge::default(),
            rows: Family::default(),
            oldest: Family::default(),
            damaged: Gauge::default(),
        }
    }

    /// Notes the end of the audit log.
    pub(crate) fn set_head(&self, head: Option<&Head>) {
        self.head.set(head.map_or(0, Head::number));
        self.head_revision.set(head.map_or(0, |head| head.revision.0));
    }

    /// Notes how many rows a table has whose rows are removed when they are old, and how old the oldest is, if there is one.
    pub fn set_size(&self, table: &'static str, rows: i64, oldest_seconds: Option<i64>) {
        self.rows.get_or_create(&[("table", table)]).set(rows);
        self.oldest.get_or_create(&[("table", table)]).set(oldest_seconds.unwrap_or_default());
    }

    /// Notes whether nothing is removed from the audit log because it was changed by other hands.
    pub fn set_damaged(&self, damaged: bool) {
        self.damaged.set(i64::from(damaged));
    }

    /// Adds the instruments to `registry`, under names that begin with `store_`.
    pub fn register(&self, registry: &mut Registry) {
        let registry = registry.sub_registry_with_prefix("store");
        self.engine.register(registry);
        let waiting = "Audit entries and last-seen times that are not written yet";
        registry.register("later_waiting", waiting, self.later_waiting.clone());
        let dropped = "Audit entries and last-seen times that were lost, by reason: queue_full, storage_failed";
        registry.register("later_dropped", dropped, self.later_dropped.clone());
        let skips =
            "Skips over many rows of an order that has ranks, by how they were made: ranks, or walk before those are there";
        registry.register("skips", skips, self.skips.clone());
        let head = "The first 13 hexadecimal digits of the code of the audit log's last entry, as a number; 0 without one";
        registry.register("audit_head", head, self.head.clone());
        let revision = "The last commit when the code of the audit log's last entry was read; 0 without one";
        registry.register("audit_head_revision", revision, self.head_revision.clone());
        let rows = "Rows of a table that are removed when they are old, when it was last looked for those, by table";
        registry.register("rows", rows, self.rows.clone());
        let oldest = "How old the oldest row of a table was then, by table; 0 where rows do not tell";
        registry.register_with_unit("oldest_row", oldest, Unit::Seconds, self.oldest.clone());
        let damaged = "1 if nothing is removed from the audit log, because it was changed by other hands; else 0";
        registry.register("audit_damaged", damaged, self.damaged.clone());
    }
}
