//! Carries out steps on a real server and on the model, and compares.

mod calls;
mod compare;
mod pages;

use std::{collections::BTreeMap, fmt, sync::Arc};

use domain::Clock as _;
use serde_json::Value;
use testkit::{Actor, Outcome, Sample, TestServer};

use self::calls::nested;
use crate::model::{
    answer::Answer,
    history::{Action, Caller, Ref, Step},
    nouns::Noun,
    rules::Given,
    state::{Fields, State, Thing, instant},
};

/// A server, and the model of it.
pub(crate) struct Driver {
    server: TestServer,
    /// How methods are called, by their names.
    methods: BTreeMap<&'static str, Sample>,
    pub(crate) state: State,
    /// An operator with a fresh token, who sees everything.
    eye: Actor,
    eye_opened: i64,
}

/// Where server and model part.
#[derive(Debug)]
pub(crate) struct Disagreement {
    pub(crate) step: usize,
    expected: String,
    got: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at step {}\nthe model expects {}\nthe server answers {}", self.step, self.expected, self.got)
    }
}

impl Driver {
    /// A new server, and a model that knows what a new server has.
    pub(crate) async fn begin() -> Self {
        let server = TestServer::start().await;
        // Histories are short: with the stride of a server in use no page would be found by ranks.
        server.store().set_rank_stride(2);
        let (eye, now) = (server.operator().await, server.clock().now().0);
        let admin = server.admin_uid().to_string();
        let users = BTreeMap::from([("admin".to_owned(), admin.clone())]);
        let state = State { now, issuer: server.issuer(), admin, users, ..State::default() };
        let mut driver = Self { server, methods: calls::methods(), state, eye, eye_opened: now };
        for noun in Noun::ALL {
            for row in driver.everything(noun).await {
                let number = driver.state.size();
                assert_eq!(row["createTime"], instant(now), "a new server is as old as the test");
                let uid = row["uid"].as_str().expect("a uid").to_owned();
                let thing = Thing { created: now, updated: now, version: 1, seen: None, fields: read(noun, &row) };
                driver.state.names.insert(Ref::Initial(number), uid.clone());
                driver.state.things.entry(noun).or_default().insert(uid, Arc::new(thing));
            }
        }
        driver
    }

    /// Stops the server. How many pages it found by ranks.
    pub(crate) async fn end(self) -> f64 {
        let by_ranks = self.server.metrics().await.sum("provost_store_skips_total", &[("by", "ranks")]);
        self.server.stop().await;
        by_ranks
    }

    /// Carries out a step; what both answer.
    ///
    /// # Errors
    /// When the server's answer is not the model's.
    pub(crate) async fn step(&mut self, step: &Step) -> Result<Answer, Disagreement> {
        self.server.clock().advance_seconds(step.wait);
        self.state.now = self.server.clock().now().0;
        let mut outcome = self.call(step).await;
        let given = self.given(step, &mut outcome).await;
        let answer = self.state.carry_out(step, &given);
        let differs = |expected: String, got: &Outcome| Disagreement {
            step: step.number,
            expected,
            got: format!("{} {:#}", got.code, got.body),
        };
        match &answer {
            Answer::Done { body: Value::Array(rows), .. } => {
                let Action::List(list) = &step.action else { unreachable!("only lists answer lists") };
                pages::compare(list, rows, &outcome).map_err(|expected| differs(expected, &outcome))?;
            }
            Answer::Done { body, tagged } => {
                if outcome.code != "OK" || compare::normal(body) != compare::normal(&outcome.body) {
                    return Err(differs(format!("OK {body:#}"), &outcome));
                }
                if let Some((noun, uid)) = tagged {
                    self.compare_etag(step, *noun, uid, outcome.etag.as_deref())
                        .map_err(|expected| differs(expected, &outcome))?;
                }
            }
            Answer::Refused(refusal) => {
                if compare::refusal(&outcome).as_ref() != Some(refusal) {
                    return Err(differs(format!("{refusal:?}"), &outcome));
                }
            }
        }
        Ok(answer)
    }

