//! Lists: all of them, by one scan, a filter and a sort.

use serde_json::{Value, json};

use super::rights::Rights;
use crate::model::{
    answer::{Outcome, wrong},
    history::{Above, By, List, Ref, Tree},
    nouns::Noun,
    state::{State, Thing, instant, parent, within},
};

impl State {
    /// The whole list in order; how it comes in pages is up to whoever compares.
    pub(super) fn list(&self, rights: &Rights, list: &List) -> Outcome {
        if list.page_size < 0 {
            return wrong("PAGE_SIZE", &["page_size"]);
        }
        if list.skip < 0 {
            return wrong("SKIP", &["skip"]);
        }
        let (noun, mut order) = (list.noun, list.order);
        if order.by == By::Unknown || order.by == By::Name && !noun.has_name() {
            return wrong("ORDER_BY", &["order_by"]);
        }
        if order.by == By::Default && noun == Noun::Invite {
            (order.by, order.descending) = (By::Created, true);
        }
        let sees = |uid: &str| rights.hold_all(noun.declared().list, uid) || noun == Noun::Role && parent(uid).is_none();
        let mut found: Vec<(&String, &Thing)> = self
            .all(noun)
            .filter(|(uid, thing)| sees(uid) && self.in_tree(uid, &list.tree) && self.passes(noun, uid, thing, list))
            .collect();
        found.sort_by(|(a, first), (b, second)| {
            let by_key = match order.by {
                By::Name => first.fields.text("name").cmp(second.fields.text("name")),
                By::Created => instant(first.created).cmp(&instant(second.created)),
                By::Default | By::Uid | By::Unknown => std::cmp::Ordering::Equal,
            };
            by_key.then_with(|| a.cmp(b))
        });
        if order.descending {
            found.reverse();
        }
        let rows: Vec<Value> = found.iter().map(|(uid, _)| self.show(noun, uid)).collect();
        Ok((json!(rows), None))
    }

    fn in_tree(&self, uid: &str, tree: &Tree) -> bool {
        let is = |wanted: &Option<Ref>, test: &dyn Fn(&str) -> bool| wanted.as_ref().is_none_or(|wanted| test(&self.uid(wanted)));
        is(&tree.ancestors_of, &|of| uid != of && within(of, uid))
            && is(&tree.descendants_of, &|of| within(uid, of))
            && match &tree.children_of {
                None => true,
                Some(Above::Everything) => parent(uid).is_none(),
                Some(Above::Thing(of)) => parent(uid) == Some(self.uid(of).as_str()),
            }
            && (!tree.in_root || parent(uid).is_none())
            && (tree.ids.is_empty() || tree.ids.iter().any(|id| self.uid(id) == uid))
    }

    /// Whether the thing is what all filters say.
    fn passes(&self, noun: Noun, uid: &str, thing: &Thing, list: &List) -> bool {
        list.filters.iter().all(|(filter, wanted)| {
            let (_, about) = noun.declared().filters.iter().find(|(name, _)| name == filter).expect("a filter of the noun");
            let wanted = self.value(wanted);
            match *about {
                "parent" => wanted == parent(uid).unwrap_or("/"),
                "relationship_type" if thing.fields.get("service_principal").is_some() => wanted == 4,
                "relationship_type" => wanted == 1,
                path => wanted == thing.fields.text(path),
            }
        })
    }
}
