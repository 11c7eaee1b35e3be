//! The model's memory: everything there is, in one ordered map, read by linear scans.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::model::history::{Kind, Noun, Proof, Ref};

/// Everything there is.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Milliseconds since 1970.
    pub(crate) now: i64,
    /// The development issuer, and the user of its that a new server has.
    pub(crate) issuer: String,
    pub(crate) admin: String,
    pub(crate) things: BTreeMap<String, Thing>,
    /// What steps call things; names outlive what they name.
    pub(crate) names: BTreeMap<Ref, String>,
    /// By the step that got them.
    pub(crate) tokens: BTreeMap<usize, Token>,
}

/// One thing.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub(crate) created: i64,
    pub(crate) updated: i64,
    /// Grows with every change.
    pub(crate) version: u64,
    /// An entity tag that was seen, and of which version it was.
    pub(crate) seen: Option<(u64, String)>,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Group {
        name: String,
        description: String,
        verified: bool,
        kind: Kind,
    },
    /// With how many times the proof was replaced.
    Identity {
        name: String,
        description: String,
        proof: Proof,
        proofs: u64,
    },
    Role {
        name: String,
        description: String,
        capabilities: BTreeSet<String>,
    },
    Binding {
        identity: String,
        role: String,
    },
    Repo {
        name: String,
        description: String,
        tier: usize,
        tags: Vec<String>,
    },
    Tag {
        name: String,
        digest: u8,
        deprecated: bool,
    },
}

/// A token that the server gave away.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// `None` for an operator.
    pub(crate) identity: Option<String>,
    /// The state of the identity's proof when the token was made.
    pub(crate) proofs: u64,
    /// In seconds.
    pub(crate) expires: i64,
    pub(crate) scopes: Option<Vec<String>>,
    pub(crate) capabilities: Option<BTreeSet<String>>,
}

impl State {
    /// The identifier behind a name. What was never made has one that nothing else can have.
    pub(crate) fn uid(&self, name: &Ref) -> String {
        match name {
            Ref::Nowhere => "e".repeat(40),
            Ref::Below(above) => format!("{}/{}", self.uid(above), "0".repeat(16)),
            Ref::Initial(number) | Ref::Made(number, _) => {
                self.names.get(name).cloned().unwrap_or_else(|| format!("dead{number:036x}"))
            }
        }
    }

    /// The thing, if it is one of these.
    pub(crate) fn find(&self, noun: Noun, uid: &str) -> Option<&Thing> {
        self.things.get(uid).filter(|thing| thing.what.noun() == noun)
    }

    pub(crate) fn all(&self, noun: Noun) -> impl Iterator<Item = (&String, &Thing)> {
        self.things.iter().filter(move |(_, thing)| thing.what.noun() == noun)
    }

