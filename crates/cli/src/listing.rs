//! Lists: page after page, as far as they are wanted.

use std::num::NonZeroUsize;

use clap::Args;
use client::{Client, Options};
use contract::{
    Rpc,
    chainguard::platform::{
        common::UidpFilter,
        events::v2beta1::{self as events, rpc as events_rpc},
        iam::v2beta1::{self as iam, rpc as iam_rpc},
        registry::v2beta1::{self as registry, rpc as registry_rpc},
        vulnerabilities::v2beta1::{self as vulnerabilities, rpc as vulnerabilities_rpc},
    },
    provost::{
        events::v1::{self as own_events, rpc as own_events_rpc},
        iam::v1::{self as own, rpc as own_rpc},
    },
};

use crate::{
    exit::Failure,
    global::Global,
    output::{Format, List, Show, remark},
    plain::plain,
    waiting::Waiting,
};

/// An RPC that answers in pages (AIP-158).
pub(crate) trait Listing: Rpc {
    /// What it lists.
    type Item;
    /// What people call that.
    const NOUNS: &'static str;
    /// Asks for up to `size` items from `token` on.
    fn turn(request: &mut Self::Request, size: i32, token: String);
    /// Asks for an order.
    fn sort(request: &mut Self::Request, order: String);
    /// Takes a page apart.
    fn take(page: Self::Response) -> Page<Self::Item>;
}

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page<T> {
    items: Vec<T>,
    /// The token of the next page, empty on the last.
    next: String,
    /// How many items there are over all pages.
    total: Option<i64>,
}

macro_rules! listing {
    ($($rpc:path => $item:path, $items:ident, $nouns:literal;)*) => {$(
        impl Listing for $rpc {
            type Item = $item;
            const NOUNS: &'static str = $nouns;

            fn turn(request: &mut Self::Request, size: i32, token: String) {
                request.page_size = size;
                request.page_token = token;
            }

            fn sort(request: &mut Self::Request, order: String) {
                request.order_by = order;
            }

            fn take(page: Self::Response) -> Page<$item> {
                Page { items: page.$items, next: page.next_page_token, total: page.total_count }
            }
        }
    )*};
}

listing! {
    iam_rpc::ListGroups => iam::Group, groups, "groups";
    iam_rpc::ListIdentities => iam::Identity, identities, "identities";
    iam_rpc::ListIdentityProviders => iam::IdentityProvider, identity_providers, "identity providers";
    iam_rpc::ListExternalGroupRoleMappings => iam::ExternalGroupRoleMapping, external_group_role_mappings, "group mappings";
    iam_rpc::ListRoles => iam::Role, roles, "roles";
    iam_rpc::ListRoleBindings => iam::RoleBinding, role_bindings, "role bindings";
    iam_rpc::ListGroupInvites => iam::GroupInvite, group_invites, "invites";
    iam_rpc::ListAccountAssociations => iam::AccountAssociation, account_associations, "account associations";
    iam_rpc::ListTermsAcceptances => iam::TermsAcceptance, terms_acceptances, "acceptances";
    own_rpc::ListAccessRequests => own::AccessRequest, items, "access requests";
    registry_rpc::ListRepos => registry::Repo, repos, "repos";
    registry_rpc::ListTags => registry::Tag, tags, "tags";
    registry_rpc::ListOverlays => registry::Overlay, overlays, "overlays";
    registry_rpc::ListOverlayBindings => registry::OverlayBinding, overlay_bindings, "overlay bindings";
    vulnerabilities_rpc::ListAdvisories => vulnerabilities::Advisory, advisories, "advisories";
    events_rpc::ListSubscriptions => events::Subscription, subscriptions, "subscriptions";
}

impl Listing for own_events_rpc::ListDeadLetters {
    type Item = own_events::DeadLetter;
    const NOUNS: &'static str = "dead letters";

    fn turn(request: &mut Self::Request, size: i32, token: String) {
        request.page_size = size;
        request.page_token = token;
    }

    /// They have the order of their events alone.
    fn sort(_request: &mut Self::Request, _order: String) {}

    fn take(page: Self::Response) -> Page<Self::Item> {
        Page { items: page.dead_letters, next: page.next_page_token, total: Some(page.total_count) }
    }
}

/// How much of a list, and in which order.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Paging {
    /// Print at most this many
    #[arg(long, value_name = "NUMBER", value_parser = limit)]
    limit: Option<NonZeroUsize>,
    // The help is no Markdown.
    #[arg(long, help = "Sort by uid, name or created_at, folders also by path; add :desc for descending order")]
    #[arg(value_name = "FIELD[:desc]", value_parser = order)]
    order_by: Option<String>,
}

