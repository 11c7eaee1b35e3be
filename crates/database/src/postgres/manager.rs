//! What the pool keeps connections with.

use std::sync::Arc;

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};

use super::{
    connector::Connector,
    fault::Failure,
    session::{ANSWER, Session},
};

/// Makes connections and looks at them before they are used again.
#[derive(Debug)]
pub(super) struct Manager(Arc<Connector>);

impl Manager {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        Self(connector)
    }

    /// As [`Connector::is_shared`].
    pub(super) fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    /// As [`Connector::found_shared`], of this connection. One of before that was found out tells nothing of those of now.
    pub(super) fn found_shared(&self, session: &Session) {
        if session.generation == self.0.generation() {
            self.0.found_shared();
        }
    }
}

impl managed::Manager for Manager {
    type Type = Session;
    type Error = Failure;

    async fn create(&self) -> std::result::Result<Session, Failure> {
        self.0.connect().await
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<Failure> {
        session.forget_trouble();
        session.patience = ANSWER;
        if session.is_fit() && session.generation == self.0.generation() {
            Ok(())
        } else {
            Err(RecycleError::message("the connection is closed, or the server is not the one that takes writes any more"))
        }
    }
}
