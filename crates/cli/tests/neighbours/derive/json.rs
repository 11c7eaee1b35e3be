//! Recipes as JSON over HTTP: path, query and body by the method's first binding.

use contract::{Body, HttpRule, Method, Verb};
use prost_reflect::{DynamicMessage, Kind, ReflectMessage as _, Value as Field};
use serde_json::{Map, Value, json};

use super::{
    fields::{Target, targets},
    recipe::{Class, Recipe, paths},
};

/// Room in path and query: the server takes 64 KiB of both.
const URL: usize = 60_000;
/// Stands for what is put in as text: large values are written at once and not taken apart.
const MARK: &str = "@@";

/// A request over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    pub(crate) verb: Verb,
    /// Path and query.
    pub(crate) path: String,
    pub(crate) body: Option<Vec<u8>>,
}

/// The base alone.
pub(crate) fn plain(rule: &HttpRule, base: &DynamicMessage) -> Rest {
    let body = (rule.body != Body::None).then(|| object(rule, base).to_string().into_bytes());
    Rest { verb: rule.verb, path: path(rule, base, None), body }
}

/// A request of about `room` bytes; `None` where JSON has no place for what the recipe makes large.
pub(crate) fn request(method: &Method, base: &DynamicMessage, recipe: &Recipe, room: usize) -> Option<Rest> {
    let rule = method.http.first()?;
    let mut rest = plain(rule, base);
    let mut query = Vec::new();
    let mut text = rest.body.take().map(|_| object(rule, base));
    let mut raw = None;
    if let Some((mask, _)) = &recipe.mask {
        let list = paths(recipe, &targets(&base.descriptor()), URL);
        match (inside(rule, mask), &mut text) {
            (Some(at), Some(body)) => *slot(body, &at) = json!(list.join(",")),
            _ => query.push(format!("{}={}", mask.json_name(), list.join(","))),
        }
    }
    match &recipe.target {
        Some(target) if captures(rule).contains(&target.name()) => {
            if recipe.class != Class::Text {
                return None;
            }
            rest.path = path(rule, base, Some((&target.name(), &"x".repeat(URL / 2))));
        }
        Some(target) => match (inside(rule, target), &mut text) {
            (Some(at), Some(body)) if !at.is_empty() => {
                raw = Some(place(body, &at, target, recipe.class, room));
            }
            (Some(_), _) => return None,
            (None, _) => query.push(parameters(target, recipe.class)?),
        },
        None if recipe.mask.is_some() => {}
        None => {
            let body = text.as_mut()?.as_object_mut()?;
            raw = Some(if recipe.class == Class::Nesting {
                body.insert("name".to_owned(), json!(MARK));
                (format!("{MARK:?}"), format!("{}{}", "[".repeat(room / 2), "]".repeat(room / 2)))
            } else {
                body.insert(MARK.to_owned(), json!(0));
                (format!("{MARK:?}:0"), join(room, |number| format!("\"u{number:x}\":0")))
            });
        }
    }
    let text = text.map(|text| text.to_string());
    rest.body = match (text, raw) {
        (Some(text), Some((mark, raw))) => Some(text.replacen(&mark, &raw, 1).into_bytes()),
        (text, _) => text.map(String::into_bytes),
    };
    if !query.is_empty() {
        rest.path = format!("{}?{}", rest.path, query.join("&"));
    }
    Some(rest)
}

/// Marks the place of a field in the body; the mark, and what is to stand there.
fn place(body: &mut Value, at: &[String], target: &Target, class: Class, room: usize) -> (String, String) {
    let field = target.field();
    let value = value(target);
    if class == Class::Again {
        let (last, parents) = at.split_last().expect("the field is in the body");
        if let Some(parent) = slot(body, parents).as_object_mut() {
            parent.remove(last);
            parent.insert(MARK.to_owned(), json!(0));
        }
        return (format!("{MARK:?}:0"), join(room, |_| format!("{last:?}:{value}")));
    }
    *slot(body, at) = json!(MARK);
    let whole = if field.is_map() {
        format!("{{{}}}", join(room, |number| format!("\"{number}\":{value}")))
    } else if field.is_list() {
        format!("[{}]", join(room, |_| value.clone()))
    } else {
        format!("\"{}\"", "x".repeat(room))
    };
    (format!("{MARK:?}"), whole)
}

