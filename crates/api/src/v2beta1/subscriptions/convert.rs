//! Subscriptions between the wire and the domain.

use contract::chainguard::platform::events::v2beta1 as wire;
use domain::{
    Error, Violations,
    events::{Subscription, SubscriptionSpec},
};

use crate::field;

/// A subscription for an answer.
pub(crate) fn to_wire(subscription: &Subscription) -> wire::Subscription {
    wire::Subscription { uid: subscription.uid.to_string(), sink: subscription.spec.sink.clone() }
}

/// What a request says that a subscription should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(subscription: wire::Subscription) -> Result<SubscriptionSpec, Error> {
    let mut violations = Violations::default();
    field::required_in("", &subscription, &mut violations);
    violations.check()?;
    Ok(SubscriptionSpec { sink: subscription.sink })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_required_field_is_asked_for() {
        let subscription = wire::Subscription { sink: "https://hooks.example.com".into(), ..wire::Subscription::default() };
        crate::required::is_asked_for(vec![subscription], spec_from_wire);
    }
}
