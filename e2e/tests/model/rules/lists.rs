//! Lists: all of them, by one scan, a filter and a sort.

use serde_json::{Value, json};

use super::rights::{Rights, to};
use crate::model::{
    answer::{Outcome, wrong},
    history::{Above, By, List, Noun, Proof, Ref, Tree},
    state::{State, Thing, What, instant, parent, within},
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
        if list.order.by == By::Unknown || list.order.by == By::Name && list.noun == Noun::Binding {
            return wrong("ORDER_BY", &["order_by"]);
        }
        let capability = to("list", list.noun);
        let sees = |uid: &str| rights.hold(capability, uid) || list.noun == Noun::Role && parent(uid).is_none();
        let mut found: Vec<(&String, &Thing)> = self
            .all(list.noun)
            .filter(|(uid, thing)| sees(uid) && self.in_tree(uid, &list.tree) && self.fits(uid, thing, list))
            .collect();
        found.sort_by(|(a, first), (b, second)| {
            let by_key = match list.order.by {
                By::Name => first.what.name().cmp(second.what.name()),
                By::Created => instant(first.created).cmp(&instant(second.created)),
                By::Uid | By::Unknown => std::cmp::Ordering::Equal,
            };
            by_key.then_with(|| a.cmp(b))
        });
        if list.order.descending {
            found.reverse();
        }
        let rows: Vec<Value> = found.iter().map(|(uid, _)| self.show(uid)).collect();
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

    fn fits(&self, uid: &str, thing: &Thing, list: &List) -> bool {
        let is = |wanted: &Option<Ref>, uid: &str| wanted.as_ref().is_none_or(|wanted| self.uid(wanted) == uid);
        let named = list.name.is_empty() || thing.what.name() == list.name;
        match &thing.what {
            What::Identity { proof: Proof::Subject(_), .. } => named && [0, 1].contains(&list.proof),
            What::Identity { proof: Proof::Principal(_), .. } => named && [0, 4].contains(&list.proof),
            What::Binding { identity, role } => {
                is(&list.identity, identity) && is(&list.role, role) && is(&list.group, parent(uid).unwrap_or("/"))
            }
            What::Group { .. } | What::Role { .. } | What::Repo { .. } | What::Tag { .. } => named,
        }
    }
}
