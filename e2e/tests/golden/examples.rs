//! The examples of the OpenAPI document: requests that a server accepted, and what it answered.

use client::http::Request;
use domain::iam::role::built_in_uid;
use http::Method;
use serde_json::{Map, Value, json};
use testkit::{Actor, TestServer, golden};

/// What is recorded, by the identifier of the operation.
struct Recorder {
    actor: Actor,
    calls: Map<String, Value>,
}

impl Recorder {
    /// Makes a call, which must succeed, and answers the identifier in its answer. Parameters that the path does not name go
    /// to the query.
    async fn call(&mut self, id: &str, verb: Method, path: &str, parameters: Value, body: Option<Value>) -> String {
        let mut filled = path.to_owned();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in parameters.as_object().expect("parameters by name") {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let variable = format!("{{{name}}}");
            if filled.contains(&variable) {
                filled = filled.replace(&variable, &text);
            } else {
                query.append_pair(name, &text);
            }
        }
        let request = Request::new(verb, format!("{filled}?{}", query.finish()));
        let request = if let Some(body) = &body { request.json(body) } else { request };
        let answer = self.actor.http(request).await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.text());
        let response = answer.json();
        let uid = response["uid"].as_str().unwrap_or_default().to_owned();
        let mut call = json!({ "parameters": parameters, "response": response });
        if let Some(body) = body {
            call["request"] = body;
        }
        self.calls.insert(id.to_owned(), call);
        uid
    }

    /// Creates, reads, changes and lists one resource below `parent`.
    async fn noun(&mut self, service: &str, noun: &str, path: &str, parent: &str, body: Value, change: Value) -> String {
        let at = format!("{path}/{{uid}}");
        let uid = self.call(&format!("{service}.Create{noun}"), Method::POST, &at, json!({ "uid": parent }), Some(body)).await;
        self.call(&format!("{service}.Get{noun}"), Method::GET, &at, json!({ "uid": uid }), None).await;
        self.call(&format!("{service}.Update{noun}"), Method::PATCH, &at, json!({ "uid": uid }), Some(change)).await;
        let plural = if noun.ends_with('y') { noun.trim_end_matches('y').to_owned() + "ies" } else { format!("{noun}s") };
        let wish = json!({ "uidp.childrenOf": parent, "pageSize": 50 });
        self.call(&format!("{service}.List{plural}"), Method::GET, path, wish, None).await;
        uid
    }
}

#[tokio::test]
async fn the_examples_are_what_a_server_answered() {
    const IAM: &str = "iam.v2beta1";
    let server = TestServer::start().await;
    let mut recorder = Recorder { actor: server.admin(), calls: Map::new() };
    let groups = format!("/{}/groups", IAM.replace('.', "/"));

    let acme = json!({ "name": "acme", "description": "Everything of Acme." });
    let org =
        recorder.call(&format!("{IAM}.GroupsService.CreateGroup.AtRoot"), Method::POST, &groups, json!({}), Some(acme)).await;
    let team = json!({ "name": "team-a", "description": "Builds the shop." });
    let folder = recorder
        .noun(&format!("{IAM}.GroupsService"), "Group", &groups, &org, team, json!({ "description": "Runs the shop." }))
        .await;

    let ci = json!({
        "name": "ci",
        "description": "Builds of the main branch.",
        "claimMatch": {
            "issuer": "https://token.actions.githubusercontent.com",
            "subject": "repo:acme/shop:ref:refs/heads/main",
            "claims": { "repository_owner": "acme" },
        },
    });
    let identities = format!("/{}/identities", IAM.replace('.', "/"));
    let change = json!({ "description": "Builds of the shop." });
    let identity = recorder.noun(&format!("{IAM}.IdentitiesService"), "Identity", &identities, &folder, ci, change).await;
    let lookup = json!({ "issuer": "https://accounts.example.com", "subject": "somebody" });
    let path = format!("{identities}:lookupIdentity");
    recorder.call(&format!("{IAM}.IdentitiesService.LookupIdentity"), Method::GET, &path, lookup, None).await;

    let publisher = json!({ "name": "publisher", "capabilities": ["CAP_REPO_LIST", "CAP_TAG_CREATE"] });
    let roles = format!("/{}/roles", IAM.replace('.', "/"));
    let change = json!({ "capabilities": ["CAP_REPO_LIST", "CAP_TAG_LIST", "CAP_TAG_CREATE"] });
    let role = recorder.noun(&format!("{IAM}.RolesService"), "Role", &roles, &folder, publisher, change).await;

    let bindings = format!("/{}/roleBindings", IAM.replace('.', "/"));
    let binding = json!({ "identityUid": identity, "roleUid": role });
    let change = json!({ "roleUid": built_in_uid("registry.push") });
    recorder.noun(&format!("{IAM}.RoleBindingsService"), "RoleBinding", &bindings, &folder, binding, change).await;
    let batch = json!({ "parent": folder, "requests": [
        { "parent": folder, "roleBinding": { "identityUid": identity, "roleUid": built_in_uid("apk.pull") } },
    ] });
    let path = format!("{bindings}:batchCreate");
    recorder
        .call(&format!("{IAM}.RoleBindingsService.BatchCreateRoleBindings"), Method::POST, &path, json!({}), Some(batch))
        .await;

    let shop = json!({ "name": "shop", "catalogTier": "CATALOG_TIER_BASE", "activeTags": ["latest"] });
    let change = json!({ "description": "The shop's front end." });
    recorder.noun("registry.v2beta1.ReposService", "Repo", "/registry/v2beta1/repos", &folder, shop, change).await;

    golden("docs/api/examples.json", &format!("{:#}\n", Value::Object(recorder.calls)));
    server.stop().await;
}
