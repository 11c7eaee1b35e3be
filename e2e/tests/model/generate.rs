//! Random steps that are worth making as things stand: mostly possible, often refused, now and then nonsense.

mod names;
mod wishes;

use std::collections::BTreeMap;

use serde_json::json;
use testkit::Transport;

use crate::model::{
    history::{Above, Action, By, Caller, Field, List, Match, Narrowing, Order, Ref, Step, Tree, Wish},
    nouns::Noun,
    random::Random,
    rules::{CAPABILITIES, Capability},
    state::{State, Token, parent},
};

const NAMES: &[&str] = &["a", "b", "a b", "app", "web-1", "x_y.z", "zz", "example.com", "acme.org"];
/// Who has an account at the development issuer.
const SUBJECTS: &[&str] = &["s1", "s2", "s3", "admin"];
/// Seconds.
const WAITS: &[i64] = &[1, 1, 2, 30, 90];

const ORDERS: &[(&str, By, bool)] = &[
    ("", By::Default, false),
    ("uid", By::Uid, false),
    ("uid desc", By::Uid, true),
    ("name", By::Name, false),
    ("name asc", By::Name, false),
    ("name desc", By::Name, true),
    ("created_at", By::Created, false),
    ("created_at desc", By::Created, true),
    ("createTime desc", By::Created, true),
    ("create_time asc", By::Created, false),
    ("size", By::Unknown, false),
];

