//! Identity providers, and the roles that they give to the members of outside groups.

use serde_json::{Value, json};

use super::rights::Rights;
use crate::model::{
    answer::{Outcome, Refusal, refused, wrong},
    history::Ref,
    nouns::Noun,
    state::{Fields, State, parent},
};

const SECRET: &str = "oidc.client_secret";
const RULE: &str = "oidc.correlation_rule";

impl State {
    /// A mapping gives a role at the organization of its provider, once to each outside group.
    pub(super) fn check_mapping(&self, rights: &Rights, place: &str, wished: &Fields) -> Result<(), Refusal> {
        self.check_gift(rights, wished.text("scope"), "role_uid", wished)?;
        let same = self.all(Noun::Mapping).any(|(at, mapping)| parent(at) == Some(place) && mapping.fields == *wished);
        if same { refused("ALREADY_EXISTS", "DUPLICATE") } else { Ok(()) }
    }

    /// Those that are there go; all of them have to be of that provider.
    pub(super) fn delete_mappings(&mut self, place: &str, names: &[Ref]) -> Outcome {
        let names: Vec<String> = names.iter().map(|name| self.uid(name)).collect();
        let foreign = (0..).zip(&names).filter(|(_, name)| parent(name) != Some(place));
        let foreign: Vec<String> = foreign.map(|(index, _): (usize, _)| format!("names[{index}]")).collect();
        if !foreign.is_empty() {
            return wrong("FIELD", &foreign);
        }
        let mut gone: Vec<Value> = Vec::new();
        for name in names {
            if self.find(Noun::Mapping, &name).is_some() {
                gone.push(self.show(Noun::Mapping, &name));
                self.remove(Noun::Mapping, &name);
            }
        }
        Ok((json!({ "parent": place, "externalGroupRoleMappings": gone }), None))
    }
}

/// Makes of a wish what is to be: a secret that is neither given nor cleared by name stays, and is not for another issuer; how
/// people are found never changes. The fields that are wrong.
///
/// # Errors
/// When people were to be found by another claim.
pub(super) fn merge(
    before: &Fields,
    wished: &mut Fields,
    gives: impl Fn(&str) -> bool,
    mask: &[&str],
) -> Result<Option<String>, Refusal> {
    if by_oid(before) != by_oid(wished) {
        return wrong("IMMUTABLE", &[RULE]);
    }
    wished.set(RULE, before.text(RULE));
    if gives(SECRET) || mask.contains(&SECRET) {
        return Ok(None);
    }
    wished.set(SECRET, before.text(SECRET));
    let to_another = before.get(SECRET).is_some() && wished.get("oidc.issuer") != before.get("oidc.issuer");
    Ok(to_another.then(|| SECRET.to_owned()))
}

fn by_oid(fields: &Fields) -> bool {
    fields.text(RULE) == "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID"
}

/// An issuer is asked by https, and whoever logs in proves it by a secret or by PKCE.
pub(super) fn bad(fields: &Fields) -> Vec<String> {
    let mut bad = Vec::new();
    if !fields.text("oidc.issuer").starts_with("https://") {
        bad.push("oidc.issuer".to_owned());
    }
    if fields.get(SECRET).is_none() && !fields.is("oidc.pkce_enabled") {
        bad.push(SECRET.to_owned());
    }
    bad
}
