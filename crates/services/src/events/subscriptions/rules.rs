//! What holds for every subscription.

use domain::{Result, Violations, events::SubscriptionSpec, ports::CheckUrl};

/// Judges the form of the sink. Where it leads is judged when something is sent there.
///
/// # Errors
/// Invalid argument for a sink that is not an https URL.
pub(super) fn check(spec: &SubscriptionSpec, urls: &dyn CheckUrl) -> Result<()> {
    let mut violations = Violations::default();
    if let Err(why) = urls.check_url(&spec.sink) {
        violations.add("sink", format!("sink {why}"));
    }
    violations.check()
}
