//! Random steps that are worth making as things stand: mostly possible, often refused, now and then nonsense.

mod names;

use testkit::Transport;

use crate::model::{
    history::{Above, Action, By, Caller, Kind, List, Match, Narrowing, Noun, Order, Proof, Ref, Step, Tree, Wish},
    random::Random,
    rules::{CAPABILITIES, INTERNAL_ONLY},
    state::{State, Token, What, parent},
};

const NAMES: &[&str] = &["a", "b", "a b", "app", "web-1", "x_y.z", "zz", "example.com", "acme.org"];
const BAD_NAMES: &[&str] = &["", "Bad", "line\nbreak", "é"];
const TAGS: &[&str] = &["latest", "1.2", "_x", "edge-dev", "1.2-r3"];
const BAD_TAGS: &[&str] = &["", ".hidden", "a b", "a/b"];
const SUBJECTS: &[&str] = &["s1", "s2", "s3", "admin"];
/// Seconds.
const WAITS: &[i64] = &[1, 1, 2, 30, 90];

const ORDERS: &[(&str, By, bool)] = &[
    ("", By::Uid, false),
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
        let limit = random.pick(&[15, 40, 120, 300]);
        Self { random, limit }
    }

    /// The next step.
    pub(crate) fn step(&mut self, number: usize, state: &State) -> Step {
        let wait = if self.random.one_in(4) { self.random.pick(WAITS) } else { 0 };
        let transport = if self.random.one_in(2) { Transport::Json } else { Transport::Grpc };
        let action = self.action(number, state);
        let gets_token = matches!(action, Action::Operate | Action::Exchange { .. } | Action::Narrow { .. });
        let conditional = matches!(action, Action::Update { .. } | Action::Delete { .. }) && self.random.one_in(4);
        Step {
            number,
            wait,
            caller: self.caller(state),
            transport,
            validate_only: !gets_token && self.random.one_in(15),
            if_match: conditional.then(|| self.random.pick(&[Match::Seen, Match::Seen, Match::Seen, Match::Any, Match::Other])),
            action,
        }
    }

    /// Mostly somebody with a good token, often somebody who may do much.
    fn caller(&mut self, state: &State) -> Caller {
        let all: Vec<usize> = state.tokens.keys().copied().collect();
        let good: Vec<usize> = all.iter().rev().copied().filter(|step| state.is_good(Caller::Bearer(*step))).take(12).collect();
        let strong = |step: &usize| state.tokens[step].identity.as_ref().is_none_or(|identity| *identity == state.admin);
        let strong: Vec<usize> = good.iter().copied().filter(strong).collect();
        match self.random.below(40) {
            0 => Caller::Nobody,
            1 => Caller::Garbage,
            2 | 3 if !all.is_empty() => Caller::Bearer(self.random.pick(&all)),
            4..20 if !strong.is_empty() => Caller::Bearer(self.random.pick(&strong)),
            _ if good.is_empty() => Caller::Nobody,
            _ => Caller::Bearer(self.random.pick(&good)),
        }
    }

    fn action(&mut self, number: usize, state: &State) -> Action {
        let full = state.things.len() > self.limit;
        let whole = |(step, token): &(&usize, &Token)| {
            token.scopes.is_none() && token.capabilities.is_none() && state.is_good(Caller::Bearer(**step))
        };
        let operates = state.tokens.iter().filter(whole).any(|(_, token)| token.identity.is_none());
        let owns = state.tokens.iter().filter(whole).any(|(_, token)| token.identity.is_some());
        if number == 0 || !owns && self.random.one_in(4) {
            let of_admin = number == 0 || self.random.one_in(2);
            return if of_admin { Self::login() } else { self.exchange(state) };
        }
        if !operates && self.random.one_in(15) {
            return Action::Operate;
        }
        match self.random.below(100) {
            0..24 if !full => self.create(state),
            24..28 if !full => self.batch(state),
            0..16 | 28..34 => {
                let noun = self.random.pick(&Noun::ALL);
                Action::Delete { noun, uid: self.name(state, noun) }
            }
            16..28 | 34..52 => self.update(state),
            52..64 => {
                let noun = self.random.pick(&Noun::ALL);
                Action::Get { noun, uid: self.name(state, noun) }
            }
            64..88 => Action::List(self.list(state)),
            88..96 => self.exchange(state),
            _ => Action::Narrow { narrowing: self.narrowing(state) },
        }
    }

    fn login() -> Action {
        Action::Exchange { subject: "admin".to_owned(), identity: None, narrowing: Narrowing::default() }
    }

    fn exchange(&mut self, state: &State) -> Action {
        let uid = self.name(state, Noun::Identity);
        let accepted = match state.things.get(&state.uid(&uid)).map(|thing| &thing.what) {
            Some(What::Identity { proof: Proof::Subject(subject), .. }) => subject.clone(),
            _ => "s1".to_owned(),
        };
        let subject = if self.random.one_in(8) { self.random.pick(SUBJECTS).to_owned() } else { accepted };
        let identity = (!self.random.one_in(12)).then_some(uid);
        let narrowing = if self.random.one_in(3) { self.narrowing(state) } else { Narrowing::default() };
        Action::Exchange { subject, identity, narrowing }
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
            for _ in 0..=self.random.below(10) {
                narrowing.capabilities.push(self.random.pick(CAPABILITIES).0);
            }
        }
        narrowing
    }

    fn create(&mut self, state: &State) -> Action {
        let noun = self.random.pick(&[
            Noun::Group,
            Noun::Identity,
            Noun::Role,
            Noun::Binding,
            Noun::Binding,
            Noun::Repo,
            Noun::Tag,
            Noun::Tag,
        ]);
        let parent = match noun {
            Noun::Group if self.random.one_in(4) => None,
            Noun::Tag => Some(self.name(state, Noun::Repo)),
            _ => Some(self.place(state)),
        };
        Action::Create { wish: self.wish(state, noun, parent.as_ref()), parent }
    }

    fn batch(&mut self, state: &State) -> Action {
        let parent = self.place(state);
        let role = self.random.one_in(2).then(|| self.role(state));
        let entries = if self.random.one_in(20) { 0 } else { 1 + self.random.below(4) };
        let entries = (0..entries).map(|_| {
            let own = (role.is_none() && !self.random.one_in(8) || self.random.one_in(8)).then(|| self.role(state));
            (self.identity(state, &parent), own)
        });
        let entries = entries.collect();
        Action::Batch { parent, role, entries }
    }

    fn update(&mut self, state: &State) -> Action {
        let noun = self.random.pick(&Noun::ALL);
        let uid = self.name(state, noun);
        let at = parent(&state.uid(&uid)).and_then(|at| state.names.iter().find(|(_, uid)| *uid == at));
        let at = at.map(|(name, _)| name.clone());
        let wish = self.wish(state, noun, at.as_ref());
        if noun == Noun::Tag {
            // It is made again, perhaps as something else.
            return Action::Create { parent: at, wish };
        }
        let paths: &[&'static str] = match &wish {
            Wish::Group { .. } => &["name", "description", "verified", "kind"],
            Wish::Identity { proof: Proof::Subject(_), .. } => &["name", "description", "claim_match"],
            Wish::Identity { proof: Proof::Principal(_), .. } => &["name", "description", "service_principal"],
            Wish::Role { .. } => &["name", "description", "capabilities"],
            Wish::Binding { .. } => &["identity_uid", "role_uid"],
            Wish::Repo { .. } => &["name", "description", "catalog_tier", "active_tags"],
            Wish::Tag { .. } => unreachable!("a tag is made again"),
        };
        let mut mask: Vec<_> = paths.iter().copied().filter(|_| self.random.one_in(2)).collect();
        if self.random.one_in(5) {
            mask = vec!["*"];
        }
        if self.random.one_in(25) {
            mask.push("nonsense");
        }
        Action::Update { uid, wish, mask }
    }

    fn wish(&mut self, state: &State, noun: Noun, at: Option<&Ref>) -> Wish {
        let name = if self.random.one_in(25) { self.random.pick(BAD_NAMES) } else { self.random.pick(NAMES) }.to_owned();
        let description = self.random.pick(&["", "", "text", "more text", "ü", "two\nlines"]).to_owned();
        let description = if self.random.one_in(3) { description } else { String::new() };
        match noun {
            Noun::Group => {
                let (odds, kinds) = if at.is_none() { (2, 1) } else { (10, 4) };
                let kind = if self.random.one_in(kinds) {
                    self.random.pick(&[Kind::Starter, Kind::Customer, Kind::Customer])
                } else {
                    Kind::Unspecified
                };
                let verified = self.random.one_in(odds);
                let name = if verified && !self.random.one_in(4) { "example.com".to_owned() } else { name };
                Wish::Group { name, description, verified, kind }
            }
            Noun::Identity => {
                let proof = match self.random.below(12) {
                    0..10 => Proof::Subject(self.random.pick(SUBJECTS).to_owned()),
                    10 => Proof::Principal(self.random.pick(&[1, 2])),
                    _ => Proof::Subject(self.random.pick(&["", "s4"]).to_owned()),
                };
                Wish::Identity { name, description, proof }
            }
            Noun::Role => {
                let mut capabilities = std::collections::BTreeSet::new();
                for _ in 0..self.random.below(9) {
                    capabilities.insert(self.random.pick(&CAPABILITIES[..CAPABILITIES.len() - 2]).1);
                }
                if self.random.one_in(12) {
                    capabilities.insert(INTERNAL_ONLY);
                }
                if self.random.one_in(24) {
                    capabilities.insert("CAP_INTERNAL");
                }
                Wish::Role { name, description, capabilities }
            }
            Noun::Binding => {
                let nowhere = Ref::Nowhere;
                Wish::Binding { identity: self.identity(state, at.unwrap_or(&nowhere)), role: self.role(state) }
            }
            Noun::Repo => {
                let mut tags: Vec<_> = (0..self.random.below(3)).map(|_| self.random.pick(TAGS).to_owned()).collect();
                if self.random.one_in(12) {
                    tags.push(self.random.pick(BAD_TAGS).to_owned());
                }
                Wish::Repo { name, description, tier: self.random.pick(&[0, 1, 2, 3]), tags }
            }
            Noun::Tag => {
                let name = if self.random.one_in(20) { self.random.pick(BAD_TAGS) } else { self.random.pick(TAGS) }.to_owned();
                let digest = if self.random.one_in(20) { 0 } else { self.random.pick(&[1, 2, 3]) };
                Wish::Tag { name, digest, deprecated: self.random.one_in(4) }
            }
        }
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
        let bindings = noun == Noun::Binding;
        List {
            noun,
            tree,
            name: if !bindings && self.random.one_in(4) { self.random.pick(NAMES).to_owned() } else { String::new() },
            proof: if noun == Noun::Identity && self.random.one_in(4) { self.random.pick(&[1, 2, 4]) } else { 0 },
            identity: (bindings && self.random.one_in(4)).then(|| self.name(state, Noun::Identity)),
            group: (bindings && self.random.one_in(4)).then(|| self.name(state, Noun::Group)),
            role: (bindings && self.random.one_in(4)).then(|| self.role(state)),
            order: Order { by, descending, text },
            page_size: if self.random.one_in(40) { -1 } else { self.random.pick(&[0, 1, 2, 3, 3, 5, 7, 20, 200, 1000]) },
            skip: if self.random.one_in(40) { -1 } else { self.skip(state) },
            skip_between: if self.random.one_in(6) { self.random.pick(&[1, 2, 3, 10, 25]) } else { 0 },
            pages: 1 + self.random.below(5),
        }
    }

    /// Nothing, as mostly in life; a few rows; any number of rows that there may be; or far too many.
    fn skip(&mut self, state: &State) -> i32 {
        match self.random.below(10) {
            0..4 => 0,
            4..6 => self.random.pick(&[1, 2, 3, 5]),
            6..9 => i32::try_from(self.random.below(state.things.len() + 1)).unwrap_or(i32::MAX),
            _ => 100_000,
        }
    }
}