/// An order of the program's own, by the path of each item. No server has it: everything is fetched before it is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByPath {
    descending: bool,
    limit: usize,
}

impl Paging {
    /// Takes the order by path out, with the limit that then applies after sorting. It is taken when it was asked for, and where
    /// it is the `default`, when no order was.
    pub(crate) fn by_path(&mut self, default: bool) -> Option<ByPath> {
        let descending = match self.order_by.as_deref() {
            None if default => false,
            Some("path asc") => false,
            Some("path desc") => true,
            _ => return None,
        };
        self.order_by = None;
        Some(ByPath { descending, limit: self.limit.take().map_or(usize::MAX, NonZeroUsize::get) })
    }
}

impl ByPath {
    /// Sorts by `path`, so that each group stands before what lies in it, and keeps as much as was asked for.
    pub(crate) fn apply<T>(self, items: &mut Vec<T>, path: impl Fn(&T) -> &str) {
        items.sort_by_cached_key(|item| path(item).split('/').map(str::to_owned).collect::<Vec<_>>());
        if self.descending {
            items.reverse();
        }
        if items.len() > self.limit {
            items.truncate(self.limit);
            tell_more();
        }
    }
}

/// The pages of a list, fetched one by one.
struct Pages<'a, R: Listing> {
    client: &'a Client,
    request: R::Request,
    /// The token of the next page; `None` after the last.
    token: Option<String>,
    got: usize,
    waiting: Waiting,
}

impl<'a, R: Listing> Pages<'a, R> {
    /// The largest page that servers give.
    const PAGE: usize = 200;

    /// The pages of what `request` selects.
    fn new(client: &'a Client, request: R::Request, waiting: Waiting) -> Self {
        Self { client, request, token: Some(String::new()), got: 0, waiting }
    }

    /// The next page, which is asked to have `size` items at most; `None` after the last.
    async fn next(&mut self, size: usize) -> Result<Option<Vec<R::Item>>, Failure> {
        let Some(token) = self.token.take() else { return Ok(None) };
        let size = size.min(Self::PAGE);
        R::turn(&mut self.request, i32::try_from(size).unwrap_or(i32::MAX), token);
        let answer = self.waiting.during(self.client.call_with::<R>(self.request.clone(), &Options::default())).await?;
        if let Some(warning) = answer.warning {
            remark(&format!("warning: {}", plain(&warning)));
        }
        let page = R::take(answer.message);
        self.got += page.items.len();
        self.waiting.tell(self.got, page.total);
        self.token = Some(page.next).filter(|next| !next.is_empty());
        Ok(Some(page.items))
    }
}

/// Everything that `request` selects.
///
/// # Errors
/// Whatever any page answers but OK.
pub(crate) async fn all<R: Listing>(client: &Client, request: R::Request) -> Result<Vec<R::Item>, Failure> {
    first::<R>(client, request, usize::MAX).await
}

/// As [`all`], but no more than `most` items.
///
/// # Errors
/// Whatever any page answers but OK.
pub(crate) async fn first<R: Listing>(client: &Client, request: R::Request, most: usize) -> Result<Vec<R::Item>, Failure> {
    let mut pages = Pages::<R>::new(client, request, Waiting::new(R::NOUNS));
    let mut items = Vec::new();
    while items.len() < most {
        let Some(page) = pages.next(most - items.len()).await? else { break };
        items.extend(page);
    }
    items.truncate(most);
    Ok(items)
}

/// A list on its way to standard output.
pub(crate) struct Printed<'a, R: Listing> {
    pages: Pages<'a, R>,
    left: usize,
    limited: bool,
}

impl<'a, R: Listing> Printed<'a, R> {
    /// What `request` selects, as `paging` wants it.
    pub(crate) fn new(global: &Global, client: &'a Client, mut request: R::Request, paging: Paging) -> Self {
        if let Some(order) = paging.order_by {
            R::sort(&mut request, order);
        }
        let waiting = match global.output {
            Format::Table | Format::Wide | Format::Tree => Waiting::new(R::NOUNS),
            Format::Json | Format::Id | Format::Csv => Waiting::beside_output(R::NOUNS),
        };
        let left = paging.limit.map_or(usize::MAX, NonZeroUsize::get);
        Self { pages: Pages::new(client, request, waiting), left, limited: false }
    }

