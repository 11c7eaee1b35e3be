//! Ping, v1.

use std::sync::Arc;

use contract::chainguard::platform::ping::{PingRequest, Response, rpc};
use domain::{Ctx, Result};

use crate::endpoint::{Endpoint, on};

/// The RPC that answers whoever asks.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![on(rpc::Ping, &(), ping)]
}

async fn ping(_: Arc<()>, _ctx: Arc<Ctx>, _request: PingRequest) -> Result<Response> {
    Ok(Response { response: crate::PONG.to_owned() })
}
