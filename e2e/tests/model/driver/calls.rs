//! Steps as calls of the API.

use std::collections::BTreeMap;

use client::Options;
use serde_json::{Value, json};
use testkit::{Actor, Outcome, Sample, samples};

use super::Driver;
use crate::model::{
    history::{Action, Match, Narrowing, Ref, Step, Wish},
    nouns::Noun,
    rules::address,
};

/// The methods that steps call, by their names.
pub(super) fn methods() -> BTreeMap<&'static str, Sample> {
    let mine = |sample: &Sample| {
        let service = sample.method.service;
        service.contains(".v2beta1.") || [".oidc.", ".auth.", "provost."].iter().any(|part| service.contains(part))
    };
    samples::all().into_iter().filter(mine).map(|sample| (sample.method.name, sample)).collect()
}

impl Driver {
    /// Makes the step's call.
    pub(super) async fn call(&mut self, step: &Step) -> Outcome {
        let actor = match &step.action {
            Action::Exchange { subject, .. } => self.person(subject).await,
            Action::Register { subject, .. } => self.person(subject).await,
            _ => self.actor(step.caller),
        };
        match &step.action {
            Action::Operate => {
                let token = self.server.operator().await.token.expect("operators have a token");
                Outcome { code: "OK".into(), body: json!({"token": token.expose()}), etag: None, warning: None }
            }
            Action::List(list) => self.list(step, &actor, list).await,
            action => self.send(step, &actor, self.request(action)).await,
        }
    }

    /// What is asked of the server.
    fn request(&self, action: &Action) -> Value {
        let uid = |uid: &Ref| Value::from(self.state.uid(uid));
        let optional = |name: &Option<Ref>| name.as_ref().map_or(json!(""), uid);
        match action {
            Action::Exchange { identity, narrowing, .. } => {
                let mut request = self.narrowed(narrowing);
                request["identity"] = optional(identity);
                request
            }
            Action::Narrow { narrowing } => self.narrowed(narrowing),
            Action::Register { invite, .. } => {
                let code = |invite: &Ref| self.state.codes.get(&self.state.uid(invite)).map_or("nonsense", String::as_str);
                json!({ "code": invite.as_ref().map_or("", code) })
            }
            Action::Leave { uid: own } => json!({ "id": uid(own) }),
            Action::Create { parent, wish } => {
                let mut request = json!({ (message(wish.noun)): self.wish(wish) });
                if wish.noun == Noun::OverlayBinding {
                    // What is bound stands beside the place.
                    request = self.wish(wish);
                }
                request["parent"] = optional(parent);
                request
            }
            Action::Batch { parent, role, entries } => {
                let entry = |(identity, role): &(Ref, Option<Ref>)| json!({ "role_binding": { "identity_uid": uid(identity), "role_uid": optional(role) } });
                let requests: Vec<Value> = entries.iter().map(entry).collect();
                json!({ "parent": uid(parent), "requests": requests, "role_uid": optional(role) })
            }
            Action::BatchDelete { parent, names } => {
                json!({ "parent": uid(parent), "names": names.iter().map(uid).collect::<Vec<_>>() })
            }
            Action::Update { uid: of, wish, mask } => {
                let mut wished = self.wish(wish);
                wished["uid"] = uid(of);
                let mut request = json!({ (message(wish.noun)): wished });
                if !mask.is_empty() {
                    request["update_mask"] = camel(&mask.join(",")).into();
                }
                request
            }
            Action::Publish { uid: of, public, .. } => json!({ "uid": uid(of), "public": public }),
            Action::Limit { uid: of, limits } => json!({ "uid": uid(of), "limits": limits }),
            Action::Get { uid: of, .. }
            | Action::Delete { uid: of, .. }
            | Action::Visibility { uid: of, .. }
            | Action::Limits { uid: of } => json!({ "uid": uid(of) }),
            Action::Operate | Action::List(_) => unreachable!("more than one call, or none"),
        }
    }

    pub(super) async fn send(&self, step: &Step, actor: &Actor, request: Value) -> Outcome {
        let if_match = step.if_match.and_then(|wanted| match wanted {
            Match::Any => Some("*".to_owned()),
            Match::Other => Some("\"none\"".to_owned()),
            Match::Seen => {
                let (noun, uid) = match &step.action {
                    Action::Update { uid, wish, .. } => (wish.noun, uid),
                    Action::Delete { noun, uid } | Action::Publish { noun, uid, .. } => (*noun, uid),
                    Action::Limit { uid, .. } => (Noun::Group, uid),
                    _ => return None,
                };
                self.state.find(noun, &self.state.uid(uid))?.seen.as_ref().map(|(_, etag)| etag.clone())
            }
        });
        let options = Options { if_match, validate_only: step.validate_only, ..Options::default() };
        let method = &self.methods[step.action.method().as_str()];
        method.call_as(actor, step.transport, request, &options).await
    }

    /// Somebody with a token of the development issuer, which knows an address of most people.
    async fn person(&self, subject: &str) -> Actor {
        let claims =
            address(subject).map_or(json!({}), |(email, verified)| json!({ "email": email, "email_verified": verified }));
        self.server.bearer(&self.server.mint(subject, self.server.base_url(), claims).await)
    }

    fn narrowed(&self, narrowing: &Narrowing) -> Value {
        let scopes: Vec<String> = narrowing.scopes.iter().map(|scope| self.state.uid(scope)).collect();
        json!({ "scopes": scopes, "cap": narrowing.capabilities })
    }

    /// What is wished as the message that says so.
    fn wish(&self, wish: &Wish) -> Value {
        let mut message = json!({});
        for (path, field) in &wish.fields {
            let mut at = &mut message;
            for part in path.split('.') {
                at = &mut at[part];
            }
            *at = self.state.value(field);
        }
        message
    }
}

/// The value at a path of what a message is as JSON.
pub(super) fn nested<'v>(message: &'v Value, path: &str) -> Option<&'v Value> {
    camel(path).split('.').try_fold(message, |message, part| message.get(part))
}

/// The field that holds one of a noun, such as `role_binding`.
fn message(noun: Noun) -> String {
    let mut name = String::new();
    for letter in noun.declared().one.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Names of fields as JSON has them.
fn camel(name: &str) -> String {
    let mut camel = String::new();
    let mut upper = false;
    for letter in name.chars() {
        match letter {
            '_' => upper = true,
            _ if upper => {
                camel.extend(letter.to_uppercase());
                upper = false;
            }
            _ => camel.push(letter),
        }
    }
    camel
}