    /// The next items that `keep` wants; `None` when there are no more, or no more are wanted.
    ///
    /// # Errors
    /// Whatever the page answers but OK.
    pub(crate) async fn next(&mut self, keep: impl Fn(&R::Item) -> bool) -> Result<Option<Vec<R::Item>>, Failure> {
        if self.left == 0 {
            self.limited |= self.pages.token.is_some();
            return Ok(None);
        }
        // One more than wanted, to know whether there are more.
        let Some(mut items) = self.pages.next(self.left.saturating_add(1)).await? else { return Ok(None) };
        items.retain(keep);
        self.limited |= items.len() > self.left;
        items.truncate(self.left);
        self.left -= items.len();
        Ok(Some(items))
    }

    /// Tells people that there is more than they asked for.
    pub(crate) fn finish(self) {
        drop(self.pages);
        if self.limited {
            tell_more();
        }
    }
}

fn tell_more() {
    remark("there are more: raise --limit to see them");
}

/// Prints what `request` selects, as far as `keep` wants it.
///
/// # Errors
/// Whatever any page answers but OK.
pub(crate) async fn print<R>(
    global: &Global,
    client: &Client,
    request: R::Request,
    paging: Paging,
    keep: impl Fn(&R::Item) -> bool,
) -> Result<(), Failure>
where
    R: Listing<Item: Show>,
{
    let mut printed = Printed::<R>::new(global, client, request, paging);
    let mut list = List::new(global.output)?;
    while let Some(items) = printed.next(&keep).await? {
        items.iter().try_for_each(|item| list.add(item))?;
    }
    printed.finish();
    list.end()
}

/// What lies below `parent`: everything, or the next level alone. No parent selects everything.
///
/// # Errors
/// When the next level is wanted, but not of what.
pub(crate) fn below(parent: Option<String>, recursive: bool) -> Result<Option<UidpFilter>, Failure> {
    match parent {
        None if recursive => Ok(None),
        None => Err(Failure::usage("--no-recursive needs an organization or folder").hint("give one by name, path or UID")),
        Some(parent) if recursive => Ok(Some(UidpFilter { descendants_of: parent, ..UidpFilter::default() })),
        Some(parent) => Ok(Some(UidpFilter { children_of: parent, ..UidpFilter::default() })),
    }
}

/// The order of lists that people read.
pub(crate) fn by_name() -> String {
    "name".to_owned()
}

/// Only what has no parent.
pub(crate) fn roots() -> UidpFilter {
    UidpFilter { in_root: true, ..UidpFilter::default() }
}

/// Only these.
pub(crate) fn only(uids: Vec<String>) -> UidpFilter {
    UidpFilter { ids: uids, ..UidpFilter::default() }
}

/// How many at most.
fn limit(text: &str) -> Result<NonZeroUsize, String> {
    let number: usize = text.parse().map_err(|_| "must be a whole number".to_owned())?;
    NonZeroUsize::new(number).ok_or_else(|| "must be at least 1".to_owned())
}

/// `name`, `name:desc` or `name desc` in the words of the wire; the server knows which fields there are.
fn order(text: &str) -> Result<String, String> {
    let (field, direction) = text.split_once([':', ' ']).unwrap_or((text, "asc"));
    match direction.trim() {
        "asc" | "desc" if !field.is_empty() && field.chars().all(|c| c.is_ascii_lowercase() || c == '_') => {
            Ok(format!("{field} {}", direction.trim()))
        }
        _ => Err("must be a field, or a field with :desc, such as created_at:desc".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_two_spellings() {
        assert_eq!(order("name").as_deref(), Ok("name asc"));
        assert_eq!(order("created_at:desc"), order("created_at desc"));
        for bad in ["", ":desc", "name:down", "name,uid desc"] {
            assert!(order(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn groups_stand_before_what_lies_in_them() {
        let sorted = |text: Option<&str>, limit: Option<usize>| {
            let order_by = text.and_then(|text| order(text).ok());
            let mut paging = Paging { limit: limit.and_then(NonZeroUsize::new), order_by };
            let order = paging.by_path(true)?;
            let mut paths = vec!["a-b", "a/c", "a", "b", "a/b/c"];
            order.apply(&mut paths, |path| path);
            Some(paths)
        };
        assert_eq!(sorted(None, None), Some(vec!["a", "a/b/c", "a/c", "a-b", "b"]));
        assert_eq!(sorted(Some("path:desc"), Some(2)), Some(vec!["b", "a-b"]));
        assert_eq!(sorted(Some("name"), None), None);
        let mut paging = Paging::default();
        assert!(paging.by_path(false).is_none(), "it was not asked for");
    }
}
