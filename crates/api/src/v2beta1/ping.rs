//! Ping, v2beta1.

use std::sync::Arc;

use contract::chainguard::platform::ping::v2beta1::{PingRequest, PingResponse, rpc};
use domain::{Ctx, Result};

use crate::endpoint::{Endpoint, on};

/// The RPC that answers whoever asks.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![on(rpc::Ping, &(), ping)]
}

async fn ping(_: Arc<()>, _ctx: Arc<Ctx>, _request: PingRequest) -> Result<PingResponse> {
    Ok(PingResponse { response: crate::PONG.to_owned() })
}
