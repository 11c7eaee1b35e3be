//! What things are wished to be: mostly possible, now and then nonsense.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Generator, NAMES, SUBJECTS};
use crate::model::{
    history::{Field, Ref, Wish},
    nouns::Noun,
    rules::INTERNAL_ONLY,
    state::State,
};

const BAD_NAMES: &[&str] = &["", "Bad", "line\nbreak", "é"];
const DESCRIPTIONS: &[&str] = &["", "", "text", "more text", "ü", "two\nlines"];
const TAGS: &[&str] = &["latest", "1.2", "_x", "edge-dev", "1.2-r3"];
const BAD_TAGS: &[&str] = &["", ".hidden", "a b", "a/b"];
const TIERS: &[&str] = &["", "CATALOG_TIER_APPLICATION", "CATALOG_TIER_BASE", "CATALOG_TIER_FIPS"];
const PRINCIPALS: &[&str] = &["COSIGNED", "INGESTER"];
const ISSUERS: &[&str] = &["https://login.example.com", "https://login.example.com", "https://sso.example.com"];
const RULES: &[&str] = &["CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID", "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID"];
const TIMES: &[&str] = &["1s", "30s", "90s", "3600s", "86400s", "31536000s"];
const ADDRESSES: &[&str] = &["s1@example.com", "s1@example.com", "s3@example.com", "nobody"];

