//! The examples of the OpenAPI document: sample calls that a server accepted, and what it answered.

use client::{Options, http::Request};
use contract::{
    Body, Method as Rpc, Rpc as _,
    chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup},
};
use http::Method;
use serde_json::{Map, Value, json};
use testkit::{Actor, Does, Place, TestServer, Transport, golden, samples};

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
        let uid = response["uid"].as_str().or_else(|| response["id"].as_str()).unwrap_or_default().to_owned();
        let mut call = json!({ "parameters": parameters, "response": response });
        if let Some(body) = body {
            call["request"] = body;
        }
        self.calls.insert(id.to_owned(), call);
        uid
    }

    /// Makes a call with this request by the method's first HTTP binding, in which every variable is called `uid`.
    async fn sample(&mut self, method: &Rpc, request: Value) -> String {
        let rule = method.http.first().expect("it has an HTTP binding");
        let mut fields = samples::canonical(method, request);
        let (mut path, mut parameters) = (rule.template.to_owned(), Map::new());
        if let Some((before, variable)) = rule.template.split_once('{') {
            let (variable, after) = variable.split_once('}').expect("a closed variable");
            let mut at = &mut fields;
            let mut steps: Vec<_> = variable.split('=').next().unwrap_or_default().split('.').map(camel).collect();
            let last = steps.pop().expect("a variable has a name");
            for step in steps {
                at = at.get_mut(&step).and_then(Value::as_object_mut).expect("a message");
            }
            parameters.insert("uid".to_owned(), at.remove(&last).expect("it is there"));
            path = format!("{before}{{uid}}{after}");
        }
        let body = match rule.body {
            Body::None => None,
            Body::All => Some(Value::Object(std::mem::take(&mut fields))),
            Body::Field(name) => fields.remove(&camel(name)),
        };
        flatten("", Value::Object(fields), &mut parameters);
        let id = format!("{}.{}", method.service.trim_start_matches("chainguard.platform."), method.name);
        let verb = Method::from_bytes(rule.verb.as_str().as_bytes()).expect("an HTTP method");
        self.call(&id, verb, &path, Value::Object(parameters), body).await
    }
}

/// Methods that find nothing beside the examples.
const NOTHING_THERE: [&str; 9] = [
    "AppendAdvisoryDocuments",
    "GetAdvisoryImport",
    "Lookup",
    "RequestGroupAccess",
    "GetAccessRequest",
    "RefuseAccessRequest",
    "GrantAccessRequest",
    "GetPackageVersionMetadata",
    "ListResolvedVulnsReports",
];

/// Stands for the caller's identifier, which follows from the server's URL, and that has another port each time.
const ADMIN: &str = "b1577433445d207b9a9be635c5581c901b60810c";

/// The JSON name of a field.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| camel + &word[..1].to_uppercase() + &word[1..])
}

fn flatten(prefix: &str, value: Value, parameters: &mut Map<String, Value>) {
    match value {
        Value::Object(fields) => fields.into_iter().for_each(|(name, value)| {
            flatten(&if prefix.is_empty() { name } else { format!("{prefix}.{name}") }, value, parameters);
        }),
        other => _ = parameters.insert(prefix.to_owned(), other),
    }
}

#[tokio::test]
async fn the_examples_are_what_a_server_answered() {
    let server = TestServer::start().await;
    let mut recorder = Recorder { actor: server.admin(), calls: Map::new() };
    let acme = json!({ "name": "acme", "description": "Everything of Acme." });
    let id = "iam.v2beta1.GroupsService.CreateGroup.AtRoot";
    let org = recorder.call(id, Method::POST, "/iam/v2beta1/groups", json!({}), Some(acme)).await;
    // In a folder of its own there is nothing but what the examples make.
    let folder = Group { name: "shop".into(), ..Group::default() };
    let folder = recorder.actor.must::<CreateGroup>(CreateGroupRequest { parent: org, group: Some(folder) }).await.uid;
    let mut place = Place::empty(folder.parse().expect("a UIDP"));
    for sample in samples::all() {
        // What has no HTTP binding is not in the document.
        if sample.method.http.is_empty() {
            continue;
        }
        let request = match sample.does {
            Does::List(_) if sample.takes("page_size") => json!({ "uidp": { "children_of": folder }, "page_size": 50 }),
            Does::List(_) if sample.takes("uidp") => json!({ "uidp": { "children_of": folder } }),
            // The other version makes it again where it was.
            Does::Delete("account_association") => {
                let gone = sample.call(&recorder.actor, Transport::Grpc, &place, &Options::default()).await;
                assert_eq!(gone.code, "OK", "{:#}", gone.body);
                continue;
            }
            // Nobody is registered who could be found, nobody has asked for access, and no package has versions.
            _ if NOTHING_THERE.contains(&sample.method.name) => continue,
            // The caller would be gone.
            _ if sample.method.path == contract::chainguard::platform::auth::rpc::Delete::METHOD.path => continue,
            // What is deleted says nothing, what takes other calls has no example, and what asks for nothing needs none.
            Does::Delete(_) | Does::Act(_) => continue,
            _ => sample.request(&place),
        };
        if request.as_object().is_none_or(Map::is_empty) {
            continue;
        }
        recorder.actor = if sample.is_for_operators() { server.operator().await } else { server.admin() };
        let uid = recorder.sample(sample.method, request).await;
        if let Does::Make(noun) = sample.does
            && !place.has(noun)
        {
            place.put(noun, &uid);
        }
    }
    let calls = format!("{:#}\n", Value::Object(recorder.calls)).replace(server.admin_uid().as_str(), ADMIN);
    golden("docs/api/examples.json", &calls);
    server.stop().await;
}