/// A small value of the field, or of an element or entry of it.
fn value(target: &Target) -> String {
    let kind = match target.field().kind() {
        Kind::Message(entry) if target.field().is_map() => entry.map_entry_value_field().kind(),
        kind => kind,
    };
    match kind {
        Kind::Message(_) => "{}".to_owned(),
        Kind::String | Kind::Bytes => "\"\"".to_owned(),
        Kind::Bool => "true".to_owned(),
        _ => "1".to_owned(),
    }
}

/// As many parts as there is room for, with commas between them.
fn join(room: usize, part: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(room);
    for number in 0.. {
        let part = part(number);
        if text.len() + part.len() + 1 > room {
            break;
        }
        if number > 0 {
            text.push(',');
        }
        text.push_str(&part);
    }
    text
}

/// The field as parameters of the query. Messages and maps have no such form.
fn parameters(target: &Target, class: Class) -> Option<String> {
    let name = target.json_name();
    let value = match target.field().kind() {
        Kind::Message(_) => return None,
        Kind::String | Kind::Bytes => "x",
        Kind::Bool => "true",
        _ => "1",
    };
    if class == Class::Text || class == Class::Mask {
        return Some(format!("{name}={}", "x".repeat(URL - name.len())));
    }
    let one = format!("{name}={value}");
    Some(vec![one.as_str(); URL / (one.len() + 1)].join("&"))
}

/// Where in the body the field stands, by JSON name; `None` when it goes to the query.
fn inside(rule: &HttpRule, target: &Target) -> Option<Vec<String>> {
    let names = || target.path.iter().map(|field| field.json_name().to_owned());
    match rule.body {
        Body::None => None,
        Body::All => Some(names().collect()),
        Body::Field(field) => (target.path[0].name() == field).then(|| names().skip(1).collect()),
    }
}

/// The place in a value, made on the way where it is not there.
fn slot<'a>(value: &'a mut Value, at: &[String]) -> &'a mut Value {
    at.iter().fold(value, |value, name| {
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        &mut value[name]
    })
}

/// The base as the body of its binding.
fn object(rule: &HttpRule, base: &DynamicMessage) -> Value {
    let whole = serde_json::to_value(base).expect("messages are JSON");
    match rule.body {
        Body::Field(name) => {
            let field = base.descriptor().get_field_by_name(name).expect("the body is a field");
            whole.get(field.json_name()).cloned().unwrap_or_else(|| json!({}))
        }
        Body::All | Body::None => whole,
    }
}

/// The fields that a template captures, with dots.
pub(crate) fn captures(rule: &HttpRule) -> Vec<String> {
    let variables = rule.template.split('{').skip(1).filter_map(|part| part.split(['=', '}']).next());
    variables.map(str::to_owned).collect()
}

/// The path of a template with the base's values, one of them another.
fn path(rule: &HttpRule, base: &DynamicMessage, other: Option<(&str, &str)>) -> String {
    rule.template.split('{').enumerate().fold(String::new(), |path, (at, part)| {
        let Some((variable, rest)) = part.split_once('}').filter(|_| at > 0) else { return path + part };
        let name = variable.split('=').next().unwrap_or_default();
        let value = match other {
            Some((field, value)) if field == name => value.to_owned(),
            _ => text(base, name),
        };
        path + if value.is_empty() { "x" } else { &value } + rest
    })
}

/// The text of a field, by its path with dots.
fn text(message: &DynamicMessage, path: &str) -> String {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    match (message.get_field_by_name(name).as_deref(), rest) {
        (Some(Field::Message(inner)), Some(rest)) => text(inner, rest),
        (Some(Field::String(value)), None) => value.clone(),
        _ => String::new(),
    }
}
