//! The one place where [`domain::Error`] becomes something on the wire: a google.rpc.Status, a gRPC status or an HTTP answer.

mod details;
mod http;
mod room;
mod rpc;

pub(crate) use details::to_rpc;
pub(crate) use http::{Refusal, answer_headers, body};
pub(crate) use room::Room;
pub(crate) use rpc::to_tonic;

use domain::Kind;

/// The number of the kind in google.rpc.Code, which is also the gRPC status code.
pub(crate) fn code(kind: Kind) -> i32 {
    match kind {
        Kind::InvalidArgument => 3,
        Kind::DeadlineExceeded => 4,
        Kind::NotFound => 5,
        Kind::AlreadyExists => 6,
        Kind::PermissionDenied => 7,
        Kind::ResourceExhausted => 8,
        Kind::FailedPrecondition => 9,
        Kind::Aborted => 10,
        Kind::Unimplemented => 12,
        Kind::Internal => 13,
        Kind::Unavailable => 14,
        Kind::Unauthenticated => 16,
    }
}
