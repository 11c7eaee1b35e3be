//! Generates the OpenAPI 3.1 document: the same facts as the method table, told to HTTP clients, with the comments of the
//! `.proto` files as its text.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use prost_reflect::MethodDescriptor;
use serde_json::{Value, json};

use crate::{Result, compile::Compiled, methods, packed};

mod comments;
mod examples;
mod links;
mod operation;
mod parameter;
mod schema;

use comments::Comments;
use examples::Examples;
pub(crate) use examples::FILE as EXAMPLES;
use links::Paths;

/// What stands at the top of the document.
const INTRODUCTION: &str = "\
The HTTP side of the API. The same methods are served over gRPC under the same host and port.

Bodies are JSON whatever their content type. Keys and parameters are accepted in lowerCamelCase and in snake_case; unknown \
keys of bodies are ignored, unknown parameters refused. Answers hold every field, unset ones as `null`, `[]`, `{}`, `0`, \
`false` or `\"\"`; only unset alternatives and unset optional fields are left out.

Path variables may hold slashes where their description says so; the slashes stand in the path as they are, or as `%2F`. Every path with \
`/v2beta1/`, except those of overlays and overlay bindings, also exists with `/v2/` in its place.";

/// Writes `openapi.json.gz`.
pub(crate) fn generate(compiled: &Compiled, out: &Path) -> Result<()> {
    let comments = Comments::of(compiled);
    let mut used = BTreeSet::new();
    let mut tags = Vec::new();
    let mut bindings = Vec::new();
    for service in compiled.files().flat_map(|file| file.services().collect::<Vec<_>>()) {
        tags.push(json!({ "name": short(service.full_name()), "description": comments.of_service(&service) }));
        for method in service.methods() {
            for rule in methods::http_rules(&method)? {
                bindings.push((method.clone(), rule));
            }
        }
    }
    let mut paths = paths(&bindings, &comments, &mut used);
    let methods: Vec<_> = bindings.iter().map(|(method, _)| method.clone()).collect();
    links::add(&mut paths, &methods);
    let examples = Examples::read()?;
    let operations = paths.values_mut().flat_map(|operations| operations.values_mut());
    operations.filter_map(Value::as_object_mut).for_each(|operation| examples.add_to(operation));
    used.insert("google.rpc.Status".to_owned());
    let schemas = schema::all(&compiled.pool, used, &comments)?;
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Provost API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": INTRODUCTION,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": { "bearer": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "JWT",
                "description": "A token from `/sts/exchange`.",
            } },
            "parameters": parameter::headers(),
            "responses": { "Error": {
                "description": "The request failed. `code` is the gRPC status code, `details` begins with a google.rpc.ErrorInfo.",
                "content": { "application/json": { "schema": schema::reference("google.rpc.Status") } },
            } },
            "schemas": schemas,
        },
    });
    packed::write(&out.join("openapi.json.gz"), serde_json::to_string(&document)?.as_bytes())
}

/// A full name without the prefix that all names share.
pub(crate) fn short(full_name: &str) -> &str {
    full_name.strip_prefix("chainguard.platform.").unwrap_or(full_name)
}

type Bindings = [(MethodDescriptor, methods::Rule)];

fn paths(bindings: &Bindings, comments: &Comments, used: &mut BTreeSet<String>) -> Paths {
    // Paths that differ only in the names of their variables are one path to OpenAPI: the first `GET` names them.
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let (reads, writes): (Vec<_>, Vec<_>) = bindings.iter().partition(|(_, rule)| rule.verb == "Get");
    for (_, rule) in reads.into_iter().chain(writes) {
        let path = parameter::path(&rule.template);
        names.entry(parameter::shape(&path)).or_insert(path);
    }
    let mut paths = Paths::new();
    for (method, rule) in bindings {
        let template = parameter::path(&rule.template);
        let path = names.get(&parameter::shape(&template)).unwrap_or(&template);
        let operations = paths.entry(path.clone()).or_default();
        operations.insert(rule.verb.to_lowercase(), operation::describe(method, rule, path, comments, used));
        if let Some(root) = parameter::without_optional_variable(method, rule) {
            let operations = paths.entry(root.clone()).or_default();
            operations.insert(rule.verb.to_lowercase(), operation::describe(method, rule, &root, comments, used));
        }
    }
    paths
}