    /// Every binding: where it is, of whom, to which role.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = (&str, &String, &String)> {
        self.things.iter().filter_map(|(uid, thing)| match &thing.what {
            What::Binding { identity, role } => Some((parent(uid).unwrap_or("/"), identity, role)),
            _ => None,
        })
    }

    /// What holders of the role may do.
    pub(crate) fn capabilities(&self, role: &str) -> BTreeSet<String> {
        match self.things.get(role).map(|thing| &thing.what) {
            Some(What::Role { capabilities, .. }) => capabilities.clone(),
            _ => BTreeSet::new(),
        }
    }

    /// Adds a new thing.
    pub(crate) fn add(&mut self, name: Ref, uid: &str, what: What) {
        let thing = Thing { created: self.now, updated: self.now, version: 1, seen: None, what };
        self.names.insert(name, uid.to_owned());
        self.things.insert(uid.to_owned(), thing);
    }

    /// Makes something else of a thing.
    pub(crate) fn change(&mut self, uid: &str, what: What) {
        let now = self.now;
        if let Some(thing) = self.things.get_mut(uid) {
            (thing.what, thing.updated, thing.version) = (what, now, thing.version + 1);
        }
    }

    /// The thing as JSON.
    pub(crate) fn show(&self, uid: &str) -> Value {
        let thing = &self.things[uid];
        let (created, updated) = (instant(thing.created), instant(thing.updated));
        match &thing.what {
            What::Group { name, description, verified, kind } => json!({
                "uid": uid, "name": name, "description": description, "resourceLimits": {}, "verified": verified,
                "createTime": created, "updateTime": updated, "kind": kind.text(), "status": "ORG_STATUS_READY",
            }),
            What::Identity { name, description, proof, .. } => {
                let mut shown = json!({
                    "uid": uid, "name": name, "description": description, "email": "", "emailUnverified": "", "company": "",
                    "createTime": created, "updateTime": updated,
                });
                match proof {
                    Proof::Subject(subject) => {
                        shown["claimMatch"] =
                            json!({"issuer": self.issuer, "subject": subject, "claims": {}, "claimPatterns": {}});
                    }
                    Proof::Principal(number) => shown["servicePrincipal"] = principal(*number).into(),
                }
                shown
            }
            What::Role { name, description, capabilities } => json!({
                "uid": uid, "name": name, "description": description, "capabilities": capabilities,
                "createTime": created, "updateTime": updated,
            }),
            What::Repo { name, description, tier, tags } => json!({
                "uid": uid, "name": name, "description": description, "catalogTier": TIERS[*tier], "bundles": [],
                "aliases": [], "activeTags": tags, "sync_config": null, "customOverlay": null, "createTime": created,
                "updateTime": updated,
            }),
            What::Tag { name, digest, deprecated } => json!({
                "uid": uid, "name": name, "digest": digest_text(*digest), "deprecated": deprecated, "bundles": [],
                "updateTime": updated,
            }),
            What::Binding { identity, role } => {
                let group = parent(uid).unwrap_or("/");
                let mut of = self.brief(identity);
                let (issuer, subject) = match &self.things[identity].what {
                    What::Identity { proof: Proof::Subject(subject), .. } => (self.issuer.as_str(), subject.as_str()),
                    _ => ("", ""),
                };
                (of["issuer"], of["subject"], of["email"]) = (issuer.into(), subject.into(), "".into());
                json!({
                    "uid": uid, "identity": of, "group": self.brief(group), "role": self.brief(role), "createTime": created,
                    "identityUid": identity, "roleUid": role,
                })
            }
        }
    }

    fn brief(&self, uid: &str) -> Value {
        let (name, description) = match &self.things[uid].what {
            What::Group { name, description, .. }
            | What::Identity { name, description, .. }
            | What::Role { name, description, .. }
            | What::Repo { name, description, .. } => (name.as_str(), description.as_str()),
            What::Binding { .. } | What::Tag { .. } => ("", ""),
        };
        json!({"uid": uid, "name": name, "description": description})
    }
}

impl What {
    pub(crate) fn noun(&self) -> Noun {
        match self {
            Self::Group { .. } => Noun::Group,
            Self::Identity { .. } => Noun::Identity,
            Self::Role { .. } => Noun::Role,
            Self::Binding { .. } => Noun::Binding,
            Self::Repo { .. } => Noun::Repo,
            Self::Tag { .. } => Noun::Tag,
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Group { name, .. }
            | Self::Identity { name, .. }
            | Self::Role { name, .. }
            | Self::Repo { name, .. }
            | Self::Tag { name, .. } => name,
            Self::Binding { .. } => "",
        }
    }
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Unspecified, Self::Starter, Self::Customer];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Unspecified => "ORG_KIND_UNSPECIFIED",
            Self::Starter => "ORG_KIND_STARTER",
            Self::Customer => "ORG_KIND_CUSTOMER",
        }
    }
}

/// The tiers of catalogues by their numbers.
pub(crate) const TIERS: [&str; 4] =
    ["CATALOG_TIER_UNSPECIFIED", "CATALOG_TIER_APPLICATION", "CATALOG_TIER_BASE", "CATALOG_TIER_FIPS"];

/// A digest as a registry writes it; none is an empty text.
pub(crate) fn digest_text(digest: u8) -> String {
    if digest == 0 { String::new() } else { format!("sha256:{}", format!("{digest:02x}").repeat(32)) }
}

/// The names of the first parts of the platform.
pub(crate) fn principal(number: i32) -> &'static str {
    match number {
        1 => "SERVICE_PRINCIPAL_COSIGNED",
        2 => "SERVICE_PRINCIPAL_INGESTER",
        _ => "SERVICE_PRINCIPAL_UNSPECIFIED",
    }
}

/// Where the thing is; `None` when nothing is above it.
pub(crate) fn parent(uid: &str) -> Option<&str> {
    uid.rsplit_once('/').map(|(parent, _)| parent)
}

/// Whether `uid` is `place` or somewhere below it.
pub(crate) fn within(uid: &str, place: &str) -> bool {
    uid == place || parent(uid).is_some_and(|above| within(above, place))
}

pub(crate) fn root(uid: &str) -> &str {
    parent(uid).map_or(uid, root)
}

/// A time as the API writes it.
pub(crate) fn instant(milliseconds: i64) -> String {
    let (mut days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days >= 365 + i64::from(leap(year)) {
        days -= 365 + i64::from(leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (seconds, fraction) = (rest / 1000, rest % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{:02}-{:02}T{hours:02}:{minutes:02}:{seconds:02}.{fraction:03}Z", month + 1, days + 1)
}
