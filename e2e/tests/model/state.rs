//! The model's memory: everything there is, in one ordered map, read by linear scans.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use crate::model::{
    history::{Field, Ref, Wish},
    nouns::Noun,
};

/// Everything there is.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Milliseconds since 1970.
    pub(crate) now: i64,
    /// The development issuer.
    pub(crate) issuer: String,
    /// The user that a new server has.
    pub(crate) admin: String,
    /// What users are called, by what the development issuer calls them; it outlives them.
    pub(crate) users: BTreeMap<String, String>,
    /// Shared with the states before, as most of it stays the same.
    pub(crate) things: BTreeMap<Noun, BTreeMap<String, Arc<Thing>>>,
    /// What steps call things; names outlive what they name.
    pub(crate) names: BTreeMap<Ref, String>,
    /// The codes of invites, also of those that are gone.
    pub(crate) codes: BTreeMap<String, String>,
    /// By the step that got them.
    pub(crate) tokens: BTreeMap<usize, Arc<Token>>,
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
    pub(crate) fields: Fields,
}

/// The fields of a thing by their paths; what is empty is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(BTreeMap<&'static str, Value>);

/// A token that the server gave away.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// `None` for an operator.
    pub(crate) identity: Option<String>,
    /// Whether its identity went, or became another, after it was made.
    pub(crate) revoked: bool,
    /// In seconds.
    pub(crate) expires: i64,
    pub(crate) scopes: Option<Vec<String>>,
    pub(crate) capabilities: Option<BTreeSet<String>>,
}

impl Fields {
    /// A text; empty where there is none.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.0.get(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, path: &str) -> Vec<&str> {
        self.0.get(path).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub(crate) fn is(&self, path: &str) -> bool {
        self.0.get(path) == Some(&Value::Bool(true))
    }

    pub(crate) fn number(&self, path: &str) -> i64 {
        self.0.get(path).and_then(Value::as_i64).unwrap_or_default()
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Value> {
        self.0.get(path)
    }

    /// Sets a field, or clears it with a value that is empty.
    pub(crate) fn set(&mut self, path: &'static str, value: impl Into<Value>) {
        let value = value.into();
        let empty = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::String(text) => text.is_empty() || text.ends_with("_UNSPECIFIED"),
            Value::Array(items) => items.is_empty(),
            Value::Object(entries) => entries.is_empty(),
            Value::Bool(true) | Value::Number(_) => false,
        };
        if empty {
            self.0.remove(path);
        } else {
            self.0.insert(path, value);
        }
    }
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

    /// What a field is to be, as JSON.
    pub(crate) fn value(&self, field: &Field) -> Value {
        match field {
            Field::Is(value) => value.clone(),
            Field::Issuer => self.issuer.as_str().into(),
            Field::Uid(name) => self.uid(name).into(),
            Field::Uids(names) => names.iter().map(|(key, name)| ((*key).to_owned(), Value::from(self.uid(name)))).collect(),
        }
    }

    /// The fields of what is wished.
    pub(crate) fn fields(&self, wish: &Wish) -> Fields {
        let mut fields = Fields::default();
        wish.fields.iter().for_each(|(path, field)| fields.set(path, self.value(field)));
        fields
    }

    /// The thing, if it is there.
    pub(crate) fn find(&self, noun: Noun, uid: &str) -> Option<&Thing> {
        self.things.get(&noun)?.get(uid).map(Arc::as_ref)
    }

    pub(crate) fn find_mut(&mut self, noun: Noun, uid: &str) -> Option<&mut Thing> {
        self.things.get_mut(&noun)?.get_mut(uid).map(Arc::make_mut)
    }

    /// How many things there are.
    pub(crate) fn size(&self) -> usize {
        self.things.values().map(BTreeMap::len).sum()
    }

    /// The fields of a thing that is there.
    pub(crate) fn of(&self, noun: Noun, uid: &str) -> &Fields {
        &self.find(noun, uid).expect("it is there").fields
    }

    pub(crate) fn all(&self, noun: Noun) -> impl Iterator<Item = (&String, &Thing)> {
        self.things.get(&noun).into_iter().flatten().map(|(uid, thing)| (uid, thing.as_ref()))
    }

    /// Every binding: where it is, of whom, to which role.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let all = self.all(Noun::Binding);
        all.map(|(uid, Thing { fields, .. })| (parent(uid).unwrap_or("/"), fields.text("identity_uid"), fields.text("role_uid")))
    }

    /// Everything that gives the role to somebody, or offers it: what it is, and where it gives it.
    pub(crate) fn places_of<'s>(&'s self, role: &'s str) -> impl Iterator<Item = (Noun, &'s str)> {
        let field = |noun| if noun == Noun::Provider { "default_role" } else { "role_uid" };
        let all = [Noun::Binding, Noun::Provider, Noun::Mapping, Noun::Invite].into_iter().flat_map(move |noun| {
            self.all(noun).filter(move |(_, thing)| thing.fields.text(field(noun)) == role).map(move |(uid, _)| (noun, uid))
        });
        all.map(|(noun, uid)| (noun, if noun == Noun::Mapping { root(uid) } else { parent(uid).unwrap_or("/") }))
    }

    /// What holders of the role may do.
    pub(crate) fn capabilities(&self, role: &str) -> BTreeSet<String> {
        let role = self.find(Noun::Role, role);
        role.into_iter().flat_map(|role| role.fields.texts("capabilities")).map(str::to_owned).collect()
    }

    /// Adds a new thing.
    pub(crate) fn add(&mut self, name: Ref, noun: Noun, uid: &str, fields: Fields) {
        let thing = Thing { created: self.now, updated: self.now, version: 1, seen: None, fields };
        self.names.insert(name, uid.to_owned());
        self.things.entry(noun).or_default().insert(uid.to_owned(), Arc::new(thing));
    }

    /// Makes something else of a thing.
    pub(crate) fn change(&mut self, noun: Noun, uid: &str, change: impl FnOnce(&mut Fields)) {
        let now = self.now;
        if let Some(thing) = self.find_mut(noun, uid) {
            change(&mut thing.fields);
            (thing.updated, thing.version) = (now, thing.version + 1);
        }
    }

    /// The UIDs of things of a noun that are so.
    pub(crate) fn which(&self, noun: Noun, is: impl Fn(&str, &Fields) -> bool) -> Vec<String> {
        self.all(noun).filter(|(uid, thing)| is(uid, &thing.fields)).map(|(uid, _)| uid.clone()).collect()
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
