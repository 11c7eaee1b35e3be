//! Path variables, query parameters and headers.

use std::collections::BTreeSet;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor};
use serde_json::{Map, Value, json};

use super::{comments::Comments, schema};
use crate::{methods::Rule, options};

/// What variables hold that may hold slashes.
const UIDP: &str = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

/// A variable of a path template.
pub(crate) struct Variable {
    /// The field that it sets, with dots between levels.
    pub(crate) field: String,
    /// Whether it may hold slashes.
    pub(crate) is_deep: bool,
}

/// The variables of a template, in order.
pub(crate) fn variables(template: &str) -> Vec<Variable> {
    let inside = template.split('{').skip(1).filter_map(|part| part.split('}').next());
    let split = inside.map(|variable| variable.split_once('=').unwrap_or((variable, "*")));
    split.map(|(field, pattern)| Variable { field: field.to_owned(), is_deep: pattern.contains("**") }).collect()
}

/// The template as OpenAPI writes it: `{uid=**}` becomes `{uid}`.
pub(crate) fn path(template: &str) -> String {
    let mut path = String::new();
    for (index, part) in template.split('{').enumerate() {
        match part.split_once('}') {
            Some((variable, rest)) if index > 0 => {
                let field = variable.split('=').next().unwrap_or(variable);
                path.extend(["{", field, "}", rest]);
            }
            _ => path.push_str(part),
        }
    }
    path
}

/// A path without the names of its variables.
pub(crate) fn shape(path: &str) -> String {
    let literals: Vec<_> = path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
    literals.join("{}")
}

/// The path that is left when the variable at the end of a template is empty, if the field that it sets may be empty: what is
/// created may have no parent. Where a capability is needed is never left out.
pub(crate) fn without_optional_variable(method: &MethodDescriptor, rule: &Rule) -> Option<String> {
    let (before, variable) = rule.template.split_once("/{")?;
    let name = variable.strip_suffix("=**}")?;
    let field = method.input().get_field_by_name(name)?;
    let may_be_empty = rule.verb == "Post" && !options::behaves(&field, "REQUIRED") && !options::is_scope(&field);
    may_be_empty.then(|| before.to_owned())
}

/// The parameter objects of an operation's path, whose variables carry the names that `path` has.
pub(crate) fn of_path(method: &MethodDescriptor, rule: &Rule, path: &str, comments: &Comments) -> Vec<Value> {
    let described = variables(&rule.template).into_iter().zip(variables(path));
    described
        .map(|(variable, named)| {
            let mut description =
                field(&method.input(), &variable.field).map(|field| comments.of_field(&field).to_owned()).unwrap_or_default();
            if variable.field != named.field {
                description = format!("`{}`: {description}", variable.field);
            }
            let mut schema = json!({ "type": "string" });
            if variable.is_deep {
                description.push_str(" May hold slashes.");
                schema = json!({ "type": "string", "pattern": UIDP });
            }
            json!({ "name": named.field, "in": "path", "required": true, "description": description, "schema": schema })
        })
        .collect()
}

/// The parameter objects of an operation's query: every field that neither the path nor the body sets.
pub(crate) fn of_query(method: &MethodDescriptor, rule: &Rule, comments: &Comments, used: &mut BTreeSet<String>) -> Vec<Value> {
    let taken: Vec<_> = variables(&rule.template).into_iter().map(|variable| variable.field).collect();
    let mut parameters = Vec::new();
    if rule.body != "*" {
        for field in options::fields(&method.input()) {
            if field.name() != rule.body && !taken.iter().any(|taken| taken == field.name()) {
                query(&field, "", comments, used, &mut parameters);
            }
        }
    }
    parameters
}

/// The headers that operations refer to.
pub(crate) fn headers() -> Value {
    let header = |name: &str, description: &str| json!({ "name": name, "in": "header", "description": description, "schema": { "type": "string" } });
    json!({
        "IdempotencyKey": header("Idempotency-Key", "A repeat of this request with the same key within 24 hours gets the first answer and changes nothing more."),
        "IfMatch": header("If-Match", "The ETag of the version to change. When the resource has another one, the answer is ABORTED."),
        "ValidateOnly": header("x-provost-validate-only", "With `true`, the request is checked in full and changes nothing."),
    })
}

/// References to the headers that requests which change something may carry.
pub(crate) fn write_headers() -> Vec<Value> {
    let names = ["IdempotencyKey", "IfMatch", "ValidateOnly"];
    names.map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })).to_vec()
}

fn query(field: &FieldDescriptor, above: &str, comments: &Comments, used: &mut BTreeSet<String>, parameters: &mut Vec<Value>) {
    let name = format!("{above}{}", field.json_name());
    match field.kind() {
        _ if field.is_map() => {}
        Kind::Message(inner) if inner.package_name() != "google.protobuf" => {
            if !field.is_list() {
                for field in options::fields(&inner) {
                    query(&field, &format!("{name}."), comments, used, parameters);
                }
            }
        }
        _ => {
            let mut parameter = Map::new();
            parameter.insert("name".to_owned(), json!(name));
            parameter.insert("in".to_owned(), json!("query"));
            parameter.insert("description".to_owned(), json!(comments.of_field(field)));
            if options::behaves(field, "REQUIRED") {
                parameter.insert("required".to_owned(), json!(true));
            }
            parameter.insert("schema".to_owned(), schema::of_input(field, used));
            parameters.push(Value::Object(parameter));
        }
    }
}

fn field(message: &MessageDescriptor, path: &str) -> Option<FieldDescriptor> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let found = message.get_field_by_name(first)?;
    match (rest, found.kind()) {
        (None, _) => Some(found),
        (Some(rest), Kind::Message(inner)) => field(&inner, rest),
        _ => None,
    }
}