/// Makes the steps of one history.
pub(crate) struct Generator {
    random: Random,
    /// With more things than this, deleting comes before making.
    limit: usize,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let limit = random.pick(&[80, 120, 200, 300]);
        Self { random, limit }
    }

    /// The next step.
    pub(crate) fn step(&mut self, number: usize, state: &State) -> Step {
        let wait = if self.random.one_in(4) { self.random.pick(WAITS) } else { 0 };
        let transport = if self.random.one_in(2) { Transport::Json } else { Transport::Grpc };
        let action = self.action(number, state);
        let gets_token = matches!(action, Action::Operate | Action::Exchange { .. } | Action::Narrow { .. });
        let conditional =
            matches!(action, Action::Update { .. } | Action::Delete { .. } | Action::Publish { .. } | Action::Limit { .. });
        let conditional = conditional && self.random.one_in(4);
        // The path over HTTP has no room for what is no user.
        let leaves = matches!(action, Action::Leave { .. });
        Step {
            number,
            wait,
            caller: if leaves { self.user(state) } else { self.caller(state) },
            transport: if leaves { Transport::Grpc } else { transport },
            validate_only: !gets_token && self.random.one_in(15),
            if_match: conditional.then(|| self.random.pick(&[Match::Seen, Match::Seen, Match::Any, Match::Other])),
            action,
        }
    }

    /// Mostly somebody with a good token, often somebody who may do much.
    fn caller(&mut self, state: &State) -> Caller {
        let all: Vec<usize> = state.tokens.keys().copied().collect();
        let good: Vec<usize> = all.iter().rev().copied().filter(|step| state.is_good(Caller::Bearer(*step))).take(12).collect();
        let owns = |identity: &String| {
            state.bindings().any(|(_, of, role)| of == identity && state.of(Noun::Role, role).text("name") == "owner")
        };
        let whose = |step: &usize| state.tokens[step].identity.as_ref().is_none_or(owns);
        let narrowed = |step: &usize| state.tokens[step].capabilities.is_some();
        let everywhere = good.iter().copied().filter(whose).filter(|step| state.tokens[step].scopes.is_none());
        let (nearly, strong): (Vec<usize>, Vec<usize>) = everywhere.partition(narrowed);
        let operators: Vec<usize> = strong.iter().copied().filter(|step| state.tokens[step].identity.is_none()).collect();
        match self.random.below(40) {
            0 => Caller::Nobody,
            1 => Caller::Garbage,
            2 | 3 if !all.is_empty() => Caller::Bearer(self.random.pick(&all)),
            4..16 if !operators.is_empty() => Caller::Bearer(self.random.pick(&operators)),
            4..24 if !strong.is_empty() => Caller::Bearer(self.random.pick(&strong)),
            24..34 if !nearly.is_empty() => Caller::Bearer(self.random.pick(&nearly)),
            _ if good.is_empty() => Caller::Nobody,
            _ => Caller::Bearer(self.random.pick(&good)),
        }
    }

    /// Mostly a user who may do little, else anybody.
    fn user(&mut self, state: &State) -> Caller {
        let users = state.tokens.iter().filter(|(step, token)| {
            let user = token.identity.as_ref().is_some_and(|identity| parent(identity).is_none() && *identity != state.admin);
            user && state.is_good(Caller::Bearer(**step))
        });
        let users: Vec<usize> = users.map(|(step, _)| *step).collect();
        if users.is_empty() || self.random.one_in(4) { self.caller(state) } else { Caller::Bearer(self.random.pick(&users)) }
    }

    fn action(&mut self, number: usize, state: &State) -> Action {
        let full = state.size() > self.limit;
        let whole = |(step, token): &(&usize, &std::sync::Arc<Token>)| {
            token.scopes.is_none() && token.capabilities.is_none() && state.is_good(Caller::Bearer(**step))
        };
        let operates = state.tokens.iter().filter(whole).any(|(_, token)| token.identity.is_none());
        let owns = state.tokens.iter().filter(whole).any(|(_, token)| token.identity.is_some());
        if number == 0 || !owns && self.random.one_in(4) {
            let of_admin = state.find(Noun::Identity, &state.admin).is_some() && (number == 0 || self.random.one_in(2));
            return if of_admin { Self::login() } else { self.exchange(state) };
        }
        if !operates && self.random.one_in(5) {
            return Action::Operate;
        }
        match self.random.below(100) {
            0..26 if !full => self.create(state),
            26..29 if !full => self.batch(state),
            0..16 | 29..34 => {
                let noun = self.random.pick(&Noun::ALL);
                Action::Delete { noun, uid: self.own(state, noun) }
            }
            16..29 | 34..49 => self.update(state),
            49..58 => {
                let noun = self.random.pick(&Noun::ALL);
                Action::Get { noun, uid: self.name(state, noun) }
            }
            58..80 => Action::List(self.list(state)),
            80..87 => self.exchange(state),
            87..90 => Action::Narrow { narrowing: self.narrowing(state) },
            90..93 => self.visibility(state),
            93 => self.limits(state),
            94 | 95 => {
                let parent = self.name(state, Noun::Provider);
                let names = (0..self.random.below(4)).map(|_| self.near(state, Noun::Mapping, &parent)).collect();
                Action::BatchDelete { parent, names }
            }
            96..99 => Action::Register {
                subject: self.random.pick(SUBJECTS),
                invite: if self.random.one_in(5) { None } else { self.invite(state) },
            },
            _ => Action::Leave { uid: self.name(state, Noun::Identity) },
        }
    }

    fn login() -> Action {
        Action::Exchange { subject: "admin".to_owned(), identity: None, narrowing: Narrowing::default() }
    }

    /// Sets or reads it.
    fn visibility(&mut self, state: &State) -> Action {
        let noun = self.random.pick(&[Noun::Group, Noun::Repo]);
        let uid = self.name(state, noun);
        let public = self.random.one_in(2);
        if self.random.one_in(3) { Action::Visibility { noun, uid } } else { Action::Publish { noun, uid, public } }
    }

    /// Sets or reads them.
    fn limits(&mut self, state: &State) -> Action {
        let uid = self.organization(state);
        if self.random.one_in(3) {
            return Action::Limits { uid };
        }
        let mut limits = BTreeMap::new();
        for noun in Noun::ALL {
            let name = noun.declared().limited.unwrap_or("tags");
            if self.random.one_in(if name == "tags" { 60 } else { 6 }) {
                limits.insert(name, self.random.pick(&[0, 2, 5, 10]));
            }
        }
        Action::Limit { uid, limits }
    }

    fn exchange(&mut self, state: &State) -> Action {
        let narrowing = if self.random.one_in(3) { self.narrowing(state) } else { Narrowing::default() };
        if self.random.one_in(8) {
            return Action::Exchange { subject: self.random.pick(SUBJECTS).to_owned(), identity: None, narrowing };
        }
        let identity = self.workload(state);
        let accepted = state.find(Noun::Identity, &state.uid(&identity)).map(|found| found.fields.text("claim_match.subject"));
        let subject = match accepted {
            Some(subject) if !subject.is_empty() && !self.random.one_in(8) => subject.to_owned(),
            _ => self.random.pick(SUBJECTS).to_owned(),
        };
        Action::Exchange { subject, identity: Some(identity), narrowing }
    }

    fn narrowing(&mut self, state: &State) -> Narrowing {
        let mut narrowing = Narrowing::default();
        if self.random.one_in(2) {
            for _ in 0..=self.random.below(3) {
                let noun = if self.random.one_in(6) { self.random.pick(&Noun::ALL) } else { Noun::Group };
                narrowing.scopes.push(self.name(state, noun));
            }
        }
        if self.random.one_in(2) {
            narrowing.capabilities = self.capabilities().into_iter().map(|capability| capability.0).collect();
        }
        narrowing
    }

    /// Some capabilities, or most.
    fn capabilities(&mut self) -> Vec<Capability> {
        if self.random.one_in(3) {
            return (0..=self.random.below(10)).map(|_| self.random.pick(CAPABILITIES)).collect();
        }
        CAPABILITIES.iter().copied().filter(|_| !self.random.one_in(12)).collect()
    }

    fn create(&mut self, state: &State) -> Action {
        // Some are needed more than others, for others to be made.
        let noun = if self.random.one_in(3) {
            self.random.pick(&[Noun::Group, Noun::Identity, Noun::Binding, Noun::Mapping, Noun::Tag, Noun::OverlayBinding])
        } else {
            self.random.pick(&Noun::ALL)
        };
        let parent = match noun {
            Noun::Group if self.random.one_in(4) => None,
            Noun::Group => Some(self.place(state)),
            Noun::Provider => Some(self.organization(state)),
            _ if noun.declared().lives_in == Noun::Group && self.random.one_in(2) => Some(self.organization(state)),
            _ => Some(self.name(state, noun.declared().lives_in)),
        };
        Action::Create { wish: self.wish(state, noun, parent.as_ref()), parent }
    }

    fn batch(&mut self, state: &State) -> Action {
        let parent = self.place(state);
        let role = self.random.one_in(2).then(|| self.role(state));
        let entries = if self.random.one_in(20) { 0 } else { 1 + self.random.below(4) };
        let entries = (0..entries).map(|_| {
            let own = (role.is_none() && !self.random.one_in(8) || self.random.one_in(8)).then(|| self.role(state));
            (self.near(state, Noun::Identity, &parent), own)
        });
        let entries = entries.collect();
        Action::Batch { parent, role, entries }
    }

    fn update(&mut self, state: &State) -> Action {
        let changing: Vec<Noun> = Noun::ALL.into_iter().filter(|noun| noun.changes() || *noun == Noun::Tag).collect();
        let noun = self.random.pick(&changing);
        let uid = self.own(state, noun);
        let at = state.uid(&uid);
        let at = if noun == Noun::Accounts { Some(at.as_str()) } else { parent(&at) };
        let at = at.and_then(|at| state.names.iter().find(|(_, uid)| *uid == at)).map(|(name, _)| name.clone());
        let wish = self.wish(state, noun, at.as_ref());
        if noun == Noun::Tag {
            // It is made again, perhaps as something else.
            return Action::Create { parent: Some(at.unwrap_or(Ref::Nowhere)), wish };
        }
        Action::Update { uid, mask: self.mask(&wish), wish }
    }

    /// Fields, messages with fields, everything, or nothing.
    fn mask(&mut self, wish: &Wish) -> Vec<&'static str> {
        let mut paths: Vec<&'static str> = Vec::new();
        for path in wish.noun.declared().fields.iter().copied() {
            let message = path.split('.').next().unwrap_or(path);
            // An identity proves itself in some way.
            let says = wish.noun != Noun::Identity || !(path.contains('.') || path == "service_principal");
            if says || wish.fields.contains_key(path) {
                paths.extend([message, if wish.noun == Noun::Provider { path } else { message }]);
            }
        }
        paths.dedup();
        let odds = paths.len().max(4) / 2;
        let mut mask: Vec<_> = paths.into_iter().filter(|_| self.random.one_in(odds)).collect();
        mask.dedup();
        if self.random.one_in(5) {
            mask = vec!["*"];
        }
        if self.random.one_in(25) {
            mask.push("nonsense");
        }
        mask
    }

    fn list(&mut self, state: &State) -> List {
        let noun = self.random.pick(&Noun::ALL);
        let mut tree = Tree::default();
        let any = |this: &mut Self| {
            let noun = if this.random.one_in(5) { noun } else { Noun::Group };
            this.name(state, noun)
        };
        if self.random.one_in(8) {
            let below = self.random.pick(&Noun::ALL);
            tree.ancestors_of = Some(self.name(state, below));
        }
        if self.random.one_in(3) {
            tree.descendants_of = Some(any(self));
        }
        if self.random.one_in(4) {
            tree.children_of = Some(if self.random.one_in(4) { Above::Everything } else { Above::Thing(any(self)) });
        }
        tree.in_root = self.random.one_in(15);
        if self.random.one_in(10) {
            tree.ids = (0..=self.random.below(6)).map(|_| self.name(state, noun)).collect();
        }
        let (text, by, descending) = self.random.pick(ORDERS);
        let mut filters = BTreeMap::new();
        for (filter, _) in noun.declared().filters.iter().copied() {
            if self.random.one_in(4) {
                filters.insert(filter, self.wanted(state, filter));
            }
        }
        List {
            noun,
            tree,
            filters,
            order: Order { by, descending, text },
            page_size: if self.random.one_in(40) { -1 } else { self.random.pick(&[0, 1, 2, 3, 3, 5, 7, 20, 200, 1000]) },
            skip: if self.random.one_in(40) { -1 } else { self.skip(state) },
            skip_between: if self.random.one_in(6) { self.random.pick(&[1, 2, 3, 10, 25]) } else { 0 },
            pages: 1 + self.random.below(5),
        }
    }

    /// What a filter asks for.
    fn wanted(&mut self, state: &State, filter: &str) -> Field {
        match filter {
            "name" => Field::Is(self.random.pick(NAMES).into()),
            "relationship_type" => Field::Is(json!(self.random.pick(&[1, 2, 4]))),
            "identity" => Field::Uid(self.name(state, Noun::Identity)),
            "role" => Field::Uid(self.role(state)),
            "group" => Field::Uid(self.name(state, Noun::Group)),
            "identity_provider_uid" => Field::Uid(self.name(state, Noun::Provider)),
            "overlay" => Field::Uid(self.name(state, Noun::Overlay)),
            other => unreachable!("no list is filtered by {other}"),
        }
    }

    /// Nothing, as mostly in life; a few rows; any number of rows that there may be; or far too many.
    fn skip(&mut self, state: &State) -> i32 {
        match self.random.below(10) {
            0..4 => 0,
            4..6 => self.random.pick(&[1, 2, 3, 5]),
            6..9 => i32::try_from(self.random.below(state.size() + 1)).unwrap_or(i32::MAX),
            _ => 100_000,
        }
    }
}
