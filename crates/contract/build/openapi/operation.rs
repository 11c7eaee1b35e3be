//! One HTTP binding of a method.

use std::collections::BTreeSet;

use prost_reflect::{Kind, MessageDescriptor, MethodDescriptor};
use serde_json::{Map, Value, json};

use super::{comments::Comments, parameter, schema, short};
use crate::{
    methods::{self, Rule},
    options,
};

/// The operation object of a binding under `path`.
pub(crate) fn describe(
    method: &MethodDescriptor,
    rule: &Rule,
    path: &str,
    comments: &Comments,
    used: &mut BTreeSet<String>,
) -> Value {
    let text = comments.of_method(method);
    let mut parameters = parameter::of_path(method, rule, path, comments);
    parameters.extend(parameter::of_query(method, rule, comments, used));
    if rule.verb != "Get" {
        parameters.extend(parameter::write_headers());
    }
    let mut operation = Map::new();
    let mut put = |key: &str, value: Value| drop(operation.insert(key.to_owned(), value));
    put("operationId", json!(id(method, rule, path)));
    put("tags", json!([short(method.parent_service().full_name())]));
    put("summary", json!(text.split(". ").next().unwrap_or(text).lines().next().unwrap_or_default().trim_end_matches('.')));
    put("description", json!(text));
    if method.method_descriptor_proto().options.as_ref().is_some_and(prost_types::MethodOptions::deprecated) {
        put("deprecated", json!(true));
    }
    put("parameters", Value::Array(parameters));
    if let Some(body) = body(method, rule, used) {
        put("requestBody", body);
    }
    put(
        "responses",
        json!({
            "200": { "description": "Done.", "content": { "application/json": { "schema": whole(&method.output(), used) } } },
            "default": { "$ref": "#/components/responses/Error" },
        }),
    );
    match methods::access(method) {
        methods::Access::Public => put("security", json!([])),
        methods::Access::Undeclared => put("security", json!([{}, { "bearer": [] }])),
        methods::Access::Declared { unscoped, capabilities } => {
            let mode = if unscoped { "unscoped" } else { "scoped" };
            put("x-provost-access", json!({ "mode": mode, "capabilities": methods::capability_names(method, &capabilities) }));
        }
    }
    if let Some(event) = methods::event_type(method) {
        put("x-provost-event", json!(event));
    }
    Value::Object(operation)
}

/// Unique over the document: a method that has several bindings is told apart by verb, and by the missing variable.
fn id(method: &MethodDescriptor, rule: &Rule, path: &str) -> String {
    let name = short(method.full_name());
    let first = methods::http_rules(method).ok().and_then(|rules| rules.into_iter().next());
    let is_first = first.is_some_and(|first| first.verb == rule.verb && first.template == rule.template);
    let is_short = parameter::variables(path).len() < parameter::variables(&rule.template).len();
    match (is_first, is_short) {
        (true, false) => name.to_owned(),
        (true, true) => format!("{name}.AtRoot"),
        (false, _) => format!("{name}.{}", rule.verb),
    }
}

fn body(method: &MethodDescriptor, rule: &Rule, used: &mut BTreeSet<String>) -> Option<Value> {
    let input = method.input();
    let json_body = |schema: Value| json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    match rule.body.as_str() {
        // Without a body in the rule, what is posted is read as parameters, in either form.
        "" if rule.verb == "Post" => {
            let schema = whole(&input, used);
            Some(
                json!({ "content": { "application/x-www-form-urlencoded": { "schema": schema }, "application/json": { "schema": schema } } }),
            )
        }
        "" => None,
        "*" => Some(json_body(with_required(&input, rule, used))),
        name => {
            let field = input.get_field_by_name(name)?;
            let Kind::Message(resource) = field.kind() else { return None };
            let schema = with_required(&resource, rule, used);
            Some(json_body(if field.is_list() { json!({ "type": "array", "items": schema }) } else { schema }))
        }
    }
}

/// A message in a request. What is required is said here and not in the schema, as updates may leave out what they keep.
fn with_required(message: &MessageDescriptor, rule: &Rule, used: &mut BTreeSet<String>) -> Value {
    let mut schema = whole(message, used);
    let taken: Vec<_> = parameter::variables(&rule.template).into_iter().map(|variable| variable.field).collect();
    let required = options::fields(message).into_iter().filter(|field| options::behaves(field, "REQUIRED"));
    let required: Vec<_> = required
        .filter(|field| !taken.iter().any(|taken| taken == field.name()))
        .map(|field| field.json_name().to_owned())
        .collect();
    if let (false, Value::Object(schema)) = (rule.verb == "Patch" || required.is_empty(), &mut schema) {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn whole(message: &MessageDescriptor, used: &mut BTreeSet<String>) -> Value {
    if message.full_name() == "google.protobuf.Empty" {
        return json!({ "type": "object" });
    }
    used.insert(message.full_name().to_owned());
    schema::reference(message.full_name())
}
