//! What holds for every subscription.

use domain::{
    Error, Result, Rule, Uidp, Violations,
    events::{Subscription, SubscriptionSpec},
    ports::CheckUrl,
};
use store::{Reader, rows};

/// Most subscriptions of a group: each event of the group is sent to all of them, and all of them go with it in one write.
const SUBSCRIPTIONS: u64 = 100;

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

/// Whether the group may have one more.
///
/// # Errors
/// Failed precondition when it has as many as it may have.
pub(super) async fn check_room(reader: &mut Reader, group: &Uidp) -> Result<()> {
    if rows::count::<Subscription>(reader, group).await? < SUBSCRIPTIONS {
        return Ok(());
    }
    let description =
        format!("group {group} has {SUBSCRIPTIONS} subscriptions, which is as many as it may have; delete one first");
    Err(Error::precondition(Rule::GroupFull, "GROUP_FULL", group.as_str(), description))
}
