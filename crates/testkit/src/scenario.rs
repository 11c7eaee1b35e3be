//! A story told once and played over both transports.

use client::Options;
use contract::Rpc;

use crate::{Actor, Outcome, Setup, TestServer, Transcript, Transport};

/// One playing of a story: a server, its first actors and the transcript.
#[derive(Debug)]
pub struct Scenario {
    /// The server, which nobody else uses.
    pub server: TestServer,
    /// How this playing travels.
    pub transport: Transport,
    /// What has happened so far.
    pub transcript: Transcript,
}

impl Scenario {
    async fn begin(transport: Transport, setup: Setup) -> Self {
        let server = TestServer::start_with(setup).await;
        let mut transcript = Transcript::default();
        transcript.name(server.base_url(), "base");
        transcript.name(server.host(), "host");
        transcript.name(server.organization().as_str(), "org");
        transcript.name(server.admin_uid().as_str(), "admin");
        Self { server, transport, transcript }
    }

    /// Makes a call and writes its whole answer down under `title`.
    pub async fn call<R: Rpc>(&mut self, title: &str, actor: &Actor, request: R::Request) -> Outcome {
        let outcome = self.quietly::<R>(actor, request).await;
        self.transcript.step(title, &outcome);
        outcome
    }

    /// Makes a call under conditions and writes its whole answer down under `title`.
    pub async fn call_with<R: Rpc>(&mut self, title: &str, actor: &Actor, request: R::Request, options: &Options) -> Outcome {
        let outcome = self.quietly_with::<R>(actor, request, options).await;
        self.transcript.step(title, &outcome);
        outcome
    }

    /// Makes a call without writing it down.
    pub async fn quietly<R: Rpc>(&self, actor: &Actor, request: R::Request) -> Outcome {
        actor.call::<R>(self.transport, request).await
    }

    /// Makes a call under conditions without writing it down.
    pub async fn quietly_with<R: Rpc>(&self, actor: &Actor, request: R::Request, options: &Options) -> Outcome {
        actor.call_with::<R>(self.transport, request, options).await
    }

    /// From now on `value` appears in the transcript as `<name>`.
    pub fn name(&mut self, value: impl Into<String>, name: &str) {
        self.transcript.name(value, name);
    }
}

/// Plays `story` over JSON and over gRPC and returns the transcript that both gave.
///
/// Panics when the two transcripts differ.
pub async fn scenario(story: impl AsyncFn(&mut Scenario)) -> String {
    scenario_on(Setup::default(), story).await
}

/// [`scenario()`], on servers that are special in this way.
///
/// Panics when the two transcripts differ.
pub async fn scenario_on(setup: Setup, story: impl AsyncFn(&mut Scenario)) -> String {
    let mut transcripts = Vec::new();
    for transport in [Transport::Json, Transport::Grpc] {
        let mut scenario = Scenario::begin(transport, setup.clone()).await;
        story(&mut scenario).await;
        transcripts.push(scenario.transcript.finish());
        scenario.server.stop().await;
    }
    let grpc = transcripts.pop().unwrap_or_default();
    let json = transcripts.pop().unwrap_or_default();
    assert_eq!(json, grpc, "JSON (left) and gRPC (right) must answer the same");
    json
}
