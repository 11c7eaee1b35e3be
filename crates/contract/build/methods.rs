//! Generates the method table and one marker type per RPC.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, MethodDescriptor, Value};

use crate::{Result, aliases, compile::Compiled, messages, names, options, shapes};

/// Paths of published clients that the published definitions do not have, which reflection shows, byte for byte: they lead to these methods
/// as well. Clients of before v0.1.142 renew sessions there, with a JSON body.
const OLDER_PATHS: [(&str, &str); 1] =
    [("chainguard.platform.oidc.SecurityTokenService.ExchangeRefreshToken", "/sts/access_token")];

/// Writes `methods.rs` (the table) and adds a module `rpc` to every package that has services.
pub(crate) fn generate(compiled: &Compiled, out: &Path) -> Result<()> {
    let mut table = String::new();
    let mut markers: BTreeMap<String, Vec<(usize, MethodDescriptor)>> = BTreeMap::new();
    let services = compiled.files().flat_map(|file| file.services().collect::<Vec<_>>());
    let methods = services.flat_map(|service| service.methods().collect::<Vec<_>>());
    let mut beta_only = Vec::new();
    for (index, method) in methods.enumerate() {
        let rule = row(&mut table, index, &method)?;
        if rule.beta_only {
            beta_only.extend(rule.collections);
        }
        let package = method.parent_service().package_name().to_owned();
        markers.entry(package).or_default().push((index, method));
    }
    beta_only.dedup();
    let count = markers.values().map(Vec::len).sum::<usize>();
    fs::write(
        out.join("methods.rs"),
        format!(
            "/// Collections of the `v2beta1` paths that have no `v2` form.\n\
             const BETA_ONLY: &[&str] = &{beta_only:?};\n\
             pub(crate) static TABLE: [Method; {count}] = [\n{table}];\n"
        ),
    )?;
    for (package, methods) in markers {
        messages::append(&out.join(names::package_file(&package)), &rpc_module(&methods)?)?;
    }
    Ok(())
}

/// What the table as a whole needs to know about one method.
struct Row {
    beta_only: bool,
    collections: Vec<String>,
}

fn row(table: &mut String, index: usize, method: &MethodDescriptor) -> Result<Row> {
    if method.is_client_streaming() || method.is_server_streaming() {
        return Err(format!("{}: streaming methods are not supported", method.full_name()).into());
    }
    let service = method.parent_service().full_name();
    let path = format!("/{service}/{}", method.name());
    let file = method.parent_file();
    let aliased = aliases::is_aliased(file.name());
    let alias = aliased.then(|| aliases::rename(&path));
    let rules = http_rules(method)?;
    let mcp = options::of_method(method, "chainguard.annotations.mcp");
    let hint = |name: &str| mcp.as_ref().is_some_and(|mcp| options::flag(mcp, name));
    let description = mcp.as_ref().map(|mcp| options::text(mcp, "description")).unwrap_or_default();
    let older = OLDER_PATHS.iter().filter(|(name, _)| *name == method.full_name());
    let older = older.map(|(_, path)| Rule { verb: "Post", template: (*path).to_owned(), body: String::new() });
    let http: Vec<_> = rules.iter().map(Rule::code).chain(older.map(|rule| rule.code())).collect();
    writeln!(
        table,
        "Method {{ index: {index}, name: {:?}, service: {service:?}, path: {path:?}, alias: {alias:?}, request: {:?}, response: {:?}, \
         http: &[{}], access: {}, event: {}, description: {description:?}, read_only: {}, destructive: {}, idempotent: {}, \
         hidden: {}, deprecated: {}, secret_response: {}, scope: &[{}], shape: &{} }},",
        method.name(),
        method.input().full_name(),
        method.output().full_name(),
        http.join(", "),
        access_code(method),
        event(method),
        hint("read_only") || rules.first().is_some_and(|rule| rule.verb == "Get"),
        hint("destructive"),
        hint("idempotent"),
        hint("hidden"),
        method.method_descriptor_proto().options.as_ref().is_some_and(prost_types::MethodOptions::deprecated),
        has_secret(&method.output(), &mut HashSet::new()),
        scope(&method.input())?,
        shapes::path(&method.input()),
    )?;
    let versioned = file.name().contains("/v2beta1/");
    let collections = rules.iter().filter_map(|rule| Some(rule.template.split('/').nth(3)?.to_owned())).collect();
    Ok(Row { beta_only: versioned && !aliased, collections })
}

/// The fields that lead to the text which says where a request acts, as `Message::scope` goes.
fn scope(message: &MessageDescriptor) -> Result<String> {
    let Some(field) = options::fields(message).into_iter().find(options::is_scope) else { return Ok(String::new()) };
    let below = match field.kind() {
        _ if field.is_list() || field.is_map() || field.containing_oneof().is_some() => None,
        Kind::Message(inner) => Some(scope(&inner)?),
        Kind::String => Some(String::new()),
        _ => None,
    };
    let below =
        below.ok_or_else(|| format!("{}: a scope is a text of its own, or in a message of its own", field.full_name()))?;
    let (number, name, json_name) = (field.number(), field.name(), field.json_name());
    Ok(format!("ScopeField {{ number: {number}, name: {name:?}, json_name: {json_name:?} }}, {below}"))
}

/// An HTTP binding.
pub(crate) struct Rule {
    /// The verb, named as in `Verb`.
    pub(crate) verb: &'static str,
    /// The path template.
    pub(crate) template: String,
    /// The field that the body holds, `*`, or nothing.
    pub(crate) body: String,
}

