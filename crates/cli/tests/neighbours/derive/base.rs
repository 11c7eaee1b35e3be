//! The requests that inputs are derived from: the committed examples of the API, aimed at a place, so that they get past
//! authorisation and as far as the rules of their noun. Methods without an example get the place alone.

use std::{collections::BTreeMap, sync::LazyLock};

use contract::{Body, Method, Verb};
use prost_reflect::{DynamicMessage, Kind, ReflectMessage as _, Value as Field};
use serde_json::Value;

use super::{fields, json};

/// What the server's own tests record (`e2e/tests/golden/examples.rs`).
const EXAMPLES: &str = include_str!("../../../../../docs/api/examples.json");

/// Where requests are aimed.
#[derive(Clone, Debug)]
pub(crate) struct Aim {
    /// The organization in which they act.
    pub(crate) organization: String,
    /// A resource of each service that has any, by the service's name.
    pub(crate) resources: BTreeMap<String, String>,
    /// Identifiers of the examples, and what stands for them there.
    pub(crate) renamed: Vec<(String, String)>,
}

impl Aim {
    /// An organization of which nothing else is known.
    pub(crate) fn at(organization: &str) -> Self {
        Self { organization: organization.to_owned(), resources: BTreeMap::new(), renamed: Vec::new() }
    }

    /// What the method's example was made in, if it is something that was made here as well.
    fn parent_of(&self, method: &Method) -> Option<&String> {
        let parent = examples().get(&example_name(method))?["parameters"]["uid"].as_str()?;
        self.renamed.iter().find(|(old, _)| old == parent).map(|(_, new)| new)
    }

    /// The example's text with its identifiers replaced by those of this place.
    pub(crate) fn rewrite(&self, example: &Value) -> Value {
        let mut text = example.to_string();
        // An identifier begins with that of its parent, so those that are further below come first.
        for (old, new) in self.renamed.iter().rev() {
            text = text.replace(old, new);
        }
        serde_json::from_str(&text).expect("an example stays JSON")
    }
}

/// The recorded calls, in the order in which they were made, by their names.
pub(crate) fn examples() -> &'static serde_json::Map<String, Value> {
    static CALLS: LazyLock<serde_json::Map<String, Value>> =
        LazyLock::new(|| serde_json::from_str(EXAMPLES).expect("the examples are an object"));
    &CALLS
}

/// The method's name among the examples.
pub(crate) fn example_name(method: &Method) -> String {
    let service = method.service.strip_prefix("chainguard.platform.").unwrap_or(method.service);
    format!("{service}.{}", method.name)
}

/// A request of the method that is as it should be, as far as an example shows how.
pub(crate) fn base(method: &Method, aim: &Aim) -> DynamicMessage {
    let descriptor = fields::request(method);
    let mut message = DynamicMessage::new(descriptor.clone());
    let rule = method.http.first();
    let sent = examples().get(&example_name(method)).and_then(|call| call.get("request"));
    if let (Some(rule), Some(sent)) = (rule, sent) {
        let sent = aim.rewrite(sent);
        match rule.body {
            Body::Field(name) => {
                let field = descriptor.get_field_by_name(name).expect("the body is a field");
                if let Kind::Message(inner) = field.kind() {
                    let read = |value| {
                        let value = DynamicMessage::deserialize(inner.clone(), value).expect("an example is of the contract");
                        Field::Message(value)
                    };
                    let value = match sent {
                        Value::Array(items) => Field::List(items.into_iter().map(read).collect()),
                        item => read(item),
                    };
                    message.set_field(&field, value);
                }
            }
            Body::All => {
                message = DynamicMessage::deserialize(descriptor.clone(), sent).expect("an example is of the contract");
            }
            Body::None => {}
        }
    }
    let scope = fields::scope(&descriptor).map(|path| path.join("."));
    for place in rule.map(json::captures).into_iter().flatten().chain(scope) {
        // Names of fields tell what they are of: `uid` is that of a resource, `parent` and `group` of what is around it.
        let own = place.rsplit('.').next().is_some_and(|name| name.ends_with("uid"));
        let creates = rule.is_none_or(|rule| rule.verb == Verb::Post && !rule.template.contains("}:"));
        let resource = if creates { aim.parent_of(method) } else { aim.resources.get(method.service).filter(|_| own) };
        put(&mut message, &place, resource.unwrap_or(&aim.organization));
    }
    message
}

/// Sets a text by its path with dots, where there is such a text.
fn put(message: &mut DynamicMessage, path: &str, text: &str) {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let Some(field) = message.descriptor().get_field_by_name(name) else { return };
    match (field.kind(), rest) {
        (Kind::Message(_), Some(rest)) => {
            if let Some(inner) = message.get_field_mut(&field).as_message_mut() {
                put(inner, rest, text);
            }
        }
        (Kind::String, None) if !field.is_list() => message.set_field(&field, Field::String(text.to_owned())),
        _ => {}
    }
}
