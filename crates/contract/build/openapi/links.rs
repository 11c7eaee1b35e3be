//! Links: what is created can be read, changed and deleted by the identifier in the answer.

use std::collections::BTreeMap;

use prost_reflect::MethodDescriptor;
use serde_json::{Map, Value, json};

use super::{parameter, short};

/// The operations of the document by path and verb.
pub(crate) type Paths = BTreeMap<String, Map<String, Value>>;

/// Links the operations that create something with those of the same service that take its identifier.
pub(crate) fn add(paths: &mut Paths, methods: &[MethodDescriptor]) {
    let identifiers: BTreeMap<_, _> =
        methods.iter().filter_map(|method| Some((short(method.full_name()), identifier(method)?))).collect();
    let targets: BTreeMap<String, String> = paths
        .iter()
        .flat_map(|(path, operations)| operations.values().map(move |operation| (id(operation).to_owned(), path.clone())))
        .collect();
    for operation in paths.values_mut().flat_map(|operations| operations.values_mut()) {
        let creator = id(operation).trim_end_matches(".AtRoot");
        let identifier = identifiers.get(creator);
        let links = identifier.map(|identifier| links(creator, identifier, &targets)).unwrap_or_default();
        let success = operation.pointer_mut("/responses/200").and_then(Value::as_object_mut);
        if let (false, Some(success)) = (links.is_empty(), success) {
            success.insert("links".to_owned(), Value::Object(links));
        }
    }
}

fn id(operation: &Value) -> &str {
    operation["operationId"].as_str().unwrap_or_default()
}

/// The key of an answer under which its identifier stands: the first field, as in all resources.
fn identifier(method: &MethodDescriptor) -> Option<String> {
    let first = method.output().get_field(1).filter(|field| !field.is_list())?;
    Some(first.json_name().to_owned())
}

fn links(creator: &str, identifier: &str, targets: &BTreeMap<String, String>) -> Map<String, Value> {
    let Some((service, noun)) = creator.split_once(".Create") else { return Map::new() };
    let mut links = Map::new();
    for verb in ["Get", "Update", "Delete"] {
        let target = format!("{service}.{verb}{noun}");
        let variable = targets.get(&target).and_then(|path| parameter::variables(path).into_iter().next());
        if let Some(variable) = variable {
            let parameters =
                Map::from_iter([(format!("path.{}", variable.field), json!(format!("$response.body#/{identifier}")))]);
            links.insert(verb.to_lowercase(), json!({ "operationId": target, "parameters": parameters }));
        }
    }
    links
}
