//! The RPCs that every noun has, tied to its use cases: what differs between nouns is what their messages are called.

use contract::{ListAnswer, ListRequest, Message, Rpc};
use domain::{Result, Violations};
use services::{Noun, Nouns};

use crate::{
    endpoint::{Endpoint, answer, on},
    list::{self, Asked},
    uidp,
};

/// Reads the one with the request's identifier.
pub(crate) fn gets<R: Rpc, N: Noun>(
    rpc: R,
    nouns: &Nouns<N>,
    uid: fn(&R::Request) -> &str,
    to_wire: fn(&N::Answer) -> R::Response,
) -> Endpoint {
    on(rpc, nouns, move |nouns, ctx, request: R::Request| async move {
        let found = nouns.get(&ctx, &uidp::one("uid", uid(&request))?).await?;
        Ok(answer(&ctx, &found, to_wire))
    })
}

/// Lists page by page; `filter` reads what only this noun's lists have.
pub(crate) fn lists<R: Rpc, N: Noun>(
    rpc: R,
    nouns: &Nouns<N>,
    filter: fn(&R::Request, &mut Violations) -> N::Filter,
    to_wire: fn(&N::Answer) -> <R::Response as ListAnswer>::Item,
) -> Endpoint
where
    R::Request: ListRequest,
    R::Response: ListAnswer,
{
    on(rpc, nouns, move |nouns, ctx, request: R::Request| async move {
        let mut violations = Violations::default();
        let filter = filter(&request, &mut violations);
        let page = nouns.list(&ctx, list::parse(&request, N::ORDER, violations)?, filter).await?;
        Ok(list::answer::<_, R::Response>(page, to_wire))
    })
}

/// Lists without pages what `read` says is asked for.
pub(crate) fn lists_whole<R: Rpc, N: Noun<Filter: Clone>, W: Message>(
    rpc: R,
    nouns: &Nouns<N>,
    read: fn(R::Request) -> Result<Asked<N::Filter>>,
    to_wire: fn(&N::Answer) -> W,
    whole: fn(Vec<W>) -> R::Response,
) -> Endpoint {
    on(rpc, nouns, move |nouns, ctx, request: R::Request| async move {
        let (part, filter) = read(request)?;
        let items = list::whole(part, |page| nouns.list(&ctx, page, filter.clone()), to_wire).await?;
        Ok(whole(items))
    })
}

/// Deletes the one with the request's identifier, which is the request's scope.
pub(crate) fn deletes<R: Rpc<Response = ()>, N: Noun>(rpc: R, nouns: &Nouns<N>) -> Endpoint {
    on(rpc, nouns, |nouns, ctx, request: R::Request| async move {
        let field = R::METHOD.scope.last().map_or("uid", |field| field.name);
        nouns.delete(&ctx, &uidp::one(field, request.scope().unwrap_or_default())?).await
    })
}
