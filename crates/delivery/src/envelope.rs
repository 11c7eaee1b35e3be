//! An event as a request: `CloudEvents` 1.0, HTTP protocol binding, binary content mode.

use domain::{
    Error, Result, Uidp,
    ports::{Announced, RenderEvent, Rendered},
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::json;
use store::{deliveries::Delivery, outbox::Event};

/// What header values spell otherwise (binding, section 3.1.3.2).
const UNFIT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%');

/// A request's headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// The event for the sink of a subscription, from the server at `base_url`.
///
/// # Errors
/// Internal when the event cannot be rendered.
pub(crate) fn envelope(renderer: &dyn RenderEvent, base_url: &str, delivery: &Delivery, event: &Event) -> Result<Envelope> {
    let Rendered { source, subject, body, extensions } = renderer.render(Announced {
        kind: &event.kind,
        api_version: &event.api_version,
        subject: &event.subject,
        group: &event.group,
        snapshot: &event.snapshot,
        at: event.at,
    })?;
    let time = jiff::Timestamp::from_millisecond(event.at.0).map_err(Error::internal)?;
    let actor = event.actor.parse::<Uidp>().ok();
    let mut headers: Vec<(String, String)> = Vec::with_capacity(16);
    let mut set = |name: &str, value: &str| {
        if !value.is_empty() {
            headers.push((format!("ce-{name}"), utf8_percent_encode(value, UNFIT).to_string()));
        }
    };
    set("id", &event.id());
    set("specversion", "1.0");
    set("type", &event.kind);
    set("source", &format!("{base_url}{source}"));
    set("subject", &subject);
    set("time", &format!("{time:.3}"));
    set("group", &event.group);
    set("audience", "customer");
    if let Some((name, _)) = &body {
        set("bodytype", name);
    }
    if let Some(actor) = &actor {
        set("actor", actor.as_str());
    }
    set("chainguarddev1delivery", "webhook");
    set("chainguarddev1webhook", &delivery.sink);
    set("chainguarddev1subscription", delivery.subscription.as_str());
    for (name, value) in &extensions {
        set(name, value);
    }
    let mut data = Vec::new();
    if let Some(actor) = actor {
        let actor = match &event.upstream {
            Some(upstream) => json!({ "subject": actor.as_str(), "act": upstream }),
            None => json!({ "subject": actor.as_str() }),
        };
        data.push(format!("\"actor\":{actor}"));
    }
    if let Some((_, body)) = body {
        data.push(format!("\"body\":{body}"));
    }
    Ok(Envelope { headers, body: format!("{{{}}}", data.join(",")) })
}
