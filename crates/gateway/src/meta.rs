//! The server about itself: `/livez`, `/readyz`, `/openapi.json`.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use domain::{
    Error, Kind, Rule,
    ports::{Fitness, Ready},
};
use futures::future::join_all;
use http::Response;
use tokio::{sync::Mutex, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{body::Body, json};

/// The paths that the server answers itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Whether the process runs.
    Live,
    /// Whether every part can serve.
    Ready,
    /// The contract as an OpenAPI document.
    OpenApi,
}

impl Route {
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/livez" => Some(Self::Live),
            "/readyz" => Some(Self::Ready),
            "/openapi.json" => Some(Self::OpenApi),
            _ => None,
        }
    }
}

/// Answers one of the server's own paths.
///
/// # Errors
/// Unavailable when the server is asked whether it is ready, and is not.
pub(crate) async fn serve(readiness: &Readiness, route: Route) -> Result<Response<Body>, Error> {
    Ok(match route {
        Route::Live => json::answer(r#"{"status":"live"}"#),
        Route::OpenApi => json::answer(contract::openapi()),
        Route::Ready => match readiness.recent().await.as_ref() {
            Ok(Serving { checks, degraded }) if degraded.is_empty() => {
                json::answer(serde_json::json!({ "status": "ready", "checks": checks }).to_string())
            }
            Ok(Serving { checks, degraded }) => {
                json::answer(serde_json::json!({ "status": "degraded", "checks": checks, "degraded": degraded }).to_string())
            }
            Err(why) => return Err(Error::new(Kind::Unavailable, Rule::Unavailable, format!("not ready: {why}"))),
        },
    })
}

/// What the parts of a server say: why they cannot serve, if they cannot.
pub(crate) type Judgement = Result<Serving, String>;

/// The parts of a server that is ready.
#[derive(Debug)]
pub(crate) struct Serving {
    /// The names of all.
    checks: Vec<&'static str>,
    /// Those that serve less well than they should, each with its reason.
    degraded: Vec<String>,
}

/// The parts without which the server is not ready.
pub(crate) struct Readiness {
    parts: Vec<Arc<dyn Ready>>,
    timeout: Duration,
    /// Cancelled when no further requests are wanted, some time before the server stops.
    withdrawn: CancellationToken,
    stop: OnceLock<CancellationToken>,
    recent: Mutex<Option<(Instant, Arc<Judgement>)>>,
}

/// How old an answer may be. Anybody may ask, and each question to the parts costs a connection to the database.
const RECENT: Duration = Duration::from_secs(1);

impl Readiness {
    pub(crate) fn new(parts: Vec<Arc<dyn Ready>>, timeout: Duration) -> Self {
        Self { parts, timeout, withdrawn: CancellationToken::new(), stop: OnceLock::new(), recent: Mutex::new(None) }
    }

    /// From now on the server is not ready, although it goes on serving.
    pub(crate) fn withdraw(&self) {
        self.withdrawn.cancel();
    }

    /// Completes when the server is withdrawn.
    pub(crate) async fn withdrawn(&self) {
        self.withdrawn.cancelled().await;
    }

    /// From the cancellation of `stop` on, the server is not ready.
    pub(crate) fn stops_with(&self, stop: CancellationToken) {
        // A second listener of the same server stops with the first one's token.
        let _ = self.stop.set(stop);
    }

    /// Completes when the server begins to stop.
    pub(crate) async fn stopped(&self) {
        match self.stop.get() {
            Some(stop) => stop.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Whether every part can serve, or which cannot and why, as of the last second: however many ask, the parts are asked
    /// for one of them at a time.
    pub(crate) async fn recent(&self) -> Arc<Judgement> {
        let mut recent = self.recent.lock().await;
        if self.withdrawn.is_cancelled() || self.stop.get().is_some_and(CancellationToken::is_cancelled) {
            return Arc::new(Err("the server is shutting down".to_owned()));
        }
        if let Some((at, judgement)) = &*recent
            && at.elapsed() < RECENT
        {
            return Arc::clone(judgement);
        }
        let judgement = Arc::new(self.ask().await);
        *recent = Some((Instant::now(), Arc::clone(&judgement)));
        judgement
    }

    /// Asks every part, all at once. A server that is degraded is ready: a load balancer that took it away, and all others
    /// with it, would make a total outage of what is half of one.
    async fn ask(&self) -> Judgement {
        let answers = join_all(self.parts.iter().map(|part| async {
            match tokio::time::timeout(self.timeout, part.check()).await {
                Ok(Ok(Fitness::Well)) => Ok(None),
                Ok(Ok(Fitness::Degraded(why))) => Ok(Some(format!("{}: {why}", part.name()))),
                Ok(Err(error)) => Err(format!("{}: {error}", part.name())),
                Err(_) => Err(format!("{}: no answer within {} ms", part.name(), self.timeout.as_millis())),
            }
        }));
        let (mut degraded, mut failed) = (Vec::new(), Vec::new());
        for answer in answers.await {
            match answer {
                Ok(why) => degraded.extend(why),
                Err(why) => failed.push(why),
            }
        }
        if !failed.is_empty() {
            return Err(failed.join("; "));
        }
        Ok(Serving { checks: self.parts.iter().map(|part| part.name()).collect(), degraded })
    }
}
