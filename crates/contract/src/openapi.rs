//! The HTTP side of the contract for tools that know OpenAPI.

use std::sync::LazyLock;

use crate::packed::unpacked;

/// The OpenAPI 3.1 document, as JSON: every HTTP binding with its parameters, schemas and the text of the contract's comments.
#[must_use]
pub fn openapi() -> &'static str {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
        let text = unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json.gz")));
        // INVARIANT: the build has written a text.
        String::from_utf8(text).unwrap_or_else(|error| unreachable!("the OpenAPI document is no text: {error}"))
    });
    &DOCUMENT
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;
    use crate::METHODS;

    fn document() -> Value {
        serde_json::from_str(openapi()).expect("the document is JSON")
    }

    fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
        let paths = document["paths"].as_object().expect("paths");
        paths
            .iter()
            .flat_map(|(path, item)| {
                item.as_object().into_iter().flatten().map(move |(verb, op)| (path.as_str(), verb.as_str(), op))
            })
            .collect()
    }

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(key, value)| match value {
                Value::String(target) if key == "$ref" => found.push(target),
                _ => references(value, found),
            }),
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_binding_is_an_operation_of_its_own() {
        let document = document();
        let operations = operations(&document);
        let bindings = METHODS.iter().flat_map(|method| method.http);
        // Only clients of before know that path, and no definition has it.
        let bindings = bindings.filter(|binding| binding.template != "/sts/access_token").count();
        let at_root: Vec<_> =
            operations.iter().filter(|(.., op)| op["operationId"].as_str().is_some_and(|id| id.ends_with(".AtRoot"))).collect();
        assert_eq!(operations.len(), bindings + at_root.len());
        let at_root: Vec<_> = at_root.iter().map(|(path, verb, _)| (*path, *verb)).collect();
        assert_eq!(at_root, [("/iam/v1/groups", "post"), ("/iam/v2beta1/groups", "post")]);
        let ids: HashSet<_> = operations.iter().filter_map(|(.., op)| op["operationId"].as_str()).collect();
        assert_eq!(ids.len(), operations.len());
    }

    #[test]
    fn references_have_targets() {
        let document = document();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 200);
        for target in found {
            let pointer = target.strip_prefix('#').expect("a local reference");
            assert!(document.pointer(pointer).is_some(), "{target}");
        }
    }

    #[test]
    fn path_variables_and_parameters_agree() {
        let document = document();
        for (path, verb, operation) in operations(&document) {
            let parameters = operation["parameters"].as_array().expect("parameters");
            let declared: HashSet<_> =
                parameters.iter().filter(|p| p["in"] == "path").filter_map(|p| p["name"].as_str()).collect();
            let in_path: HashSet<_> = path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
            assert_eq!(declared, in_path, "{verb} {path}");
            let names: Vec<_> = parameters.iter().map(|p| (p["in"].as_str(), p["name"].as_str(), p["$ref"].as_str())).collect();
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{verb} {path}");
        }
    }

    #[test]
    fn what_is_created_is_linked_with_what_takes_its_identifier() {
        let document = document();
        for create in ["/iam/v2beta1/groups", "/iam/v2beta1/groups/{uid}"] {
            let links = &document["paths"][create]["post"]["responses"]["200"]["links"];
            let delete = serde_json::json!({
                "operationId": "iam.v2beta1.GroupsService.DeleteGroup",
                "parameters": { "path.uid": "$response.body#/uid" },
            });
            assert_eq!(links["delete"], delete);
        }
        let links = &document["paths"]["/registry/v1/repos/{parent_id}"]["post"]["responses"]["200"]["links"];
        let update = serde_json::json!({
            "operationId": "registry.Registry.UpdateRepo",
            "parameters": { "path.parent_id": "$response.body#/id" },
        });
        assert_eq!(links["update"], update);
        let ids: HashSet<_> =
            operations(&document).into_iter().filter_map(|(.., operation)| operation["operationId"].as_str()).collect();
        let linked = operations(&document).into_iter().filter_map(|(.., op)| op["responses"]["200"]["links"].as_object());
        let targets: Vec<_> = linked.flat_map(|links| links.values()).filter_map(|link| link["operationId"].as_str()).collect();
        assert!(targets.len() > 20 && targets.iter().all(|target| ids.contains(target)), "{targets:?}");
    }

    #[test]
    fn recorded_calls_are_the_examples() {
        let document = document();
        let update = &document["paths"]["/iam/v2beta1/groups/{uid}"]["patch"];
        let request = &update["requestBody"]["content"]["application/json"]["example"];
        let response = &update["responses"]["200"]["content"]["application/json"]["example"];
        assert!(request["description"].is_string() && response["description"] == request["description"]);
        assert_eq!(update["parameters"][0]["example"], response["uid"]);
    }

    #[test]
    fn operations_tell_what_the_contract_tells() {
        let document = document();
        let list = &document["paths"]["/iam/v2beta1/groups"]["get"];
        let names: Vec<_> = list["parameters"].as_array().into_iter().flatten().filter_map(|p| p["name"].as_str()).collect();
        assert!(names.contains(&"uidp.descendantsOf") && names.contains(&"pageSize"), "{names:?}");
        assert_eq!(list["x-provost-access"], serde_json::json!({ "mode": "unscoped", "capabilities": ["groups.list"] }));
        let update = &document["paths"]["/iam/v2beta1/groups/{uid}"]["patch"];
        assert_eq!(update["x-provost-event"], "dev.chainguard.api.iam.group.updated.v1");
        let body = &update["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!((&body["$ref"], &body["required"]), (&Value::from("#/components/schemas/iam.v2beta1.Group"), &Value::Null));
        let create =
            &document["paths"]["/iam/v2beta1/groups/{uid}"]["post"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(create["required"], serde_json::json!(["name"]));
        let group = &document["components"]["schemas"]["iam.v2beta1.Group"];
        assert_eq!(group["properties"]["uid"]["readOnly"], true);
        assert_eq!(group["properties"]["createTime"]["type"], serde_json::json!(["string", "null"]));
        assert_eq!(document["paths"]["/ping/v1/ping"]["get"]["security"], serde_json::json!([]));
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    }
}