/// Fields as they are gathered: what is empty is not sent.
struct Sent(BTreeMap<&'static str, Field>);

impl Sent {
    fn is(&mut self, path: &'static str, value: impl Into<Value>) {
        let value = value.into();
        if ![json!(""), json!(false), json!([])].contains(&value) {
            self.0.insert(path, Field::Is(value));
        }
    }

    fn uid(&mut self, path: &'static str, uid: Ref) {
        self.0.insert(path, Field::Uid(uid));
    }
}

impl Generator {
    /// What one of these at a place might be.
    #[expect(clippy::too_many_lines, reason = "one noun after the other")]
    pub(super) fn wish(&mut self, state: &State, noun: Noun, at: Option<&Ref>) -> Wish {
        let nowhere = Ref::Nowhere;
        let at = at.unwrap_or(&nowhere);
        let mut sent = Sent(BTreeMap::new());
        if noun.has_name() && noun != Noun::Tag {
            // Few, where each may be there once.
            let unique = matches!(noun, Noun::Repo | Noun::Overlay) && !self.random.one_in(3);
            sent.is("name", self.mostly(25, if unique { &NAMES[..2] } else { NAMES }, BAD_NAMES));
        }
        if noun.declared().fields.contains(&"description") && self.random.one_in(3) {
            sent.is("description", self.random.pick(DESCRIPTIONS));
        }
        match noun {
            Noun::Group => self.group(&mut sent, at),
            Noun::Identity => {
                let mut subject = self.random.pick(SUBJECTS);
                let proof = self.random.below(12);
                if proof < 3 {
                    sent.is("service_principal", format!("SERVICE_PRINCIPAL_{}", self.random.pick(PRINCIPALS)));
                } else {
                    if proof == 3 {
                        subject = self.random.pick(&["", "s4"]);
                    }
                    sent.0.insert("claim_match.issuer", Field::Issuer);
                    // One of several kinds of subject: it counts as sent even where it is empty.
                    sent.0.insert("claim_match.subject", Field::Is(subject.into()));
                }
            }
            Noun::Role => {
                let mut capabilities: BTreeSet<&str> = self.capabilities().into_iter().map(|capability| capability.1).collect();
                if !self.random.one_in(12) {
                    capabilities.remove(INTERNAL_ONLY);
                }
                if self.random.one_in(15) {
                    capabilities.clear();
                }
                sent.is("capabilities", capabilities.into_iter().collect::<Vec<_>>());
            }
            Noun::Binding => {
                sent.uid("identity_uid", self.near(state, Noun::Identity, at));
                sent.uid("role_uid", self.role(state));
            }
            Noun::Provider => {
                sent.uid("default_role", self.role(state));
                sent.is("oidc.issuer", self.mostly(25, ISSUERS, &["http://plain.example.com"]));
                sent.is("oidc.client_id", self.mostly(25, &["provost"], &[""]));
                sent.is("oidc.client_secret", self.random.pick(&["", "", "secret", "another"]));
                sent.is("oidc.groups_claim", self.random.pick(&["", "groups", "teams"]));
                sent.is("oidc.correlation_rule", self.mostly(3, &[""], RULES));
                sent.is("oidc.pkce_enabled", !self.random.one_in(4));
            }
            Noun::Mapping => {
                sent.is("external_group_id", self.mostly(25, &["G1", "G1", "g1"], &[""]));
                sent.uid("role_uid", self.role(state));
                let organization = state.names.iter().find(|(_, uid)| *uid == crate::model::state::root(&state.uid(at)));
                let organization = organization.map_or(Ref::Nowhere, |(name, _)| name.clone());
                let elsewhere = self.random.one_in(12);
                sent.uid("scope", if elsewhere { self.name(state, Noun::Group) } else { organization });
            }
            Noun::Invite => {
                sent.uid("role_uid", self.role(state));
                sent.is("ttl", self.mostly(15, TIMES, &["", "0s", "31536001s"]));
                sent.is("email", self.mostly(4, &[""], ADDRESSES));
                sent.is("single_use", self.random.one_in(2));
            }
            Noun::Accounts => {
                if self.random.one_in(2) {
                    sent.is("amazon.account", self.random.pick(&["123456789012", "210987654321", "123456789012", "12345"]));
                }
                let mut bound = BTreeMap::new();
                for part in PRINCIPALS {
                    if self.random.one_in(3) {
                        bound.insert(*part, self.principal(state, at, &format!("SERVICE_PRINCIPAL_{part}")));
                    }
                }
                if !bound.is_empty() {
                    sent.0.insert("chainguard.service_bindings", Field::Uids(bound));
                }
            }
            Noun::Repo => {
                sent.is("catalog_tier", self.random.pick(TIERS));
                let tags = self.tags(12);
                sent.is("active_tags", tags);
            }
            Noun::Tag => {
                sent.is("name", self.mostly(20, TAGS, BAD_TAGS));
                let digit = self.mostly(20, &["01", "02", "03"], &[""]);
                sent.is("digest", if digit.is_empty() { String::new() } else { format!("sha256:{}", digit.repeat(32)) });
                sent.is("deprecated", self.random.one_in(4));
            }
            Noun::Overlay => {
                let packages = (0..self.random.below(4)).map(|_| self.random.pick(&["bash", "curl~8", "jq", "bash", ""]));
                sent.is("config.contents.packages", packages.collect::<Vec<_>>());
            }
            Noun::OverlayBinding => {
                if self.random.one_in(3) {
                    sent.is("overlay", self.random.pick(NAMES));
                } else {
                    sent.uid("overlay", self.near(state, Noun::Overlay, at));
                }
                let tags: BTreeSet<&str> = self.tags(20).into_iter().collect();
                sent.is("tags", tags.into_iter().collect::<Vec<_>>());
            }
        }
        Wish { noun, fields: sent.0 }
    }

    /// One of these, and one time in `odds` one of others.
    fn mostly(&mut self, odds: usize, these: &[&'static str], others: &[&'static str]) -> &'static str {
        let one_of = if self.random.one_in(odds) { others } else { these };
        self.random.pick(one_of)
    }

    fn group(&mut self, sent: &mut Sent, at: &Ref) {
        let (odds, kinds) = if *at == Ref::Nowhere { (2, 1) } else { (10, 4) };
        if self.random.one_in(kinds) {
            sent.is("kind", self.random.pick(&["ORG_KIND_STARTER", "ORG_KIND_CUSTOMER", "ORG_KIND_CUSTOMER"]));
        }
        let verified = self.random.one_in(odds);
        sent.is("verified", verified);
        if verified && !self.random.one_in(4) {
            sent.is("name", "example.com");
        }
    }

    /// Up to two tags, rarely with one that is none.
    fn tags(&mut self, odds: usize) -> Vec<&'static str> {
        let mut tags: Vec<_> = (0..self.random.below(3)).map(|_| self.random.pick(TAGS)).collect();
        if self.random.one_in(odds) {
            tags.push(self.random.pick(BAD_TAGS));
        }
        tags
    }
}
