//! Lists page by page.

use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{ListGroupsRequest, ListIdentitiesRequest, ListRoleBindingsRequest, ListRolesRequest, rpc},
    registry::v2beta1::{
        ListReposRequest, ListTagsRequest,
        rpc::{ListRepos, ListTags},
    },
};
use serde_json::{Value, json};
use testkit::{Actor, Outcome, Transport};

use super::{Driver, compare};
use crate::model::history::{Above, Action, By, Caller, List, Noun, Order, Step, Tree};

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
        let (uidp, page_size, name, order_by) =
            (self.filter(&list.tree), list.page_size, list.name.clone(), list.order.text.into());
        match list.noun {
            Noun::Group => {
                let request = ListGroupsRequest { uidp, name, page_size, page_token, order_by, skip };
                self.send::<rpc::ListGroups>(step, actor, request).await
            }
            Noun::Identity => {
                let relationship_type = list.proof;
                let request = ListIdentitiesRequest { uidp, name, relationship_type, page_size, page_token, order_by, skip };
                self.send::<rpc::ListIdentities>(step, actor, request).await
            }
            Noun::Role => {
                let request = ListRolesRequest { uidp, name, page_size, page_token, order_by, skip };
                self.send::<rpc::ListRoles>(step, actor, request).await
            }
            Noun::Binding => {
                let [identity, group, role] = [&list.identity, &list.group, &list.role].map(|name| self.optional(name.as_ref()));
                let request = ListRoleBindingsRequest { uidp, identity, group, role, page_size, page_token, order_by, skip };
                self.send::<rpc::ListRoleBindings>(step, actor, request).await
            }
            Noun::Repo => {
                let name = (!name.is_empty()).then_some(name);
                let request = ListReposRequest { uidp, name, page_size, page_token, order_by, skip };
                self.send::<ListRepos>(step, actor, request).await
            }
            Noun::Tag => {
                let request = ListTagsRequest {
                    uidp,
                    name,
                    page_size,
                    page_token,
                    order_by,
                    skip,
                    include_referrers: true,
                    include_dates: true,
                    include_epochs: true,
                    ..ListTagsRequest::default()
                };
                self.send::<ListTags>(step, actor, request).await
            }
        }
    }

    fn filter(&self, tree: &Tree) -> Option<UidpFilter> {
        let children_of = match &tree.children_of {
            None => String::new(),
            Some(Above::Everything) => "/".to_owned(),
            Some(Above::Thing(of)) => self.state.uid(of),
        };
        let filter = UidpFilter {
            ancestors_of: self.optional(tree.ancestors_of.as_ref()),
            descendants_of: self.optional(tree.descendants_of.as_ref()),
            children_of,
            in_root: tree.in_root,
            ids: tree.ids.iter().map(|id| self.state.uid(id)).collect(),
        };
        (filter != UidpFilter::default()).then_some(filter)
    }

    /// All things of a noun, as an operator sees them.
    pub(super) async fn everything(&mut self, noun: Noun) -> Vec<Value> {
        self.all_of(plain(noun)).await
    }

    /// The binding of a group that has one.
    pub(super) async fn only_binding(&mut self, group: &str) -> Option<String> {
        let eye = self.eye().await;
        let request = ListRoleBindingsRequest { group: group.to_owned(), ..ListRoleBindingsRequest::default() };
        let page = eye.call::<rpc::ListRoleBindings>(Transport::Grpc, request).await;
        page.body["roleBindings"][0]["uid"].as_str().map(str::to_owned)
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
        pages.flat_map(|page| page[key].as_array().cloned().unwrap_or_default()).collect()
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
        let expected = json!({rows_key(list.noun): here, "totalCount": rows.len().to_string(), "skipped": skip});
        if more == left.is_empty() || compare::normal(&expected) != compare::normal(&got) {
            return Err(format!("page {number} (with more after it: {}) to be {expected:#}", !left.is_empty()));
        }
        skip = list.skip_between;
    }
    Ok(())
}

fn rows_key(noun: Noun) -> &'static str {
    match noun {
        Noun::Group => "groups",
        Noun::Identity => "identities",
        Noun::Role => "roles",
        Noun::Binding => "roleBindings",
        Noun::Repo => "repos",
        Noun::Tag => "tags",
    }
}

fn plain(noun: Noun) -> List {
    List {
        noun,
        tree: Tree::default(),
        name: String::new(),
        proof: 0,
        identity: None,
        group: None,
        role: None,
        order: Order { by: By::Uid, descending: false, text: "" },
        page_size: 200,
        skip: 0,
        skip_between: 0,
        pages: usize::MAX,
    }
}
