//! Links: what is created can be read, changed and deleted by the identifier in the answer.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::parameter;

/// The operations of the document by path and verb.
pub(crate) type Paths = BTreeMap<String, Map<String, Value>>;

/// Links the operations that create something with those of the same service that take its identifier.
pub(crate) fn add(paths: &mut Paths) {
    let targets: BTreeMap<String, String> = paths
        .iter()
        .flat_map(|(path, operations)| operations.values().map(move |operation| (id(operation).to_owned(), path.clone())))
        .collect();
    for operation in paths.values_mut().flat_map(|operations| operations.values_mut()) {
        let links = links(id(operation), &targets);
        let success = operation.pointer_mut("/responses/200").and_then(Value::as_object_mut);
        if let (false, Some(success)) = (links.is_empty(), success) {
            success.insert("links".to_owned(), Value::Object(links));
        }
    }
}

fn id(operation: &Value) -> &str {
    operation["operationId"].as_str().unwrap_or_default()
}

fn links(creator: &str, targets: &BTreeMap<String, String>) -> Map<String, Value> {
    let Some((service, noun)) = creator.trim_end_matches(".AtRoot").split_once(".Create") else { return Map::new() };
    let mut links = Map::new();
    for verb in ["Get", "Update", "Delete"] {
        let target = format!("{service}.{verb}{noun}");
        let variable = targets.get(&target).and_then(|path| parameter::variables(path).into_iter().next());
        if let Some(variable) = variable {
            let parameters = Map::from_iter([(format!("path.{}", variable.field), json!("$response.body#/uid"))]);
            links.insert(verb.to_lowercase(), json!({ "operationId": target, "parameters": parameters }));
        }
    }
    links
}
