//! What is told about the signing keys.

use std::{fmt, sync::Arc};

use domain::Clock;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::gauge::ConstGauge,
    registry::Unit,
};

use super::ring::Keyring;

/// Reads the ring when asked.
#[derive(Debug)]
pub(super) struct KeyMetrics {
    pub(super) ring: Arc<Keyring>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Collector for KeyMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let now = self.clock.now();
        let published = ConstGauge::new(i64::try_from(self.ring.published(now)).unwrap_or(i64::MAX));
        let help = "Published signing keys: those that sign or will, and those whose last token has not expired.";
        published.encode(encoder.encode_descriptor("signing_keys", help, None, published.metric_type())?)?;
        let age = ConstGauge::new(self.ring.age(now).as_secs_f64());
        let help = "How long ago the signing keys were read from the store.";
        age.encode(encoder.encode_descriptor("signing_keys_age", help, Some(&Unit::Seconds), age.metric_type())?)?;
        if let Some(since) = self.ring.active_since(now) {
            let since = ConstGauge::new(since.seconds());
            let help = "Since when the active signing key signs, in seconds since 1970.";
            let unit = Some(&Unit::Seconds);
            since.encode(encoder.encode_descriptor("signing_key_active_since_timestamp", help, unit, since.metric_type())?)?;
        }
        Ok(())
    }
}
