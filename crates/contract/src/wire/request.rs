//! Puts the pieces of an HTTP request together.

use std::borrow::Cow;

use prost::Message as _;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use prost_types::FieldMask;

use super::{Document, FieldError, JsonError, append_path_value, append_query, error::cut, json, parameter, put};
use crate::{
    Body, HttpRule, Method, Verb, behavior,
    bounds::Fields,
    descriptors,
    scope::{self, Unreadable},
};

/// A request of one HTTP binding on its way to binary form.
///
/// Path variables win over the body, and the body over the query; a body where the binding maps none gives way to both. An
/// update without a mask gets one made from the body's keys.
#[derive(Debug)]
pub struct Request {
    method: &'static Method,
    message: &'static MessageDescriptor,
    rule: &'static HttpRule,
    path: Vec<u8>,
    query: Vec<u8>,
    body: Vec<u8>,
    /// What the path sets: the query may not set it too.
    taken: Vec<String>,
    has_mask: bool,
    derived: Option<FieldMask>,
}

impl Request {
    /// An empty request of `method`, which came in through `rule`, one of its bindings.
    #[must_use]
    pub fn new(method: &'static Method, rule: &'static HttpRule) -> Self {
        Self {
            method,
            message: descriptors::request_of(method),
            rule,
            path: Vec::new(),
            query: Vec::new(),
            body: Vec::new(),
            taken: Vec::new(),
            has_mask: false,
            derived: None,
        }
    }

    /// Sets a path variable, such as `group.uid`, to its percent-decoded value. Call it before [`Self::query`].
    ///
    /// # Errors
    /// See [`append_path_value`].
    pub fn path(&mut self, variable: &str, value: &str) -> Result<(), FieldError> {
        match descriptors::text_of(self.method, variable) {
            // Nearly all of them, without looking at descriptors.
            Some(number) => put::message(&mut self.path, number, value.as_bytes()),
            None => append_path_value(&mut self.path, self.message, variable, value)?,
        }
        self.taken.push(variable.to_owned());
        Ok(())
    }

    /// Adds the query's parameters, decoded.
    ///
    /// # Errors
    /// See [`append_query`]. A parameter may not set what the path or the body sets.
    pub fn query<K, V>(&mut self, pairs: impl IntoIterator<Item = (K, V)>) -> Result<(), Vec<FieldError>>
    where
        K: AsRef<str>,
        V: AsRef<str>,
    {
        let mut errors = Vec::new();
        let mut accepted = Vec::new();
        for (key, value) in pairs {
            if let Some(problem) = self.conflict(key.as_ref()) {
                errors.push(FieldError { field: cut(key.as_ref()).into_owned(), problem });
                if errors.len() == parameter::ERRORS_MAX {
                    return Err(errors);
                }
                continue;
            }
            let names_mask = matches!(key.as_ref(), "update_mask" | "updateMask");
            self.has_mask |= names_mask && !value.as_ref().is_empty();
            accepted.push((key, value));
        }
        errors.extend(append_query(&mut self.query, self.message, accepted).err().into_iter().flatten());
        errors.truncate(parameter::ERRORS_MAX);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Where in the tree the request acts: what [`Message::scope`](crate::Message::scope) of the decoded request will be, if
    /// `json` becomes its body. Found at the cost of one pass over what was set and over the text; nothing is made of it.
    ///
    /// # Errors
    /// Only for what [`Self::body`] refuses or does not decode. Not everything of that is noticed.
    pub fn scope<'r>(&'r self, json: &'r [u8]) -> Result<Option<Cow<'r, str>>, Unreadable> {
        let way = self.method.scope;
        let mut found = scope::unset(way);
        let names = |variable: &String| variable.split('.').eq(way.iter().map(|field| field.name));
        if !self.taken.iter().any(names) {
            let json = if json.trim_ascii().is_empty() { &[] } else { json };
            match self.rule.body {
                _ if json.is_empty() => scope::look(way, &self.query, &mut Fields::default(), &mut found)?,
                Body::None => {
                    json::look(way, Body::All, json, &mut found)?;
                    scope::look(way, &self.query, &mut Fields::default(), &mut found)?;
                }
                body => {
                    scope::look(way, &self.query, &mut Fields::default(), &mut found)?;
                    json::look(way, body, json, &mut found)?;
                }
            }
        }
        scope::look(way, &self.path, &mut Fields::default(), &mut found)?;
        Ok(found)
    }

    /// Adds the body, which is JSON, after the query. An empty body sets nothing. Where the binding maps no body, it is the
    /// whole message, and path and query win over it.
    ///
    /// # Errors
    /// When it is not JSON, or not that of the message that the binding wants.
    pub fn body(&mut self, json: &[u8]) -> Result<(), JsonError> {
        if json.trim_ascii().is_empty() {
            return Ok(());
        }
        let document = Document::parse(json)?;
        if self.rule.body == Body::None {
            document.append(&mut self.body, self.message, Body::All)?;
            self.body.append(&mut self.query);
            return Ok(());
        }
        document.append(&mut self.body, self.message, self.rule.body)?;
        if self.rule.verb == Verb::Patch {
            self.derived = self.mask_of(&document);
        }
        Ok(())
    }

    /// The request in binary form.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        let mut out = self.query;
        if out.is_empty() {
            out = self.body;
        } else {
            out.extend(self.body);
        }
        if let (Some(mask), Some(field)) = (self.derived.filter(|_| !self.has_mask), mask_field(self.message)) {
            put::message(&mut out, field.number(), &mask.encode_to_vec());
        }
        out.extend(self.path);
        out
    }

    fn conflict(&self, key: &str) -> Option<String> {
        let fields = parameter::resolve(self.message, key).ok()?;
        let names: Vec<_> = fields.iter().map(FieldDescriptor::name).collect();
        if self.taken.contains(&names.join(".")) {
            return Some("is already given by the path".to_owned());
        }
        match self.rule.body {
            Body::Field(body) if names.first() == Some(&body) => Some("belongs into the body".to_owned()),
            _ => None,
        }
    }

    /// The mask that the body's keys make, if the request takes one and the body itself has none.
    fn mask_of(&self, document: &Document<'_>) -> Option<FieldMask> {
        let mask = mask_field(self.message)?;
        let resource = match self.rule.body {
            Body::Field(name) => self.message.get_field_by_name(name)?,
            // With the whole request in the body, the resource is the message beside the mask.
            Body::All if !document.names(&mask) => self.message.fields().find(|field| behavior::nested(field).is_some())?,
            Body::All | Body::None => return None,
        };
        let paths = match self.rule.body {
            Body::All => document.paths_within(&resource)?,
            _ => document.paths(&behavior::nested(&resource)?),
        };
        Some(FieldMask { paths })
    }
}

fn mask_field(message: &MessageDescriptor) -> Option<FieldDescriptor> {
    let field = message.get_field_by_name("update_mask")?;
    let is_mask = matches!(field.kind(), Kind::Message(mask) if mask.full_name() == "google.protobuf.FieldMask");
    is_mask.then_some(field)
}
