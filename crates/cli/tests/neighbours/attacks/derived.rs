//! Every method of the contract that the server has, under every class of input that its descriptor allows.

use std::collections::BTreeMap;

use contract::{Access, METHODS, Method, Verb};
use futures::{StreamExt as _, stream};

use crate::{
    cast::{Caller, Way},
    derive::{
        self,
        base::base,
        json,
        recipe::{Class, Recipe, recipes},
        wire,
    },
    doors::{self, ATTACKER, Answer, Transport},
    site::Site,
    stage::{Length, Log, Stage},
};

/// How large inputs are: a little less than the server takes, of callers whom it knows and of others.
pub(super) const ROOM: usize = (4 << 20) - (64 << 10);
/// In the short form, which runs on programs that are not optimized and take ten times as long for each byte.
const SHORT_ROOM: usize = 1 << 20;
const PUBLIC_ROOM: usize = (256 << 10) - (8 << 10);
/// Attackers at a time.
const AT_A_TIME: usize = 2;

/// Who calls, an owner most often: nobody gets further.
const OFTEN: [Caller; 8] = [
    Caller::Owner,
    Caller::Powerless,
    Caller::Owner,
    Caller::Stranger,
    Caller::Owner,
    Caller::Trespasser,
    Caller::Owner,
    Caller::Powerless,
];

/// A rehearsal: nothing is deleted that the next one needs.
const REHEARSED: [(&str, &str); 1] = [("x-provost-validate-only", "true")];

/// One input for one method.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) method: &'static Method,
    pub(crate) recipe: Recipe,
    pub(crate) caller: Caller,
    pub(crate) way: Way,
    /// Bytes of it, if the caller may send as many.
    pub(crate) room: usize,
}

impl Case {
    fn name(&self, transport: Transport) -> String {
        let packed = if self.way.packed { ", gzip" } else { "" };
        let (method, caller) = (self.method.name, self.caller);
        format!("{method} {:?} of {} ({transport:?}{packed}, {caller:?})", self.recipe.class, self.recipe.name())
    }

    /// Sends it.
    pub(crate) async fn send(&self, site: &Site, log: &Log) -> Answer {
        let cast = &site.cast;
        let base = base(self.method, self.caller.aim(cast));
        let open = self.caller == Caller::Stranger || matches!(self.method.access, Access::Public | Access::Undeclared);
        let room = if open { PUBLIC_ROOM.min(self.room) } else { self.room };
        let pack = |bytes: Vec<u8>| if self.way.packed { derive::gzip(&bytes) } else { bytes };
        let deletes = self.method.http.first().is_some_and(|rule| rule.verb == Verb::Delete);
        let more: &[_] = if deletes { &REHEARSED } else { &[] };
        let token = self.caller.token(cast);
        let rest =
            if self.way.transport == Transport::Json { json::request(self.method, &base, &self.recipe, room) } else { None };
        if let Some(rest) = rest {
            let rest = json::Rest { body: rest.body.map(pack), ..rest };
            let client = doors::http1(ATTACKER, true);
            let call = doors::json(&client, site.attacked(), rest, token, self.way.packed, more);
            return log.attack(self.name(Transport::Json), call).await;
        }
        // What JSON has no place for is said in gRPC.
        let message = pack(wire::message(&base, &self.recipe, room));
        let head = doors::grpc_head(self.method.path, token, self.way.packed, more);
        let call = doors::grpc(ATTACKER, site.attacked(), head, doors::frame(&message, self.way.packed));
        log.attack(self.name(Transport::Grpc), call).await
    }
}

/// The methods that the server has: those that do not answer UNIMPLEMENTED.
pub(crate) async fn served(site: &Site) -> Vec<&'static Method> {
    let ask = async |method: &'static Method| {
        let head = doors::grpc_head(method.path, Some(&site.cast.owner.token), false, &REHEARSED);
        let answer = doors::grpc(ATTACKER, site.attacked(), head, doors::frame(&[], false)).await;
        (answer.code != "Unimplemented").then_some(method)
    };
    let asked = stream::iter(METHODS.iter().map(ask)).buffered(4);
    asked.filter_map(async |method| method).collect().await
}

/// The cases of a class: one for each method, another with each seed, or all of them.
pub(crate) fn cases(methods: &[&'static Method], class: Class, length: Length, seed: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, method) in methods.iter().enumerate() {
        let recipes = recipes(method, class);
        if length == Length::Long {
            for recipe in recipes {
                let each = Caller::ALL.iter().flat_map(|caller| Way::ALL.map(|way| (*caller, way)));
                cases.extend(each.map(|(caller, way)| Case { method, recipe: recipe.clone(), caller, way, room: ROOM }));
            }
        } else if !recipes.is_empty() {
            let turn = mixed(seed << 32 | (class as usize) << 16 | number);
            let recipe = recipes[turn % recipes.len()].clone();
            let (caller, way) = (OFTEN[turn >> 16 & 7], Way::ALL[turn >> 24 & 3]);
            cases.push(Case { method, recipe, caller, way, room: SHORT_ROOM });
        }
    }
    cases
}

/// Numbers that follow each other, without a pattern between them (the last step of splitmix64).
fn mixed(number: usize) -> usize {
    let number = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((number ^ number >> 31) & 0xffff_ffff).unwrap_or_default()
}

/// A row for each class and service.
pub(crate) async fn all(stage: &mut Stage, methods: &[&'static Method], seed: usize, wanted: impl Fn(&str) -> bool) {
    for class in Class::ALL {
        let mut groups = BTreeMap::<_, Vec<_>>::new();
        for case in cases(methods, class, stage.length, seed) {
            let service = case.method.service.rsplit('.').next().unwrap_or_default();
            groups.entry(service.trim_end_matches("Service")).or_default().push(case);
        }
        for (service, cases) in groups {
            let name = format!("{class:?}: {service}");
            if wanted(&name) {
                let run = async |site: &Site, log: &Log, _| {
                    let sent = stream::iter(&cases).map(|case| case.send(site, log));
                    sent.buffer_unordered(AT_A_TIME).for_each(|_| async {}).await;
                };
                stage.row(&name, run).await;
            }
        }
    }
}

/// The cases of a class once more, in one row.
pub(crate) async fn once_more(stage: &mut Stage, methods: &[&'static Method], class: Class, seed: usize) {
    let cases = cases(methods, class, Length::Short, seed);
    let run = async |site: &Site, log: &Log, _| {
        let sent = stream::iter(&cases).map(|case| case.send(site, log));
        sent.buffer_unordered(AT_A_TIME).for_each(|_| async {}).await;
    };
    stage.row(&format!("{class:?}: once more"), run).await;
}
