//! Feeds that scanners read, over plain HTTP: paths, methods and bodies are those of the databases that scanners know (ADR 27).

mod answer;
mod osv;
mod place;

use std::{fmt, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, Response},
    routing::any,
};
use domain::{
    Actor, Caller, Clock, Ctx, EntityTags, Entropy, Error, Grants, Kind, LentSecret, Uidp,
    ports::{Answered, Authenticate, Refusals},
};
use services::{
    Feeds,
    vulnerabilities::feeds::{Form, manifest},
};

use place::Place;

/// What feeds are served with.
#[derive(Clone)]
pub struct FeedParts {
    /// The use cases.
    pub feeds: Feeds,
    /// Who judges tokens.
    pub authenticate: Arc<dyn Authenticate>,
    /// Who records what was refused.
    pub refusals: Arc<dyn Refusals>,
    /// Where the present comes from.
    pub clock: Arc<dyn Clock>,
    /// Where random bytes come from.
    pub entropy: Arc<dyn Entropy>,
    /// What entity tags are made by.
    pub tags: EntityTags,
    /// The URL under which clients reach the server.
    pub base_url: String,
}

/// The method of feeds in the audit log.
const METHOD: &str = "/provost.vulnerabilities.Feeds/Read";

/// The routes of feeds.
pub fn routes(parts: FeedParts) -> Router {
    let paths = ["/osv/{*rest}", "/vex/{*rest}", "/secdb/{*rest}"];
    paths.into_iter().fold(Router::new(), |router, path| router.route(path, any(serve))).with_state(parts)
}

async fn serve(State(parts): State<FeedParts>, request: Request) -> Response<Body> {
    let mut caller = None;
    let answered = parts.answer(request, &mut caller).await;
    let mut response = answered.unwrap_or_else(answer::failed);
    if let Some(caller) = caller {
        response.extensions_mut().insert(Answered(caller));
    }
    response
}

impl FeedParts {
    async fn answer(&self, request: Request, caller: &mut Option<Arc<Caller>>) -> Result<Response<Body>, Error> {
        let Some(place) = Place::parse(request.uri().path())? else { return Ok(answer::nothing()) };
        let ctx = self.admit(request.headers(), &place.group, caller).await?;
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let form = place.form;
        match place.rest.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [".well-known", "vex-repository.json"] if form == Form::Vex && is_read => {
                let archive = format!("{}/vex/{}/vex-data.zip", self.base_url, place.group);
                Ok(answer::json(manifest(place.group.as_str(), &archive)))
            }
            ["v1", ..] if form != Form::Osv => Ok(answer::nothing()),
            ["v1", "query"] if request.method() == Method::POST => osv::query(&self.feeds, &place.group, request).await,
            ["v1", "querybatch"] if request.method() == Method::POST => {
                osv::query_batch(&self.feeds, &place.group, request).await
            }
            ["v1", "query" | "querybatch"] => Ok(answer::other_verb("POST")),
            [] | ["v1", "vulns"] => Ok(answer::nothing()),
            _ if !is_read => Ok(answer::other_verb("GET, HEAD")),
            ["v1", "vulns", ref id @ ..] => osv::vulnerability(&self.feeds, &place.group, &id.join("/")).await,
            ref name => {
                let (name, has) = (name.join("/"), answer::has(request.headers()));
                answer::file(&name, self.feeds.file(&ctx, &place.group, form, &name, &has).await?)
            }
        }
    }

    /// The context of who reads. What is public everybody may read, whatever they send along.
    async fn admit(&self, headers: &HeaderMap, group: &Uidp, caller: &mut Option<Arc<Caller>>) -> Result<Ctx, Error> {
        let now = self.clock.now();
        let ctx = |actor: Actor, grants: Arc<Grants>| Ctx {
            actor,
            grants,
            tags: self.tags.clone(),
            ..Ctx::system(METHOD, now, Arc::clone(&self.entropy))
        };
        if self.feeds.is_public(group).await? {
            return Ok(ctx(Actor::Anonymous, Arc::default()));
        }
        let token = answer::token(headers)?;
        let (who, grants) = self.authenticate.authenticate(LentSecret::new(token.expose()), now).await?;
        *caller = Some(Arc::clone(&who));
        let ctx = ctx(Actor::Caller(who), grants);
        Feeds::check(&ctx, group).inspect_err(|error| {
            if error.kind() == Kind::PermissionDenied {
                self.refusals.record(&ctx, Some(group.as_str()), error);
            }
        })?;
        Ok(ctx)
    }
}

impl fmt::Debug for FeedParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedParts").field("feeds", &self.feeds).finish_non_exhaustive()
    }
}
