//! Lists, whole: every page of them.

use client::Client;
use contract::{
    Rpc,
    chainguard::platform::{
        common::UidpFilter,
        iam::v2beta1::{self as iam, rpc as iam_rpc},
        registry::v2beta1::{self as registry, rpc as registry_rpc},
    },
};

use crate::exit::Failure;

/// An RPC that answers in pages (AIP-158).
pub(crate) trait Listing: Rpc {
    /// What it lists.
    type Item;
    /// Asks for up to `size` items from `token` on.
    fn turn(request: &mut Self::Request, size: i32, token: String);
    /// The items of a page and the token of the next, empty on the last.
    fn take(page: Self::Response) -> (Vec<Self::Item>, String);
}

macro_rules! listing {
    ($($rpc:path => $item:path, $items:ident;)*) => {$(
        impl Listing for $rpc {
            type Item = $item;

            fn turn(request: &mut Self::Request, size: i32, token: String) {
                request.page_size = size;
                request.page_token = token;
            }

            fn take(page: Self::Response) -> (Vec<$item>, String) {
                (page.$items, page.next_page_token)
            }
        }
    )*};
}

listing! {
    iam_rpc::ListGroups => iam::Group, groups;
    iam_rpc::ListIdentities => iam::Identity, identities;
    iam_rpc::ListRoles => iam::Role, roles;
    iam_rpc::ListRoleBindings => iam::RoleBinding, role_bindings;
    registry_rpc::ListRepos => registry::Repo, repos;
}

/// Everything that `request` selects.
///
/// # Errors
/// Whatever any page answers but OK.
pub(crate) async fn all<R: Listing>(client: &Client, mut request: R::Request) -> Result<Vec<R::Item>, Failure> {
    /// The largest page that servers give.
    const PAGE: i32 = 200;
    let (mut items, mut token) = (Vec::new(), String::new());
    loop {
        R::turn(&mut request, PAGE, token);
        let (page, next) = R::take(client.call::<R>(request.clone()).await?);
        items.extend(page);
        if next.is_empty() {
            return Ok(items);
        }
        token = next;
    }
}

/// What lies below `parent`: everything, or the next level alone. No parent selects everything.
pub(crate) fn below(parent: Option<String>, recursive: bool) -> Option<UidpFilter> {
    let parent = parent?;
    Some(if recursive {
        UidpFilter { descendants_of: parent, ..UidpFilter::default() }
    } else {
        UidpFilter { children_of: parent, ..UidpFilter::default() }
    })
}

/// The order of lists that people read.
pub(crate) fn by_name() -> String {
    "name".to_owned()
}

/// Only what has no parent.
pub(crate) fn roots() -> UidpFilter {
    UidpFilter { in_root: true, ..UidpFilter::default() }
}