impl Rule {
    fn code(&self) -> String {
        let body = match self.body.as_str() {
            "" => "Body::None".to_owned(),
            "*" => "Body::All".to_owned(),
            field => format!("Body::Field({field:?})"),
        };
        format!("HttpRule {{ verb: Verb::{}, template: {:?}, body: {body} }}", self.verb, self.template)
    }
}

/// The HTTP bindings of a method, the primary one first.
pub(crate) fn http_rules(method: &MethodDescriptor) -> Result<Vec<Rule>> {
    let Some(first) = options::of_method(method, "google.api.http") else { return Ok(Vec::new()) };
    let mut rules = vec![http_rule(method, &first)?];
    if let Some(Value::List(more)) = first.get_field_by_name("additional_bindings").as_deref() {
        for rule in more.iter().filter_map(Value::as_message) {
            rules.push(http_rule(method, rule)?);
        }
    }
    Ok(rules)
}

fn http_rule(method: &MethodDescriptor, rule: &DynamicMessage) -> Result<Rule> {
    let verbs = [("get", "Get"), ("put", "Put"), ("post", "Post"), ("delete", "Delete"), ("patch", "Patch")];
    let found = verbs.into_iter().find(|(field, _)| rule.has_field_by_name(field));
    let (field, verb) = found.ok_or_else(|| format!("{}: an HTTP rule without a path", method.full_name()))?;
    Ok(Rule { verb, template: options::text(rule, field), body: options::text(rule, "body") })
}

/// Who may call a method.
pub(crate) enum Access {
    /// The contract does not say.
    Undeclared,
    /// Anybody.
    Public,
    /// Who holds these capabilities, by number; `unscoped` limits results instead of refusing.
    Declared { unscoped: bool, capabilities: Vec<i32> },
}

/// Who may call the method.
pub(crate) fn access(method: &MethodDescriptor) -> Access {
    let Some(iam) = options::of_method(method, "chainguard.annotations.iam") else { return Access::Undeclared };
    if iam.has_field_by_name("disabled") {
        return Access::Public;
    }
    let enabled = iam.get_field_by_name("enabled").filter(|_| iam.has_field_by_name("enabled"));
    let Some(Value::Message(rules)) = enabled.as_deref() else { return Access::Undeclared };
    let capabilities = match rules.get_field_by_name("capabilities").as_deref() {
        Some(Value::List(list)) => list.iter().filter_map(Value::as_enum_number).collect(),
        _ => Vec::new(),
    };
    Access::Declared { unscoped: options::flag(rules, "unscoped"), capabilities }
}

/// The dotted names of capabilities.
pub(crate) fn capability_names(method: &MethodDescriptor, numbers: &[i32]) -> Vec<String> {
    let pool = method.parent_pool();
    let name = |number: &i32| {
        let value = pool.get_enum_by_name("chainguard.capabilities.Capability")?.get_value(*number)?;
        let name = options::extension(pool, &value.options(), "chainguard.capabilities.name")?;
        Some(name.as_str()?.to_owned())
    };
    numbers.iter().filter_map(name).collect()
}

/// The type of the event that a method announces.
pub(crate) fn event_type(method: &MethodDescriptor) -> Option<String> {
    options::of_method(method, "chainguard.annotations.events").map(|event| options::text(&event, "type"))
}

fn access_code(method: &MethodDescriptor) -> String {
    match access(method) {
        Access::Undeclared => "Access::Undeclared".to_owned(),
        Access::Public => "Access::Public".to_owned(),
        Access::Declared { unscoped: true, capabilities } => format!("Access::Unscoped(&{capabilities:?})"),
        Access::Declared { unscoped: false, capabilities } => format!("Access::Scoped(&{capabilities:?})"),
    }
}

fn event(method: &MethodDescriptor) -> String {
    let Some(event) = options::of_method(method, "chainguard.annotations.events") else { return "None".to_owned() };
    let extensions: Vec<String> = match event.get_field_by_name("extensions").as_deref() {
        Some(Value::List(list)) => list.iter().filter_map(|value| Some(value.as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    };
    let customer = event.get_field_by_name("audience").and_then(|value| value.as_enum_number()) == Some(1);
    let kind = options::text(&event, "type");
    format!("Some(Event {{ kind: {kind:?}, extensions: &{extensions:?}, customer: {customer} }})")
}

/// Whether an answer may hold a secret; fields that are only ever sent to the server do not count.
fn has_secret(message: &MessageDescriptor, seen: &mut HashSet<String>) -> bool {
    seen.insert(message.full_name().to_owned())
        && message.fields().any(|field| {
            let inner = match field.kind() {
                Kind::Message(inner) => has_secret(&inner, seen),
                _ => false,
            };
            !options::is_brought(&field) && (options::is_secret(&field) || inner)
        })
}

/// One marker per method; where a package uses a method name twice, the service's name goes in front.
fn rpc_module(methods: &[(usize, MethodDescriptor)]) -> Result<String> {
    let mut code = "\n/// The RPCs of this package, one marker type each.\npub mod rpc {\n".to_owned();
    for (index, method) in methods {
        let shared = methods.iter().filter(|(_, other)| other.name() == method.name()).count() > 1;
        let prefix = if shared { method.parent_service().name().to_owned() } else { String::new() };
        let (name, full_name) = (format!("{prefix}{}", method.name()), method.full_name());
        let (request, response) = (names::message(&method.input()), names::message(&method.output()));
        write!(
            code,
            "/// `{full_name}`\n#[derive(Clone, Copy, Debug)]\npub struct {name};\n\
             impl crate::Rpc for {name} {{ const METHOD: &'static crate::Method = &crate::method::TABLE[{index}]; \
             type Request = {request}; type Response = {response}; }}\n"
        )?;
    }
    code.push_str("}\n");
    Ok(code)
}
