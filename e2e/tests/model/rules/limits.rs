//! How much organizations may have.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::rights::Rights;
use crate::model::{
    answer::{Outcome, Refusal, check, not_found, refused, wrong},
    history::Step,
    nouns::Noun,
    state::{State, parent, root},
};

impl State {
    /// Operators say it for organizations, of what can be limited.
    pub(super) fn limit(&mut self, step: &Step, rights: &Rights, uid: String, limits: &BTreeMap<&'static str, i32>) -> Outcome {
        rights.require(Noun::Group.declared().update, &uid)?;
        let unknown = limits.keys().filter(|kind| !Noun::ALL.iter().any(|noun| noun.declared().limited == Some(**kind)));
        check(&unknown.map(|kind| format!("limits[\"{kind}\"]")).collect::<Vec<_>>())?;
        rights.require_operator()?;
        if parent(&uid).is_some() {
            return wrong("FIELD", &["uid"]);
        }
        if self.find(Noun::Group, &uid).is_none() {
            return not_found();
        }
        self.check_version(step.if_match, Noun::Group, &uid)?;
        let limits = json!(limits);
        if self.limits(&uid) != limits {
            self.change(Noun::Group, &uid, |fields| fields.set("limits", limits));
        }
        self.used(uid)
    }

    /// What an organization may have and has.
    pub(super) fn used(&self, uid: String) -> Outcome {
        if parent(&uid).is_some() {
            return wrong("FIELD", &["uid"]);
        }
        if self.find(Noun::Group, &uid).is_none() {
            return not_found();
        }
        let limited = Noun::ALL.into_iter().filter_map(|noun| Some((noun, noun.declared().limited?)));
        let used: Map<String, Value> =
            limited.map(|(noun, kind)| (kind.to_owned(), self.count(noun, &uid).to_string().into())).collect();
        Ok((json!({ "uid": uid, "limits": self.limits(&uid), "used": used }), Some((Noun::Group, uid))))
    }

    /// One more has to be within the limit of its organization.
    pub(super) fn check_room(&self, noun: Noun, place: &str) -> Result<(), Refusal> {
        let Some(kind) = noun.declared().limited else { return Ok(()) };
        let organization = root(place);
        let most = self.limits(organization)[kind].as_u64();
        let is_full = most.is_some_and(|most| self.count(noun, organization) as u64 >= most);
        if is_full { refused("FAILED_PRECONDITION", "GROUP_FULL") } else { Ok(()) }
    }

    /// The limits of an organization; a folder has none of its own.
    pub(crate) fn limits(&self, organization: &str) -> Value {
        self.of(Noun::Group, organization).get("limits").cloned().unwrap_or_else(|| json!({}))
    }

    /// How many of a noun are in an organization and its folders.
    fn count(&self, noun: Noun, organization: &str) -> usize {
        self.all(noun).filter(|(uid, _)| *uid != organization && root(uid) == organization).count()
    }
}