    /// Compares everything there is.
    ///
    /// # Errors
    /// When server and model do not have the same.
    pub(crate) async fn compare_everything(&mut self, step: usize) -> Result<(), Disagreement> {
        for noun in Noun::ALL {
            let got = compare::normal(&Value::Array(self.everything(noun).await));
            let expected: Vec<Value> = self.state.all(noun).map(|(uid, _)| self.state.show(noun, uid)).collect();
            let expected = compare::normal(&Value::Array(expected));
            if got != expected {
                return Err(Disagreement { step, expected: format!("{expected:#}"), got: format!("{got:#}") });
            }
        }
        Ok(())
    }

    /// An unchanged thing has the entity tag that it had, a changed one another.
    fn compare_etag(&mut self, step: &Step, noun: Noun, uid: &str, etag: Option<&str>) -> Result<(), String> {
        let Some(etag) = etag else { return Err("an entity tag".to_owned()) };
        let Some(thing) = self.state.find_mut(noun, uid).filter(|_| !step.validate_only) else { return Ok(()) };
        if let Some((version, seen)) = &thing.seen
            && (*version == thing.version) != (seen == etag)
        {
            return Err(format!("version {} not to be tagged {etag}: version {version} was {seen}", thing.version));
        }
        thing.seen = Some((thing.version, etag.to_owned()));
        Ok(())
    }

    /// Takes out of an answer what only the server can know.
    async fn given(&mut self, step: &Step, outcome: &mut Outcome) -> Given {
        let mut given = Given::default();
        if outcome.code != "OK" {
            return given;
        }
        let body = &mut outcome.body;
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        match &step.action {
            Action::Create { parent, wish } => {
                given.uids.extend(text(&body["uid"]));
                let creator = match step.caller {
                    Caller::Bearer(token) => self.state.tokens[&token].identity.clone(),
                    _ => None,
                };
                if let (None, Some(creator), Some(uid)) = (parent, creator, given.uids.first())
                    && !step.validate_only
                {
                    given.binding = self.binding_of(uid, &creator, "").await;
                }
                if wish.noun == Noun::Invite {
                    given.code = text(&body["code"]);
                    given.key = text(&body["keyId"]).unwrap_or_default();
                    body["code"] = given.code.as_ref().map_or("", |_| "some").into();
                }
            }
            Action::Batch { .. } => {
                let made = body["roleBindings"].as_array().into_iter().flatten();
                given.uids.extend(made.filter_map(|binding| text(&binding["uid"])));
            }
            Action::Register { invite: offer, .. } => {
                given.uids.extend(text(&body["identity"]));
                let offer = offer.as_ref().and_then(|offer| self.state.find(Noun::Invite, &self.state.uid(offer)));
                let role = offer.map(|offer| offer.fields.text("role_uid").to_owned());
                if let (Some(group), Some(role), Some(user)) = (text(&body["group"]), role, given.uids.first()) {
                    given.binding = self.binding_of(&group, user, &role).await;
                }
            }
            Action::Operate | Action::Exchange { .. } | Action::Narrow { .. } => {
                let token = body.as_object_mut().and_then(|body| body.remove("token"));
                given.token = token.and_then(|token| token.as_str().map(str::to_owned));
                if text(&body["refreshToken"]).is_some() {
                    body["refreshToken"] = "some".into();
                }
            }
            _ => {}
        }
        given
    }

    async fn eye(&mut self) -> Actor {
        let now = self.server.clock().now().0;
        if now > self.eye_opened + 500_000 {
            (self.eye, self.eye_opened) = (self.server.operator().await, now);
        }
        self.eye.clone()
    }

    /// Whoever calls.
    fn actor(&self, caller: Caller) -> Actor {
        match caller {
            Caller::Garbage => self.server.bearer("garbage"),
            Caller::Bearer(step) if self.state.tokens.contains_key(&step) => self.server.bearer(&self.state.tokens[&step].text),
            Caller::Nobody | Caller::Bearer(_) => self.server.nobody(),
        }
    }
}

/// Reads a thing of a new server.
fn read(noun: Noun, row: &Value) -> Fields {
    let mut fields = Fields::default();
    for path in noun.declared().fields.iter().copied() {
        fields.set(path, nested(row, path).cloned().unwrap_or_default());
    }
    fields
}
