//! `domain::Error` as a gRPC status.

use std::time::Duration;

use domain::{Error, error::Detail};
use prost::Message as _;
use tonic::{
    Code, Status,
    metadata::{MetadataMap, MetadataValue},
};

use super::{Room, to_rpc};

/// The gRPC status; the whole google.rpc.Status rides in `grpc-status-details-bin`.
pub(crate) fn to_tonic(error: &Error, error_domain: &str) -> Status {
    let status = to_rpc(error, error_domain, &Room::GRPC);
    let details = status.encode_to_vec().into();
    let mut metadata = MetadataMap::new();
    if let Some(delay) = retry_after(error)
        && let Ok(value) = MetadataValue::try_from(delay.as_millis().to_string())
    {
        // How a server tells gRPC clients when to retry: gRFC A6, "pushback".
        metadata.insert("grpc-retry-pushback-ms", value);
    }
    Status::with_details_and_metadata(Code::from_i32(status.code), status.message, details, metadata)
}

/// When the error says that a retry makes sense.
pub(super) fn retry_after(error: &Error) -> Option<Duration> {
    error.details().iter().find_map(|detail| match detail {
        Detail::RetryAfter(after) => Some(*after),
        _ => None,
    })
}
