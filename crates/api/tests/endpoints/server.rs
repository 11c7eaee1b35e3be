//! A server without its door: the use cases over a store in a folder of its own, called by an operator.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use api::Endpoint;
use contract::Rpc;
use domain::{
    Actor, Caller, CapabilitySet, Clock, Ctx, Entropy, Error, Etag, Grants, Narrowing, Result, Secret, Timestamp, error::Detail,
    iam::identity::operator_uid, ports::Seal,
};
use prost::Message;
use services::{Bootstrap, UseCases};
use store::{Store, StoreConfig};
use sts::{Exchange, Issuers, Operators, RelationshipCheck, RootKey, Sealer, SigningKeys, Tokens, Workers};

/// The URL of the server.
pub(crate) const URL: &str = "https://provost.example";
/// When everything happens.
pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000);

pub(crate) struct Server {
    endpoints: BTreeMap<&'static str, Endpoint>,
    pub(crate) operators: Operators,
    entropy: Arc<dyn Entropy>,
    _data: tempfile::TempDir,
}

/// An answer: the message and its entity tag.
pub(crate) type Answer<R> = Result<(<R as Rpc>::Response, Option<String>)>;

impl Server {
    pub(crate) async fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let (clock, entropy) = (Arc::new(Still) as Arc<dyn Clock>, Arc::new(Counted::default()) as Arc<dyn Entropy>);
        let config = StoreConfig::sqlite(data.path());
        let store = Store::open(&config, clock.clone(), entropy.clone()).await.unwrap();
        let ctx = Ctx::system("test", NOW, entropy.clone());
        let root = Arc::new(RootKey::from_bytes(&Secret::new([7; 32])));
        let settings = Arc::new(sts::Settings::new(URL));
        let keys = SigningKeys::open(store.clone(), root.clone(), &settings.limits, clock, &ctx).await.unwrap();
        let tokens = Tokens::new(settings.clone(), keys);
        let seal: Arc<dyn Seal> = Arc::new(Sealer::new(root, entropy.clone()));
        Bootstrap::new(store.clone()).built_in_roles(&ctx).await.unwrap();
        let rules = services::Settings::default();
        let relationships = Arc::new(RelationshipCheck::new(&settings, Workers::new(&settings)));
        let use_cases = UseCases::new(&store, &seal, &rules, relationships);
        let (issuers, workers) = (Issuers::new(&settings), Workers::new(&settings));
        let exchange = Exchange::new(store.clone(), tokens.clone(), issuers, settings.clone(), workers);
        let endpoints =
            api::endpoints(&use_cases, &exchange).into_iter().map(|endpoint| (endpoint.method.path, endpoint)).collect();
        Self { endpoints, operators: Operators::new(store, tokens, settings), entropy, _data: data }
    }

    /// The context of a call by an operator.
    pub(crate) fn ctx(&self) -> Ctx {
        let caller = Caller {
            identity: operator_uid(),
            operator: true,
            issuer: URL.into(),
            audience: vec![URL.into()],
            issued_at: NOW,
            expires_at: NOW.plus_seconds(3600),
            token_id: "t".into(),
            upstream: None,
            email: None,
            narrowing: Narrowing::default(),
        };
        Ctx {
            actor: Actor::Caller(Arc::new(caller)),
            grants: Arc::new(Grants::everything()),
            needed: Some(CapabilitySet::default()),
            ..Ctx::system("test", NOW, self.entropy.clone())
        }
    }

    /// Calls an RPC as an operator; the marker names it.
    pub(crate) async fn call<R: Rpc>(&self, rpc: R, request: R::Request) -> Answer<R> {
        self.call_in(self.ctx(), rpc, request).await
    }

    /// Calls an RPC as an operator who has seen this entity tag.
    pub(crate) async fn call_matching<R: Rpc>(&self, etag: &str, rpc: R, request: R::Request) -> Answer<R> {
        self.call_in(Ctx { if_match: Some(Etag(etag.to_owned())), ..self.ctx() }, rpc, request).await
    }

    /// Calls an RPC in this context.
    pub(crate) async fn call_in<R: Rpc>(&self, ctx: Ctx, _: R, request: R::Request) -> Answer<R> {
        let endpoint = self.endpoints.get(R::METHOD.path).expect("the RPC is registered");
        let call = endpoint
            .decode(endpoint.count(request.encode_to_vec().into()).expect("it has few elements"))
            .expect("the request decodes");
        let answer = call.run(Arc::new(Ctx { method: R::METHOD.path, ..ctx })).await?;
        Ok((R::Response::decode(answer.wire()).expect("the answer decodes"), answer.etag))
    }
}

/// What a refusal says.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(answer: Result<T>) -> String {
    answer.unwrap_err().message().to_owned()
}

/// The fields that a refusal names.
#[track_caller]
pub(crate) fn violated<T: std::fmt::Debug>(answer: Result<T>) -> Vec<String> {
    fields(&answer.unwrap_err())
}

fn fields(error: &Error) -> Vec<String> {
    let named = error.details().iter().filter_map(|detail| match detail {
        Detail::Fields(violations) => Some(violations.iter().map(|violation| violation.field.clone())),
        _ => None,
    });
    named.flatten().collect()
}

/// A clock that stands still.
#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        NOW
    }
}

/// Bytes that never repeat.
#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        let count = self.0.fetch_add(1, Ordering::SeqCst).to_be_bytes();
        bytes.iter_mut().rev().zip(count.iter().rev()).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}
