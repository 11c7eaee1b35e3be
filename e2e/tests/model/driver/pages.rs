//! Lists page by page.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::{Actor, Outcome, Transport};

use super::{Driver, compare};
use crate::model::{
    history::{Above, Action, By, Caller, Field, List, Order, Step, Tree},
    nouns::Noun,
};

impl Driver {
    /// Reads the first pages of a list; the body is what they say, each on its own.
    pub(super) async fn list(&self, step: &Step, actor: &Actor, list: &List) -> Outcome {
        let mut pages = Vec::new();
        let (mut token, mut skip) = (String::new(), list.skip);
        loop {
            let mut outcome = self.page(step, actor, list, token.clone(), skip).await;
            if outcome.code != "OK" {
                return outcome;
            }
            outcome.body["nextPageToken"].as_str().unwrap_or_default().clone_into(&mut token);
            skip = list.skip_between;
            pages.push(outcome.body);
            if token.is_empty() || pages.len() == list.pages {
                outcome.body = Value::Array(pages);
                return outcome;
            }
        }
    }

    async fn page(&self, step: &Step, actor: &Actor, list: &List, page_token: String, skip: i32) -> Outcome {
        let mut request = json!({
            "uidp": self.filter(&list.tree), "page_size": list.page_size, "page_token": page_token, "order_by": list.order.text,
            "skip": skip,
        });
        for (filter, wanted) in &list.filters {
            request[*filter] = self.state.value(wanted);
        }
        if list.noun == Noun::Tag {
            for all in ["include_referrers", "include_dates", "include_epochs"] {
                request[all] = true.into();
            }
        }
        self.send(step, actor, request).await
    }

    /// The part of the tree; nothing where it is all.
    fn filter(&self, tree: &Tree) -> Value {
        let mut filter = json!({});
        let members = [("ancestors_of", &tree.ancestors_of), ("descendants_of", &tree.descendants_of)];
        for (member, of) in members.into_iter().filter_map(|(member, of)| Some((member, of.as_ref()?))) {
            filter[member] = self.state.uid(of).into();
        }
        match &tree.children_of {
            None => {}
            Some(Above::Everything) => filter["children_of"] = "/".into(),
            Some(Above::Thing(of)) => filter["children_of"] = self.state.uid(of).into(),
        }
        if tree.in_root {
            filter["in_root"] = true.into();
        }
        if !tree.ids.is_empty() {
            filter["ids"] = tree.ids.iter().map(|id| self.state.uid(id)).collect();
        }
        if filter == json!({}) { Value::Null } else { filter }
    }

    /// All things of a noun, as an operator sees them.
    pub(super) async fn everything(&mut self, noun: Noun) -> Vec<Value> {
        self.all_of(plain(noun)).await
    }

    /// The binding of an identity at a group, to that role; to any where it is empty.
    pub(super) async fn binding_of(&mut self, group: &str, identity: &str, role: &str) -> Option<String> {
        let wanted = [("group", group), ("identity", identity), ("role", role)].into_iter().filter(|(_, uid)| !uid.is_empty());
        let filters = wanted.map(|(filter, uid)| (filter, Field::Is(uid.into()))).collect();
        let found = self.all_of(List { filters, ..plain(Noun::Binding) }).await;
        found.first().and_then(|binding| binding["uid"].as_str()).map(str::to_owned)
    }

    async fn all_of(&mut self, list: List) -> Vec<Value> {
        let eye = self.eye().await;
        let key = rows_key(list.noun);
        let step = Step {
            number: 0,
            wait: 0,
            caller: Caller::Nobody,
            transport: Transport::Grpc,
            validate_only: false,
            if_match: None,
            action: Action::List(list.clone()),
        };
        let outcome = self.list(&step, &eye, &list).await;
        assert_eq!(outcome.code, "OK", "{:#}", outcome.body);
        let pages = outcome.body.as_array().into_iter().flatten();
        pages.flat_map(|page| page[&key].as_array().cloned().unwrap_or_default()).collect()
    }
}

/// Compares the pages of a list with all that it has; the error says what should have come.
pub(super) fn compare(list: &List, rows: &[Value], outcome: &Outcome) -> Result<(), String> {
    let Value::Array(pages) = &outcome.body else { return Err(format!("a list of {} rows", rows.len())) };
    let size = match list.page_size {
        0 => 50,
        asked => usize::try_from(asked.min(200)).expect("negative sizes are refused"),
    };
    let (mut left, mut skip) = (rows, list.skip);
    for (number, page) in pages.iter().enumerate() {
        left = left.get(usize::try_from(skip).expect("negative skips are refused")..).unwrap_or_default();
        let here = &left[..size.min(left.len())];
        left = &left[here.len()..];
        let mut got = page.clone();
        let more = got.as_object_mut().and_then(|page| page.remove("nextPageToken")).is_some_and(|token| token != "");
        let expected = json!({(rows_key(list.noun)): here, "totalCount": rows.len().to_string(), "skipped": skip});
        if more == left.is_empty() || compare::normal(&expected) != compare::normal(&got) {
            return Err(format!("page {number} (with more after it: {}) to be {expected:#}", !left.is_empty()));
        }
        skip = list.skip_between;
    }
    Ok(())
}

/// The field of a list's answer that has the rows.
fn rows_key(noun: Noun) -> String {
    let (first, rest) = noun.declared().many.split_at(1);
    first.to_lowercase() + rest
}

fn plain(noun: Noun) -> List {
    List {
        noun,
        tree: Tree::default(),
        filters: BTreeMap::new(),
        order: Order { by: By::Uid, descending: false, text: "uid" },
        page_size: 200,
        skip: 0,
        skip_between: 0,
        pages: usize::MAX,
    }
}
