//! Somebody with a token.

use client::{Options, Token};
use contract::Rpc;
use domain::Uidp;

use crate::{Doors, Outcome, Transport};

/// Somebody who calls the server: an identity with its API token, or nobody.
#[derive(Clone, Debug)]
pub struct Actor {
    /// Who it is; `None` without a token.
    pub identity: Option<Uidp>,
    /// Its API token.
    pub token: Option<Token>,
    /// Its connections.
    pub doors: Doors,
}

impl Actor {
    /// Makes the call `R`.
    pub async fn call<R: Rpc>(&self, transport: Transport, request: R::Request) -> Outcome {
        self.call_with::<R>(transport, request, &Options::default()).await
    }

    /// Makes the call `R` under conditions.
    pub async fn call_with<R: Rpc>(&self, transport: Transport, request: R::Request, options: &Options) -> Outcome {
        self.doors.call::<R>(transport, request, options).await
    }

    /// Makes the call `R` over gRPC and expects it to succeed.
    pub async fn must<R: Rpc>(&self, request: R::Request) -> R::Response {
        self.doors.grpc().call::<R>(request).await.unwrap_or_else(|error| panic!("{}: {error}", R::METHOD.name))
    }

    /// Sends plain HTTP with this actor's token.
    pub async fn http(&self, request: client::http::Request) -> client::http::Answer {
        self.doors.http().send(request).await.expect("the test server answers HTTP")
    }

    /// The actor's own identity.
    #[must_use]
    pub fn uid(&self) -> &Uidp {
        self.identity.as_ref().expect("this actor has an identity")
    }
}
